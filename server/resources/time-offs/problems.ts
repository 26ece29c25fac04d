import { defineProblem } from '#core/problems.ts'

export const timeOffOverlap = defineProblem({
  code: 'time_off_overlap',
  status: 409,
  title: 'The person has time off then',
  advice: 'Choose other days, or cancel the time off that is named first.',
})
export const insufficientEntitlement = defineProblem({
  code: 'insufficient_entitlement',
  status: 422,
  title: 'More days than are available',
  advice: 'Choose fewer days, or another policy; the balances are listed by person.',
})
