import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { addDays, daysBetween, weekdayOf } from '#core/values.ts'
import { type CycleSeries, type CycleSettings, cycleContaining, cyclesFrom, isCycleStart } from './cycle-calendar.ts'
import { cycle_end_rules, frequencies } from './terms.ts'

const anyDate = fc.integer({ min: 0, max: 3000 }).map((offset) => addDays('2024-01-01', offset))

const anySeries = (effective_from: string) =>
  fc.constantFrom(...frequencies).chain((frequency) =>
    fc.constantFrom(...cycle_end_rules[frequency]).chain(({ type, max }) =>
      fc.record({ cycle_end: fc.integer({ min: 1, max }), spare_days: fc.option(fc.boolean()) }).map(
        ({ cycle_end, spare_days }): CycleSeries => ({
          effective_from,
          frequency,
          cycle_end_type: type,
          cycle_end,
          first_cycle_end: frequency === 'biweekly' ? firstCycleEnd(effective_from, cycle_end, spare_days) : null,
        }),
      ),
    ),
  )

/** One of the two allowed first ends of a biweekly series, or none given */
function firstCycleEnd(start: string, weekday: number, late: boolean | null): string | null {
  if (late === null) return null
  const first = addDays(start, (weekday - weekdayOf(start) + 7) % 7)
  return late ? addDays(first, 7) : first
}

/** Up to three series from a random start, each change at a cycle's first day or, to be strict, at any later day */
const anySettings = anyDate.chain((start) =>
  fc
    .tuple(fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 2 }), fc.option(fc.integer({ min: 0, max: 500 })))
    .chain(([gaps, length]) => {
      const starts = [start]
      for (const gap of gaps) starts.push(addDays(starts.at(-1) ?? start, gap))
      const last_day = length === null ? null : addDays(start, length)
      return fc.tuple(...starts.map(anySeries)).map((series): CycleSettings => ({ series, last_day }))
    }),
)

describe('for any settings', () => {
  const count_max = 60

  test('cycles cover the contract from its start to its last day without gap or overlap', () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        const start = settings.series[0]?.effective_from ?? ''
        const cycles = cyclesFrom(settings, start, count_max)
        assert.equal(cycles[0]?.start_date, start)
        for (const [index, cycle] of cycles.entries()) {
          assert.ok(cycle.start_date <= cycle.end_date)
          assert.ok(cycle.nominal_start_date <= cycle.start_date && cycle.end_date <= cycle.nominal_end_date)
          const before = cycles[index - 1]
          if (before) assert.equal(cycle.start_date, addDays(before.end_date, 1))
        }
        if (cycles.length < count_max) assert.equal(cycles.at(-1)?.end_date, settings.last_day)
      }),
    )
  })

  test('every day of a cycle finds that cycle, and only its first day is a start', () => {
    fc.assert(
      fc.property(anySettings, fc.nat({ max: 200 }), (settings, offset) => {
        const date = addDays(settings.series[0]?.effective_from ?? '', offset)
        const cycle = cycleContaining(settings, date)
        if (!cycle) return
        assert.ok(cycle.start_date <= date && date <= cycle.end_date)
        assert.deepEqual(cycleContaining(settings, cycle.start_date), cycle)
        assert.deepEqual(cycleContaining(settings, cycle.end_date), cycle)
        assert.equal(isCycleStart(settings, date), date === cycle.start_date)
      }),
    )
  })

  test('a nominal cycle has the length its frequency promises and the next one follows it without gap', () => {
    const bounds = { weekly: [7, 7], biweekly: [14, 14], semimonthly: [13, 16], monthly: [28, 35] }
    fc.assert(
      fc.property(anyDate.chain(anySeries), fc.nat({ max: 800 }), (series, offset) => {
        const settings = { series: [series], last_day: null }
        const cycle = cycleContaining(settings, addDays(series.effective_from, offset))
        assert.ok(cycle)
        const next_day = addDays(cycle.nominal_end_date, 1)
        assert.equal(cycleContaining(settings, next_day)?.nominal_start_date, next_day)
        const [least = 0, most = 0] = bounds[series.frequency]
        const days = daysBetween(cycle.nominal_start_date, cycle.nominal_end_date) + 1
        assert.ok(days >= least && days <= most, `${days} days`)
      }),
    )
  })
})
