import { addDays, daysBetween, earliest, latest, startOfDay, weekdayOf } from '#core/values.ts'
import { type CycleEndType, cycle_terms, type Frequency } from './terms.ts'

/** An unbroken run of cycles under the same cycle terms, from `effective_from` until the next series begins */
export type CycleSeries = {
  readonly effective_from: string
  readonly frequency: Frequency
  readonly cycle_end_type: CycleEndType
  readonly cycle_end: number
  readonly first_cycle_end: string | null
}

/** All that decides a contract's cycles. The series ascend by date; the first one begins with the contract. */
export type CycleSettings = { readonly series: readonly CycleSeries[]; readonly last_day: string | null }

/** Dates include both ends; the nominal cycle is the whole one, before it is cut to the contract and its series */
export type Cycle = {
  readonly start_date: string
  readonly end_date: string
  readonly nominal_start_date: string
  readonly nominal_end_date: string
}

/** The part of a terms version that shapes cycles; all null on contracts without cycles */
export type CycleTermsVersion = {
  readonly effective_from: string
  readonly terms: { readonly [Term in keyof Omit<CycleSeries, 'effective_from'>]: CycleSeries[Term] | null }
}

/**
 * Joins the versions of a contract's terms into series, in any order given; of two versions for one date the later in
 * the list counts. Null where the contract has no cycles (type employee).
 */
export function cycleSettings(versions: readonly CycleTermsVersion[], last_day: string | null): CycleSettings | null {
  const series: CycleSeries[] = []
  for (const { effective_from, terms } of inOrder(versions)) {
    const { frequency, cycle_end_type, cycle_end, first_cycle_end } = terms
    if (frequency === null || cycle_end_type === null || cycle_end === null) return null
    const next = { effective_from, frequency, cycle_end_type, cycle_end, first_cycle_end }
    if (series.at(-1)?.effective_from === effective_from) series.pop()
    const before = series.at(-1)
    if (!before || cycle_terms.some((term) => before[term] !== next[term])) series.push(next)
  }
  return series.length === 0 ? null : { series, last_day }
}

/** Versions by date; of two for one date the later in the list stays the later. */
export function inOrder<Version extends { readonly effective_from: string }>(versions: readonly Version[]): Version[] {
  return versions.toSorted((a, b) => Temporal.PlainDate.compare(a.effective_from, b.effective_from))
}

/** The terms in force on a date: the latest version from that day or before, of two for one day the later written. */
export function termsAt<Terms>(
  versions: readonly { readonly effective_from: string; readonly terms: Terms }[],
  date: string,
): Terms {
  const ordered = inOrder(versions)
  const version = ordered.findLast(({ effective_from }) => effective_from <= date) ?? ordered[0]
  if (!version) throw new RangeError('the contract has no terms')
  return version.terms
}

/** The cycle that `date` lies in; null before the contract starts and after its last day */
export function cycleContaining({ series, last_day }: CycleSettings, date: string): Cycle | null {
  const index = series.findLastIndex(({ effective_from }) => effective_from <= date)
  const current = series[index]
  if (!current || (last_day !== null && date > last_day)) return null
  const nominal = nominalCycle(current, date)
  const successor = series[index + 1]
  const ends = [nominal.nominal_end_date]
  if (last_day !== null) ends.push(last_day)
  if (successor) ends.push(addDays(successor.effective_from, -1))
  return {
    start_date: latest(nominal.nominal_start_date, current.effective_from),
    end_date: ends.reduce(earliest),
    ...nominal,
  }
}

/** At most `count_max` cycles in order, from the one that `date` lies in, or the first one where `date` is before it */
export function cyclesFrom(settings: CycleSettings, date: string, count_max: number): Cycle[] {
  const cycles: Cycle[] = []
  const first_day = settings.series[0]?.effective_from ?? date
  let cycle = cycleContaining(settings, latest(date, first_day))
  while (cycle && cycles.length < count_max) {
    cycles.push(cycle)
    cycle = cycleContaining(settings, addDays(cycle.end_date, 1))
  }
  return cycles
}

/** First day of the first cycle that starts after `date`; null when the contract ends before */
export function nextCycleStart(settings: CycleSettings, date: string): string | null {
  return cyclesFrom(settings, date, 2).find(({ start_date }) => start_date > date)?.start_date ?? null
}

export function isCycleStart(settings: CycleSettings, date: string): boolean {
  return cycleContaining(settings, date)?.start_date === date
}

/** When a cycle ending on `end_date` closes, in milliseconds since 1970: the start of the next day in the zone */
export function closesAt(end_date: string, zone: string): number {
  return startOfDay(addDays(end_date, 1), zone)
}

/** The date on the invoice of a cycle that ends on `end_date` (domain 6.3) */
export function issueDate(end_date: string): string {
  return addDays(end_date, 1)
}

/** `payment_due_days` after the issue; a weekend moves back to Friday if wished, but never before the issue */
export function dueDate(
  issue_date: string,
  { payment_due_days, pay_before_weekends }: { payment_due_days: number; pay_before_weekends: boolean },
): string {
  const due_date = addDays(issue_date, payment_due_days)
  if (!pay_before_weekends) return due_date
  const days_past_friday = Math.max(0, weekdayOf(due_date) - 5)
  return latest(issue_date, addDays(due_date, -days_past_friday))
}

/** The whole cycle around `date`. Computed directly, so a date far ahead costs no more than the next one. */
function nominalCycle(series: CycleSeries, date: string): Pick<Cycle, 'nominal_start_date' | 'nominal_end_date'> {
  const ends = endsAround(series, date)
  const index = ends.findIndex((end) => end >= date)
  const [before, end] = [ends[index - 1], ends[index]]
  if (before === undefined || end === undefined) throw new RangeError(`no cycle end around ${date}`)
  return { nominal_start_date: addDays(before, 1), nominal_end_date: end }
}

/** Nominal ends around `date`, ascending: always one before it, and one on it or after. */
function endsAround(series: CycleSeries, date: string): string[] {
  const { frequency, cycle_end, effective_from } = series
  if (frequency === 'weekly') {
    const end = onOrAfter(date, cycle_end)
    return [addDays(end, -7), end]
  }
  if (frequency === 'biweekly') {
    const first_end = series.first_cycle_end ?? onOrAfter(addDays(effective_from, 7), cycle_end)
    const end = addDays(first_end, Math.ceil(daysBetween(first_end, date) / 14) * 14)
    return [addDays(end, -14), end]
  }
  const month = Temporal.PlainYearMonth.from(date.slice(0, 7))
  return [-1, 0, 1].flatMap((months) => endsOf(series, month.add({ months })))
}

function onOrAfter(date: string, weekday: number): string {
  return addDays(date, (weekday - weekdayOf(date) + 7) % 7)
}

function endsOf({ frequency, cycle_end_type, cycle_end }: CycleSeries, month: Temporal.PlainYearMonth): string[] {
  const last = month.daysInMonth
  const on = (day: number) => month.toPlainDate({ day: Math.min(day, last) }).toString()
  if (cycle_end_type === 'day_of_last_week') return [on(last - ((weekdayOf(on(last)) - cycle_end + 7) % 7))]
  if (frequency === 'monthly') return [on(cycle_end)]
  return [on(cycle_end), on(cycle_end === 15 ? last : cycle_end + 15)]
}
