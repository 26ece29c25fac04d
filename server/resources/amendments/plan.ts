import { addDays, type Currency } from '#core/values.ts'
import {
  applyTermsChange,
  type ContractTerms,
  type ContractType,
  type CycleSettings,
  cycleSettings,
  cyclesFrom,
  diffTerms,
  isCycleStart,
  isCycleTerm,
  nextCycleStart,
  type Term,
  type TermsChange,
  type TermsDifference,
  type TermsRefusal,
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
export interface Standing {
  readonly type: ContractType
  readonly currency: Currency
  readonly start_date: string
  readonly last_day: string | null
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

/** The effect that an amendment would have if it were agreed today. */
export interface Plan {
  readonly effective_date: string
  readonly terms: ContractTerms
  readonly changes: TermsDifference[]
}

export interface PlanRefusal {
  readonly code: TermsRefusal['code'] | 'effective_date_taken' | 'nothing_to_change' | 'effective_date_not_cycle_start'
  readonly pointer: string
  readonly message: string
}

/**
 * Judges a change of terms by the rules of domain 2.4. A `draft` is refused where its date is not possible; with the
 * second `signature` a date whose cycle has closed moves to the first day of the open one.
 */
export function planAmendment(
  standing: Standing,
  change: ProposedChange,
  stage: 'draft' | 'signature',
): Plan | PlanRefusal[] {
  const timeline = timelineOf(standing)
  const cycles = cycleSettings(timeline, standing.last_day)
  const earliest = cycles ? cyclesFrom(cycles, standing.today, 1)[0]?.start_date : standing.start_date
  if (earliest === undefined || isOver(standing, standing.today)) {
    return refusal('date_out_of_range', '/effective_date', `the last day of the contract was ${standing.last_day}`)
  }
  const date = dateOf(standing, timeline, cycles, earliest, change, stage)
  if (typeof date !== 'string') return date
  const before = termsAt(timeline, latest(date, standing.today))
  const terms = applyTermsChange(standing.type, standing.currency, before, change.terms)
  if (Array.isArray(terms)) return refuseTerms(terms, standing, change, date)
  const changes = diffTerms(before, terms, toldTerms(change.terms))
  const refusals = [
    ...refuseDate(standing, cycles, earliest, date, changes),
    ...refuseTaken(standing, change, date, stage),
    ...refuseEnd(standing, change, date),
    ...refuseLater(standing, date, terms),
  ]
  if (refusals.length > 0) return refusals
  if (stage === 'draft' && changes.every(({ from, to }) => from === to)) {
    return refusal('nothing_to_change', '/terms', `equal the terms in force on ${latest(date, standing.today)}`)
  }
  return { effective_date: date, terms, changes }
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
  { type, currency, versions }: Pick<Standing, 'type' | 'currency' | 'versions'>,
  { terms, effective_date }: ApprovedChange,
): [TermsVersion, ...TermsVersion[]] {
  const write = (effective_from: string) => ({
    effective_from,
    terms: applied(type, currency, termsAt(versions, effective_from), terms),
  })
  const later = versions.map(({ effective_from }) => effective_from).filter((date) => date > effective_date)
  return [write(effective_date), ...[...new Set(later)].sort().map(write)]
}

/** The terms in force on a date: the latest version from that day or before, of two for one day the later written. */
export function termsAt(versions: readonly TermsVersion[], date: string): ContractTerms {
  const ordered = versions.toSorted((a, b) => compare(a.effective_from, b.effective_from))
  const version = ordered.findLast(({ effective_from }) => effective_from <= date) ?? ordered[0]
  if (!version) throw new RangeError('the contract has no terms')
  return version.terms
}

/** The versions with those that the approved amendments will write. */
function timelineOf({ type, currency, versions, approved }: Standing): TermsVersion[] {
  const timeline = [...versions]
  for (const change of approved) timeline.push(...versionsToWrite({ type, currency, versions: timeline }, change))
  return timeline
}

/** Approved changes fit: each later agreement was refused where it would have left one that does not. */
function applied(type: ContractType, currency: Currency, before: ContractTerms, change: TermsChange): ContractTerms {
  const terms = applyTermsChange(type, currency, before, change)
  if (Array.isArray(terms)) throw new RangeError(`an approved amendment does not fit: ${JSON.stringify(terms)}`)
  return terms
}

function dateOf(
  standing: Standing,
  timeline: readonly TermsVersion[],
  cycles: CycleSettings | null,
  earliest: string,
  change: ProposedChange,
  stage: 'draft' | 'signature',
): string | PlanRefusal[] {
  const { terms, effective_date } = change
  if (effective_date !== null) return stage === 'signature' ? latest(effective_date, earliest) : effective_date
  const soonest = latest(standing.today, earliest)
  if (!cycles) return soonest
  const before = termsAt(timeline, soonest)
  const after = applyTermsChange(standing.type, standing.currency, before, terms)
  if (Array.isArray(after)) return refuseTerms(after, standing, change, soonest)
  if (!diffTerms(before, after).some(({ field }) => isCycleTerm(field))) return soonest
  const next = nextCycleStart(cycles, standing.today)
  return next ?? refusal('date_out_of_range', '/effective_date', 'no further payment cycle begins before the last day')
}

function refuseDate(
  { today, last_day }: Standing,
  cycles: CycleSettings | null,
  earliest: string,
  date: string,
  changes: readonly TermsDifference[],
): PlanRefusal[] {
  const farthest = addDays(today, ahead_days_max)
  const end = last_day !== null && last_day < farthest ? last_day : farthest
  if (date < earliest || date > end) {
    return refusal('date_out_of_range', '/effective_date', `must be from ${earliest} to ${end}`)
  }
  if (cycles && changes.some(({ field }) => isCycleTerm(field)) && !isCycleStart(cycles, date)) {
    const [next] = cyclesFrom(cycles, date, 2).filter(({ start_date }) => start_date > date)
    const hint = next ? `, such as ${next.start_date}` : ''
    return refusal(
      'effective_date_not_cycle_start',
      '/effective_date',
      `must be the first day of a payment cycle${hint}`,
    )
  }
  return []
}

/** A draft without a date takes its day, and so its place among the approved ones, only with the second signature. */
function refuseTaken({ approved }: Standing, change: ProposedChange, date: string, stage: 'draft' | 'signature') {
  const isFixed = stage === 'signature' || change.effective_date !== null
  if (!isFixed || !approved.some(({ effective_date }) => effective_date === date)) return []
  return refusal('effective_date_taken', '/effective_date', `an approved amendment takes effect on ${date}`)
}

/** The terms alone know no earlier end than the start of the contract, which would name days that are over. */
function refuseTerms(refusals: PlanRefusal[], standing: Standing, change: ProposedChange, date: string): PlanRefusal[] {
  const refusedEnd = refuseEnd(standing, change, date)
  return refusedEnd.length > 0 ? refusedEnd : refusals
}

function refuseEnd({ today }: Standing, { terms: { end_date } }: ProposedChange, date: string): PlanRefusal[] {
  const first = latest(today, date)
  if (end_date === undefined || end_date === null || end_date >= first) return []
  return refusal('date_out_of_range', '/terms/end_date', `must be null or not before ${first}`)
}

/** Changes that are approved for later days stand on these terms and must still fit. */
function refuseLater({ type, currency, approved }: Standing, date: string, terms: ContractTerms): PlanRefusal[] {
  let standing = terms
  for (const { effective_date, terms: change } of approved.filter((later) => later.effective_date > date)) {
    const next = applyTermsChange(type, currency, standing, change)
    if (Array.isArray(next)) {
      const because = next.map(({ message }) => message).join('; ')
      return refusal(
        'invalid_terms',
        '/terms',
        `the amendment approved for ${effective_date} no longer fits: ${because}`,
      )
    }
    standing = next
  }
  return []
}

function isOver({ last_day }: Standing, date: string): boolean {
  return last_day !== null && date > last_day
}

function refusal(code: PlanRefusal['code'], pointer: string, message: string): PlanRefusal[] {
  return [{ code, pointer, message }]
}

// Dates sort as text.
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const latest = (a: string, b: string) => (a > b ? a : b)
