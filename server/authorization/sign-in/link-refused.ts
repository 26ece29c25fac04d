import { defineProblem } from '#core/problems/problem.ts'

const linkInvalid = defineProblem({
  code: 'set_up_link_invalid',
  status: 404,
  title: 'This link cannot be used',
  advice: 'Ask the operator for a new one: `npx stint admin create` or `npx stint admin reset`.',
})

/** Whoever has the secret of a link may know why it is over. */
const reasons = {
  unknown: 'This link is not known. A newer one may have replaced it.',
  used: 'This link was used.',
  taken: 'An account exists already, and the link for the first one is over.',
  expired: 'This link has expired.',
} as const

export function linkRefused(reason: keyof typeof reasons) {
  return linkInvalid(reasons[reason], { members: { reason } })
}
