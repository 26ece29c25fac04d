import { defineProblem } from '#core/problems/problem.ts'

export const cursorExpired = defineProblem({
  code: 'cursor_expired',
  status: 410,
  title: 'Events after this cursor are no longer kept',
  advice: 'Events were missed. Read what matters through the REST API, then begin without a cursor.',
})
