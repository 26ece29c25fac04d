import type { Caller } from '#core/caller.ts'
import { amountPrecision, dateOutOfRange, defineProblem, type Problem, validationFailed } from '#core/problems.ts'
import { workerOf } from '#resources/people/index.ts'
import type { TermsRefusal } from './terms.ts'

export const invalidTerms = defineProblem({
  code: 'invalid_terms',
  status: 422,
  title: 'The terms do not fit together',
  advice: 'Correct each field that is named; which ones are allowed depends on the type of the contract.',
})
export const termsLocked = defineProblem({
  code: 'terms_locked',
  status: 409,
  title: 'The terms of the contract are fixed',
  advice: 'Terms can be changed directly while the contract is pending; afterwards by an amendment both parties sign.',
})
export const alreadySigned = defineProblem({
  code: 'already_signed',
  status: 409,
  title: 'This party has signed already',
  advice: 'Read the contract again; its `signatures` tell who signed and when.',
})
export const termsChanged = defineProblem({
  code: 'terms_changed',
  status: 409,
  title: 'The terms are not those that were read',
  advice: 'Read the terms again, and sign with the `terms_version` that stands beside them.',
})
export const noOpenInvitation = defineProblem({
  code: 'no_open_invitation',
  status: 409,
  title: 'There is no open invitation',
  advice: 'Invite the worker; an invitation lives 14 days and ends with the signature of both parties.',
})
export const ownLoginRequired = defineProblem({
  code: 'own_login_required',
  status: 403,
  title: 'The worker has to do this itself',
  advice: 'Invite the worker to a login of its own; outside sandboxes a token that the client minted signs nothing.',
})

/**
 * The worker who signs or refuses. In a live organization that takes the worker's own login: a token that the client
 * minted would be the client signing for the worker.
 */
export function requireOwnLogin(caller: Caller): Caller & { person_id: string } {
  if (caller.kind === 'worker' && !caller.is_sandbox) throw ownLoginRequired()
  return { ...caller, person_id: workerOf(caller) }
}

/** Refuses the signature of a party that has read other terms; one that names none leaves it open. */
export function requireTermsVersion({ terms_version }: { terms_version: number }, read: number | undefined): void {
  if (read === undefined || read === terms_version) return
  const message = `is not the version of the terms as they are now, ${terms_version}`
  throw termsChanged(undefined, { errors: [{ pointer: '/terms_version', message }] })
}

const problemsByCode = {
  validation_failed: validationFailed,
  invalid_terms: invalidTerms,
  amount_precision: amountPrecision,
  date_out_of_range: dateOutOfRange,
} as const

/** One problem for everything that is wrong with some terms; the gravest code names it, `errors` holds all. */
export function termsProblem(refusals: readonly TermsRefusal[]): Problem {
  const codes = Object.keys(problemsByCode) as TermsRefusal['code'][]
  const code = codes.find((candidate) => refusals.some((refusal) => refusal.code === candidate)) ?? 'invalid_terms'
  return problemsByCode[code](undefined, { errors: refusals.map(({ pointer, message }) => ({ pointer, message })) })
}
