import { defineProblem } from '#core/problems/problem.ts'

export const consentBeyondRequest = defineProblem({
  code: 'consent_beyond_request',
  status: 422,
  title: 'The decision gives more than can be given',
  advice: 'Choose among the organizations, scopes and categories that the request offers.',
})
