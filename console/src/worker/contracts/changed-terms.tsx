import type { Contract } from '#sdk/index.ts'
import { type Changed, Changes } from '../../app/contracts/changes.tsx'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'

interface ChangedTermsProps {
  before: Contract
  after: Contract
  onRead(): void
}

/** The terms are others than when reading began: what was and what is, before anything of it can be signed. */
export function ChangedTerms({ before, after, onRead }: ChangedTermsProps) {
  const change = changeOf(before, after)
  return (
    <div className="changed">
      <Banner tone="error" title="The terms have changed while you were reading.">
        <p>Nothing was signed. These are the changes; below are the terms as they are now.</p>
      </Banner>
      {change.changes.length > 0 ? (
        <Changes amendment={change} contract={after} />
      ) : (
        <p>They are the same again as they were, under a new number: version {after.terms_version}.</p>
      )}
      <div className="actions">
        <Button onClick={onRead}>I have read the new terms</Button>
      </div>
    </div>
  )
}

const own_terms = [
  ...(['start_date', 'end_date', 'job_title', 'seniority', 'scope_of_work', 'special_clause'] as const),
  'notice_period_days',
] as const
/** They say when a period ends only together. */
const cycle = ['frequency', 'cycle_end_type', 'cycle_end']

/** The difference of two versions, in the form of an amendment that has brought it about. */
function changeOf(before: Contract, after: Contract): Changed {
  const [was, is] = [termsOf(before), termsOf(after)]
  const differs = (field: string) => was[field] !== is[field]
  const fields = Object.keys(is).filter((field) => differs(field) || (cycle.includes(field) && cycle.some(differs)))
  const { amount, scale, currency } = after.compensation
  const changes = fields.map((field) => ({ field, from: was[field] ?? null, to: is[field] ?? null }))
  return { changes, currency, amount, scale, status: 'active' }
}

type Terms = Readonly<Record<string, string | number | boolean | null>>

const termsOf = (contract: Contract): Terms => ({
  ...Object.fromEntries(own_terms.map((name) => [name, contract[name]])),
  ...contract.compensation,
})
