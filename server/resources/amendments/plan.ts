import { addDays, earliest, latest } from '#core/values.ts'
import {
  type Agreement,
  applyTermsChange,
  type ContractRow,
  type ContractTerms,
  type CycleSettings,
  cycleSettings,
  cyclesFrom,
  diffTerms,
  isCycleStart,
  isCycleTerm,
  nextCycleStart,
  type Refusal,
  type Term,
  type TermsChange,
  type TermsDifference,
  termsAt,
} from '#resources/contracts/index.ts'

/** Most days between the agreement of an amendment and its effective date. */
export const ahead_days_max = 731

/** Terms as a whole, from a date on. */
export interface TermsVersion {
  readonly effective_from: string
  readonly terms: ContractTerms
}

/** A change that is agreed already and alters the terms on a later day. */
export interface ApprovedChange {
  readonly effective_date: string
  readonly terms: TermsChange
}

/** All that an amendment is judged by. `versions` as they were written, `approved` by date. */
export interface Standing extends Agreement, Pick<ContractRow, 'start_date' | 'last_day'> {
  readonly versions: readonly TermsVersion[]
  readonly approved: readonly ApprovedChange[]
  /** Business date of the contract. */
  readonly today: string
}

export interface ProposedChange {
  readonly terms: TermsChange
  /** null: the day of the second signature. */
  readonly effective_date: string | null
}

/** A `draft` is refused where its date is not possible; with the second `signature` a date in a closed cycle moves on. */
export type Stage = 'draft' | 'signature'

/** The effect that an amendment would have if it were agreed today. */
export interface Plan {
  readonly effective_date: string
  readonly terms: ContractTerms
  readonly changes: TermsDifference[]
}

/** Judges a change of terms by the rules of domain 2.4. */
export function planAmendment(standing: Standing, change: ProposedChange, stage: Stage): Plan | Refusal[] {
  const { today, last_day, approved } = standing
  const { terms, effective_date: wanted } = change
  if (last_day !== null && today > last_day) {
    return refusal('date_out_of_range', '/effective_date', `the last day of the contract was ${last_day}`)
  }
  const timeline = timelineOf(standing)
  const cycles = cycleSettings(timeline, last_day)
  const first_open = (cycles && cyclesFrom(cycles, today, 1)[0]?.start_date) ?? standing.start_date
  let date = wanted !== null && stage === 'draft' ? wanted : latest(wanted ?? today, first_open)
  let plan = planOn(date, standing, timeline, terms)
  if (wanted === null && cycles && beginsSeries(plan)) {
    const next = nextCycleStart(cycles, today)
    if (!next)
      return refusal('date_out_of_range', '/effective_date', 'no further payment cycle begins before the last day')
    date = next
    plan = planOn(date, standing, timeline, terms)
  }
  const refused_end = refuseEnd(terms, latest(today, date))
  // The terms alone know no earlier end than the start of the contract, which would name days that are over.
  if (Array.isArray(plan)) return refused_end.length > 0 ? refused_end : plan
  // A draft without a date takes its day, and so its place among the approved ones, only with the second signature.
  const is_fixed = wanted !== null || stage === 'signature'
  const is_taken = is_fixed && approved.some(({ effective_date }) => effective_date === date)
  const taken = `an approved amendment takes effect on ${date}`
  const refusals = [
    ...refuseDate(standing, cycles, first_open, plan),
    ...(is_taken ? refusal('effective_date_taken', '/effective_date', taken) : []),
    ...refused_end,
    ...refuseLater(standing, plan),
  ]
  if (refusals.length > 0) return refusals
  if (stage === 'draft' && plan.changes.every(({ from, to }) => from === to)) {
    return refusal('nothing_to_change', '/terms', `equal the terms in force on ${latest(date, today)}`)
  }
  return plan
}

function planOn(
  effective_date: string,
  standing: Standing,
  timeline: readonly TermsVersion[],
  change: TermsChange,
): Plan | Refusal[] {
  const before = termsAt(timeline, latest(effective_date, standing.today))
  const terms = applyTermsChange(standing, before, change)
  if (Array.isArray(terms)) return terms
  return { effective_date, terms, changes: diffTerms(before, terms, toldTerms(change)) }
}

function beginsSeries(plan: Plan | Refusal[]): boolean {
  return 'changes' in plan && plan.changes.some(({ field }) => isCycleTerm(field))
}

/** A proposed amount is told as a change whatever it was: who may not see it learns nothing from its place in the list. */
export function toldTerms({ amount }: TermsChange): readonly Term[] {
  return amount === undefined ? [] : ['amount']
}

/**
 * The versions that an amendment writes when it takes effect: one for its effective date, and one for each later version
 * in force since then, because an amendment with an earlier date changes its own terms and leaves the others.
 */
export function versionsToWrite(
  of: Agreement & Pick<Standing, 'versions'>,
  { terms, effective_date }: ApprovedChange,
): [TermsVersion, ...TermsVersion[]] {
  const write = (effective_from: string) => {
    const changed = applyTermsChange(of, termsAt(of.versions, effective_from), terms)
    // Approved changes fit: each later agreement was refused where it would have left one that does not.
    if (Array.isArray(changed)) throw new RangeError(`an approved amendment does not fit: ${JSON.stringify(changed)}`)
    return { effective_from, terms: changed }
  }
  const later = of.versions.map(({ effective_from }) => effective_from).filter((date) => date > effective_date)
  return [write(effective_date), ...[...new Set(later)].sort().map(write)]
}

/** The versions with those that the approved amendments will write. */
export function timelineOf(standing: Agreement & Pick<Standing, 'versions' | 'approved'>): TermsVersion[] {
  const timeline = [...standing.versions]
  for (const change of standing.approved) timeline.push(...versionsToWrite({ ...standing, versions: timeline }, change))
  return timeline
}

function refuseDate({ today, last_day }: Standing, cycles: CycleSettings | null, first: string, plan: Plan): Refusal[] {
  const date = plan.effective_date
  const farthest = addDays(today, ahead_days_max)
  const last = last_day === null ? farthest : earliest(last_day, farthest)
  if (date < first || date > last) {
    const why = cycles ? ', where the open cycle begins,' : ''
    return refusal('date_out_of_range', '/effective_date', `must be from ${first}${why} to ${last}`)
  }
  if (!cycles || !beginsSeries(plan) || isCycleStart(cycles, date)) return []
  const next = nextCycleStart(cycles, date)
  const message = `must be the first day of a payment cycle${next ? `, such as ${next}` : ''}`
  return refusal('effective_date_not_cycle_start', '/effective_date', message)
}

function refuseEnd({ end_date }: TermsChange, first: string): Refusal[] {
  if (end_date === undefined || end_date === null || end_date >= first) return []
  return refusal('date_out_of_range', '/terms/end_date', `must be null or not before ${first}`)
}

/** Changes that are approved for later days stand on these terms and must still fit. */
function refuseLater(standing: Standing, plan: Plan): Refusal[] {
  let terms = plan.terms
  for (const later of standing.approved.filter(({ effective_date }) => effective_date > plan.effective_date)) {
    const next = applyTermsChange(standing, terms, later.terms)
    if (Array.isArray(next)) {
      const because = next.map(({ message }) => message).join('; ')
      const message = `the amendment approved for ${later.effective_date} no longer fits: ${because}`
      return refusal('invalid_terms', '/terms', message)
    }
    terms = next
  }
  return []
}

function refusal(code: string, pointer: string, message: string): Refusal[] {
  return [{ code, pointer, message }]
}
