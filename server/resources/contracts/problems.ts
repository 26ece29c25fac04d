import {
  amountPrecision,
  dateOutOfRange,
  defineProblem,
  type FieldError,
  type Problem,
  type ProblemType,
  validationFailed,
} from '#core/problems.ts'
import type { Refusal } from './terms.ts'

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
/** Refuses the signature of a party that has read other terms; one that names none leaves it open. */
export function requireTermsVersion({ terms_version }: { terms_version: number }, read: number | undefined): void {
  if (read === undefined || read === terms_version) return
  const message = `is not the version of the terms as they are now, ${terms_version}`
  throw termsChanged(undefined, { errors: [{ pointer: '/terms_version', message }] })
}

/** Problems of terms, the gravest first. */
const terms_problems = [validationFailed, invalidTerms, amountPrecision, dateOutOfRange]

/** One problem for everything that is wrong; the first of `problems` that is among it names it, `errors` holds all. */
export function problemOf(refusals: readonly Refusal[], problems: readonly ProblemType[] = terms_problems): Problem {
  const gravest = problems.find(({ definition }) => refusals.some(({ code }) => code === definition.code))
  return (gravest ?? invalidTerms)(undefined, { errors: errorsOf(refusals) })
}

export function errorsOf(refusals: readonly Refusal[]): FieldError[] {
  return refusals.map(({ pointer, message }) => ({ pointer, message }))
}
