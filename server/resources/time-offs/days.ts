import { dateOutOfRange, validationFailed } from '#core/problems.ts'
import { addDays, daysBetween, earliest, latest, multiplyByRatio, weekdayOf } from '#core/values.ts'
import type { TimeOffPolicyRow } from '#resources/time-off-policies/index.ts'

/** The first and the last day of a time off; a half day begins at noon of the first, or ends at noon of the last. */
export interface Span {
  start_date: string
  end_date: string
  start_half_day: boolean
  end_half_day: boolean
}

type Counting = TimeOffPolicyRow['counting']

const span_days_max = 366

/** Days as they are stored and shown, counted in halves, in whole numbers throughout: "4.5" is 9n. */
export function halvesOf(days: string): bigint {
  const [whole = '0', fraction = ''] = days.split('.')
  return 2n * BigInt(whole) + (fraction.startsWith('5') ? 1n : 0n)
}

export function daysOf(halves: bigint): string {
  const magnitude = halves < 0n ? -halves : halves
  return `${halves < 0n ? '-' : ''}${magnitude / 2n}${magnitude % 2n === 0n ? '' : '.5'}`
}

/** The days that a time off takes: all of them, and those in the year after that of its start. Throws where it takes none. */
export function countDays(span: Span, counting: Counting): { days: string; days_next_year: string } {
  refuseSpan(span)
  const { start_date, end_date } = span
  const halves = halvesIn(span, counting, start_date, end_date)
  if (halves === 0n) throw outOfRange('/start_date', 'takes no day: all of it lies on Saturdays and Sundays')
  const next_year = halvesIn(span, counting, firstDayAfter(start_date), end_date)
  return { days: daysOf(halves), days_next_year: daysOf(next_year) }
}

function refuseSpan({ start_date, end_date, start_half_day, end_half_day }: Span): void {
  if (end_date < start_date) throw outOfRange('/end_date', 'must not be before start_date')
  const last = addDays(start_date, span_days_max - 1)
  if (end_date > last) throw outOfRange('/end_date', `must be until ${last}: at most ${span_days_max} days`)
  if (start_date < end_date || !start_half_day || !end_half_day) return
  const message = 'must be false where start_half_day is true: one day has one half at most'
  throw validationFailed(undefined, { errors: [{ pointer: '/end_half_day', message }] })
}

const outOfRange = (pointer: string, message: string) => dateOutOfRange(undefined, { errors: [{ pointer, message }] })

export const firstDayOf = (year: number) => `${String(year).padStart(4, '0')}-01-01`
export const lastDayOf = (year: number) => `${String(year).padStart(4, '0')}-12-31`
export const yearOf = (date: string) => Number(date.slice(0, 4))
const firstDayAfter = (date: string) => addDays(lastDayOf(yearOf(date)), 1)

/** The halves of a span that lie between two dates. A half of a day that does not count takes nothing away. */
function halvesIn(span: Span, counting: Counting, from: string, to: string): bigint {
  const first = latest(span.start_date, from)
  const last = earliest(span.end_date, to)
  if (first > last) return 0n
  const lacks = (date: string, is_half: boolean) =>
    is_half && first <= date && date <= last && (counting === 'calendar_days' || weekdayOf(date) <= 5) ? 1n : 0n
  const whole = counting === 'calendar_days' ? daysBetween(first, last) + 1 : workingDays(first, last)
  return 2n * BigInt(whole) - lacks(span.start_date, span.start_half_day) - lacks(span.end_date, span.end_half_day)
}

/** Mondays to Fridays, both ends included. */
function workingDays(from: string, to: string): number {
  const days = daysBetween(from, to) + 1
  const rest = days % 7
  const weekday = weekdayOf(from)
  // 1 is Monday, 6 and 7 are the weekend, 8 is Monday again.
  const working = Array.from({ length: rest }, (_, index) => (weekday + index - 1) % 7).filter((day) => day < 5)
  return ((days - rest) / 7) * 5 + working.length
}

/**
 * The days of a policy that a person has in a year, in halves; null: no limit. Who starts within the year has the part of
 * it from that day on, to the nearest half day, ties up: 30 days from 2026-02-01 are 27.5.
 */
export function allowanceIn(
  { annual_allowance_days }: Pick<TimeOffPolicyRow, 'annual_allowance_days'>,
  start_date: string | null,
  year: number,
): bigint | null {
  if (annual_allowance_days === null) return null
  const [first, last] = [firstDayOf(year), lastDayOf(year)]
  const from = latest(start_date ?? first, first)
  if (from > last) return 0n
  const days = (date: string) => BigInt(daysBetween(date, last) + 1)
  return multiplyByRatio(halvesOf(annual_allowance_days), days(from), days(first))
}
