import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  applyTermsChange,
  type ContractTerms,
  type ContractType,
  completeTerms,
  diffTerms,
  type TermsChange,
  type TermsInput,
} from './terms.ts'

/** A term that was agreed takes its default when `null` is sent (domain 1.1 and 6.2). */

function draft(type: ContractType, input: Omit<TermsInput, 'start_date'>): ContractTerms {
  const terms = completeTerms({ type, currency: 'EUR' }, { start_date: '2026-03-02', ...input })
  assert.ok(!Array.isArray(terms), JSON.stringify(terms))
  return terms
}

const monthly = draft('fixed_rate', { amount: '4200.00', frequency: 'monthly', cycle_end: 25 })
const last_friday = { cycle_end_type: 'day_of_last_week', cycle_end: 5 } as const
const daily = draft('pay_as_you_go', { amount: '300.00', frequency: 'monthly', scale: 'daily', ...last_friday })
const sundays = draft('milestone', { frequency: 'biweekly', first_cycle_end: '2026-03-08' })
const salaried = draft('employee', { amount: '6500.00' })

const cases: [string, ContractType, ContractTerms, TermsChange, string[]][] = [
  [
    'the cycle end takes its default',
    'pay_as_you_go',
    daily,
    { cycle_end_type: null, cycle_end: null },
    ['cycle_end_type day_of_last_week → day_of_month', 'cycle_end 5 → 31'],
  ],
  [
    'the kind of end takes its default, for which the old weekday does not fit',
    'pay_as_you_go',
    daily,
    { cycle_end_type: null },
    ['cycle_end_type day_of_last_week → day_of_month', 'cycle_end 5 → 31'],
  ],
  ['the day takes its default', 'fixed_rate', monthly, { cycle_end: null }, ['cycle_end 25 → 31']],
  ['a default kind of end that is in force keeps its day', 'fixed_rate', monthly, { cycle_end_type: null }, []],
  [
    'defaults in force keep the series and its first end',
    'milestone',
    sundays,
    { cycle_end_type: null, cycle_end: null },
    [],
  ],
  ['the scale takes its default', 'pay_as_you_go', daily, { scale: null }, ['scale daily → hourly']],
  [
    'a new frequency brings its own defaults',
    'fixed_rate',
    monthly,
    { frequency: 'semimonthly', scale: null, cycle_end_type: null, cycle_end: null },
    ['scale monthly → semimonthly', 'frequency monthly → semimonthly', 'cycle_end 25 → 15'],
  ],
  ['an employee has no cycles', 'employee', salaried, { frequency: null, cycle_end: null }, []],
]
for (const [name, type, before, change, expected] of cases) {
  test(`${name}: ${JSON.stringify(change)}`, () => {
    const after = applyTermsChange({ type, currency: 'EUR' }, before, change)
    assert.ok(!Array.isArray(after), JSON.stringify(after))
    assert.deepEqual(
      diffTerms(before, after).map(({ field, from, to }) => `${field} ${from} → ${to}`),
      expected,
    )
  })
}

test('the weekday of a last week has no default and has to be given', () => {
  const refusals = applyTermsChange({ type: 'pay_as_you_go', currency: 'EUR' }, daily, { cycle_end: null })
  assert.ok(Array.isArray(refusals))
  assert.deepEqual(
    refusals.map(({ code, pointer }) => `${code} ${pointer}`),
    ['invalid_terms /terms/cycle_end'],
  )
})
