import type { NewContract } from './contract-schema.ts'
import type { Term, TermsInput } from './terms.ts'

const outer = [
  'start_date',
  'end_date',
  'job_title',
  'seniority',
  'scope_of_work',
  'special_clause',
  'notice_period_days',
] as const satisfies readonly Term[]

/** The contract's terms as requests carry them: some beside the head of the contract, the others in `compensation`. */
export type TermsFields = Partial<Pick<NewContract, (typeof outer)[number]>> & {
  compensation?: Partial<NewContract['compensation']>
}

/** The terms that a request names, in one flat object; a term that it does not name is absent. */
export function termsIn(input: TermsFields): Partial<TermsInput> {
  const { currency: _, ...compensation } = input.compensation ?? {}
  const named = Object.fromEntries(outer.filter((term) => term in input).map((term) => [term, input[term]]))
  return { ...named, ...compensation }
}

/** Where a request carries a term (RFC 6901). */
export function termsPointer(term: string): string {
  return outer.some((name) => name === term) ? `/${term}` : `/compensation/${term}`
}
