import type { Contract } from '#sdk/index.ts'
import { fieldWords } from '../../app/contracts/words.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { type Change, SideBySide } from './side-by-side.tsx'

interface ChangedTermsProps {
  before: Contract
  after: Contract
  onRead(): void
}

/** The terms are others than when reading began: what was and what is, before anything of it can be signed. */
export function ChangedTerms({ before, after, onRead }: ChangedTermsProps) {
  const changes = changesOf(before, after)
  return (
    <div className="changed">
      <Banner tone="error" title="The terms have changed while you were reading.">
        <p>Nothing was signed. These are the changes; below are the terms as they are now.</p>
      </Banner>
      {changes.length > 0 ? (
        <SideBySide label="Changed terms" changes={changes} currency={after.compensation.currency} />
      ) : (
        <p>They are the same again as they were, under a new number: version {after.terms_version}.</p>
      )}
      <div className="actions">
        <Button onClick={onRead}>I have read the new terms</Button>
      </div>
    </div>
  )
}

const own_terms = ['start_date', 'end_date', 'job_title', 'seniority', 'scope_of_work', 'special_clause'] as const

function changesOf(before: Contract, after: Contract): Change[] {
  const [was, is] = [termsOf(before), termsOf(after)]
  return Object.keys(is)
    .filter((field) => was[field] !== is[field])
    .map((field) => ({ field, words: fieldWords(field), from: was[field] ?? null, to: is[field] ?? null }))
}

type Terms = Readonly<Record<string, Change['from']>>

const termsOf = (contract: Contract): Terms => ({
  ...Object.fromEntries(own_terms.map((name) => [name, contract[name]])),
  notice_period_days: contract.notice_period_days,
  ...contract.compensation,
})
