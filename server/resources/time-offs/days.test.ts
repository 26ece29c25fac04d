import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '#core/problems.ts'
import { addDays, weekdayOf } from '#core/values.ts'
import { allowanceIn, countDays, daysOf, halvesOf } from './days.ts'

const counted = (start: string, end: string, counting: 'working_days' | 'calendar_days', halves = '') => {
  const [start_half_day, end_half_day] = [halves.includes('s'), halves.includes('e')]
  const { days, days_next_year } = countDays(
    { start_date: start, end_date: end, start_half_day, end_half_day },
    counting,
  )
  return `${days} ${days_next_year}`
}

const vectors: [Parameters<typeof counted>, string][] = [
  [['2026-08-03', '2026-08-14', 'working_days'], '10 0'],
  [['2026-08-03', '2026-08-14', 'calendar_days'], '12 0'],
  [['2026-08-03', '2026-08-03', 'working_days', 's'], '0.5 0'],
  [['2026-08-03', '2026-08-03', 'working_days', 'e'], '0.5 0'],
  [['2026-08-03', '2026-08-07', 'working_days', 'se'], '4 0'],
  // Saturday at noon to Sunday: a half of a day that does not count takes nothing away.
  [['2026-08-01', '2026-08-03', 'working_days', 's'], '1 0'],
  [['2026-08-01', '2026-08-03', 'calendar_days', 's'], '2.5 0'],
  [['2026-07-31', '2026-08-02', 'working_days', 'e'], '1 0'],
  // Over the turn of the year each day counts in its own.
  [['2026-12-28', '2027-01-05', 'working_days'], '7 3'],
  [['2026-12-31', '2027-01-01', 'calendar_days', 'se'], '1 0.5'],
  [['2027-12-31', '2028-12-30', 'calendar_days'], '366 365'],
  [['2026-01-01', '2026-12-31', 'working_days'], '261 0'],
  [['2028-01-01', '2028-12-31', 'calendar_days'], '366 0'],
]
for (const [span, expected] of vectors) {
  test(`${span.join(' ')} takes ${expected} days`, () => assert.equal(counted(...span), expected))
}

const refused: [Parameters<typeof counted>, string, string][] = [
  [['2026-08-07', '2026-08-03', 'working_days'], 'date_out_of_range', '/end_date'],
  [['2026-01-01', '2027-01-02', 'working_days'], 'date_out_of_range', '/end_date'],
  [['2026-08-01', '2026-08-02', 'working_days'], 'date_out_of_range', '/start_date'],
  [['2026-08-03', '2026-08-03', 'working_days', 'se'], 'validation_failed', '/end_half_day'],
]
for (const [span, code, pointer] of refused) {
  test(`${span.join(' ')} is refused as ${code}`, () =>
    assert.throws(
      () => counted(...span),
      (error) =>
        error instanceof Problem && error.definition.code === code && error.details.errors?.[0]?.pointer === pointer,
    ))
}

const date = fc.integer({ min: 0, max: 4_000 }).map((days) => addDays('2024-01-01', days))

test('days are those that are counted one by one, each in its year', () =>
  fc.assert(
    fc.property(date, fc.nat(365), fc.boolean(), fc.boolean(), fc.boolean(), (start, length, s, e, is_working) => {
      const end = addDays(start, length)
      fc.pre(length > 0 || !s || !e)
      const by_year: Record<string, number> = {}
      for (let day = start; day <= end; day = addDays(day, 1)) {
        if (is_working && weekdayOf(day) > 5) continue
        const lost = Number(day === start && s) + Number(day === end && e)
        by_year[day.slice(0, 4)] = (by_year[day.slice(0, 4)] ?? 0) + 2 - lost
      }
      const all = Object.values(by_year).reduce((sum, halves) => sum + halves, 0)
      fc.pre(all > 0)
      const counting = is_working ? 'working_days' : 'calendar_days'
      const span = { start_date: start, end_date: end, start_half_day: s, end_half_day: e }
      const { days, days_next_year } = countDays(span, counting)
      const next_year = end.slice(0, 4) === start.slice(0, 4) ? 0 : (by_year[end.slice(0, 4)] ?? 0)
      assert.deepEqual([halvesOf(days), halvesOf(days_next_year)], [BigInt(all), BigInt(next_year)])
    }),
    { numRuns: 300 },
  ))

const allowances: [allowance: string | null, start: string | null, year: number, expected: string | null][] = [
  ['30', '2026-02-01', 2026, '27.5'],
  ['30', null, 2026, '30'],
  ['30', '2019-05-01', 2026, '30'],
  ['30', '2026-01-01', 2026, '30'],
  ['30', '2027-01-01', 2026, '0'],
  ['30', '2026-12-31', 2026, '0'],
  ['366', '2026-12-31', 2026, '1'],
  // Of 365 days 73 are left, a fifth.
  ['2.5', '2026-10-20', 2026, '0.5'],
  // In a leap year 183 of 366 days are left: 12.25 days are 12.5.
  ['24.5', '2028-07-02', 2028, '12.5'],
  ['25', '2028-07-02', 2028, '12.5'],
  [null, '2026-02-01', 2026, null],
]
for (const [annual_allowance_days, start_date, year, expected] of allowances) {
  test(`${annual_allowance_days} days a year from ${start_date} are ${expected} in ${year}`, () => {
    const halves = allowanceIn({ annual_allowance_days }, start_date, year)
    assert.equal(halves === null ? null : daysOf(halves), expected)
  })
}

test('days are read as they are written', () => {
  for (const days of ['0', '0.5', '27.5', '366']) assert.equal(daysOf(halvesOf(days)), days)
  assert.deepEqual([daysOf(-1n), daysOf(-2n), daysOf(-7n)], ['-0.5', '-1', '-3.5'])
})
