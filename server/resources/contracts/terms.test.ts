import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Currency, currencies, decimalsOf } from '#core/values.ts'
import {
  amendable_terms,
  applyTermsChange,
  type ContractTerms,
  type ContractType,
  completeTerms,
  contract_types,
  cycle_end_types,
  diffTerms,
  frequencies,
  isCycleTerm,
  prorations,
  type Refusal,
  reviseTerms,
  scales,
  type TermsChange,
  type TermsInput,
} from './terms.ts'

const start_date = '2026-03-02'

function accepted(result: ContractTerms | Refusal[]): ContractTerms {
  assert.ok(!Array.isArray(result), JSON.stringify(result))
  return result
}

/** `code pointer` of each refusal; only the field's name where a compensation term is invalid, as most are */
function refused(result: ContractTerms | Refusal[]): string[] {
  assert.ok(Array.isArray(result), 'the terms were accepted')
  for (const { message } of result) assert.match(message, /^(must|is required)/)
  return result.map(({ code, pointer }) => `${code} ${pointer}`.replace('invalid_terms /compensation/', ''))
}

const draft = (type: ContractType, input: Omit<TermsInput, 'start_date'>, currency: Currency = 'EUR') =>
  completeTerms({ type, currency }, { start_date, ...input })

describe('completeTerms fills in', () => {
  test('every default of a fixed rate contract', () => {
    assert.deepEqual(draft('fixed_rate', { amount: '4200', frequency: 'monthly' }), {
      start_date,
      end_date: null,
      job_title: null,
      seniority: null,
      scope_of_work: null,
      special_clause: null,
      notice_period_days: 0,
      amount: '4200.00',
      scale: 'monthly',
      frequency: 'monthly',
      cycle_end_type: 'day_of_month',
      cycle_end: 31,
      first_cycle_end: null,
      payment_due_days: 7,
      pay_before_weekends: false,
      proration: 'calendar_days',
    })
  })

  const cases: [string, ContractType, Omit<TermsInput, 'start_date'>, Partial<ContractTerms>][] = [
    ['the hourly rate', 'pay_as_you_go', { amount: '45', frequency: 'weekly' }, { scale: 'hourly', cycle_end: 7 }],
    [
      'a monthly salary without cycles',
      'employee',
      { amount: '6500' },
      { scale: 'monthly', frequency: null, cycle_end: null },
    ],
    ['no rate on milestones', 'milestone', { frequency: 'monthly' }, { amount: null, scale: null, cycle_end: 31 }],
    [
      'the middle of the month',
      'milestone',
      { frequency: 'semimonthly' },
      { cycle_end_type: 'day_of_month', cycle_end: 15 },
    ],
    [
      'Sunday',
      'milestone',
      { frequency: 'biweekly' },
      { cycle_end_type: 'day_of_week', cycle_end: 7, first_cycle_end: null },
    ],
    [
      'nothing for null',
      'milestone',
      { frequency: 'monthly', amount: null, scale: null, cycle_end: null },
      { cycle_end: 31 },
    ],
  ]
  for (const [name, type, input, expected] of cases) {
    test(`${name}: ${type} ${JSON.stringify(input)}`, () => {
      assert.partialDeepStrictEqual(accepted(draft(type, input)), expected)
    })
  }
})

describe('completeTerms takes', () => {
  const cases: [ContractType, Omit<TermsInput, 'start_date'>][] = [
    ['fixed_rate', { amount: '1', frequency: 'weekly', scale: 'weekly', cycle_end_type: 'day_of_week', cycle_end: 1 }],
    ['fixed_rate', { amount: '1', frequency: 'biweekly', first_cycle_end: '2026-03-08' }],
    ['fixed_rate', { amount: '1', frequency: 'biweekly', first_cycle_end: '2026-03-15' }],
    ['fixed_rate', { amount: '1', frequency: 'biweekly', cycle_end: 1, first_cycle_end: start_date }],
    [
      'pay_as_you_go',
      { amount: '1', frequency: 'monthly', scale: 'daily', cycle_end_type: 'day_of_last_week', cycle_end: 4 },
    ],
    ['employee', { amount: '1', scale: 'yearly', payment_due_days: 30, proration: 'working_days' }],
    ['milestone', { frequency: 'semimonthly', cycle_end: 1, end_date: start_date }],
  ]
  for (const [type, input] of cases) {
    test(`${type} ${JSON.stringify(input)}`, () => {
      const { amount: _, ...others } = input
      assert.partialDeepStrictEqual(accepted(draft(type, input)), others)
    })
  }
})

describe('completeTerms refuses', () => {
  const amount = '1.00'
  const pay_as_you_go = { amount, frequency: 'monthly' } as const
  const cases: [string, ContractType, Omit<TermsInput, 'start_date'>, string[]][] = [
    ['no amount', 'fixed_rate', { frequency: 'monthly' }, ['amount']],
    ['no salary', 'employee', {}, ['amount']],
    ['no frequency', 'fixed_rate', { amount }, ['frequency']],
    ['another scale than the frequency', 'fixed_rate', { ...pay_as_you_go, scale: 'weekly' }, ['scale']],
    ['a monthly rate by timesheet', 'pay_as_you_go', { ...pay_as_you_go, scale: 'monthly' }, ['scale']],
    ['a daily salary', 'employee', { amount, scale: 'daily' }, ['scale']],
    ['a rate on milestones', 'milestone', { ...pay_as_you_go, scale: 'hourly' }, ['amount', 'scale']],
    [
      'cycles of an employee',
      'employee',
      { ...pay_as_you_go, cycle_end: 31, cycle_end_type: 'day_of_month', first_cycle_end: '2026-03-08' },
      ['frequency', 'cycle_end_type', 'cycle_end', 'first_cycle_end'],
    ],
    [
      'a weekday as end of the month',
      'fixed_rate',
      { ...pay_as_you_go, cycle_end_type: 'day_of_week' },
      ['cycle_end_type'],
    ],
    [
      'a last week in half a month',
      'fixed_rate',
      { amount, frequency: 'semimonthly', cycle_end_type: 'day_of_last_week', cycle_end: 5 },
      ['cycle_end_type'],
    ],
    ['the 8th weekday', 'fixed_rate', { amount, frequency: 'weekly', cycle_end: 8 }, ['cycle_end']],
    ['day 16 of half a month', 'milestone', { frequency: 'semimonthly', cycle_end: 16 }, ['cycle_end']],
    ['day 0', 'milestone', { frequency: 'monthly', cycle_end: 0 }, ['cycle_end']],
    [
      'a last week without its weekday',
      'milestone',
      { frequency: 'monthly', cycle_end_type: 'day_of_last_week' },
      ['cycle_end'],
    ],
    [
      'a first end of weekly cycles',
      'milestone',
      { frequency: 'weekly', first_cycle_end: '2026-03-08' },
      ['first_cycle_end'],
    ],
    [
      'an end before the start',
      'milestone',
      { frequency: 'monthly', end_date: '2026-03-01' },
      ['date_out_of_range /end_date'],
    ],
    ['an amount of nothing', 'employee', { amount: '0.00' }, ['validation_failed /compensation/amount']],
    ['no number', 'employee', { amount: '1e3' }, ['validation_failed /compensation/amount']],
    ['a tenth of a cent', 'employee', { amount: '10.005' }, ['amount_precision /compensation/amount']],
  ]
  for (const [name, type, input, expected] of cases) {
    test(`${name}: ${type} ${JSON.stringify(input)}`, () => assert.deepEqual(refused(draft(type, input)), expected))
  }

  for (const first_cycle_end of ['2026-03-01', '2026-03-09', '2026-03-22']) {
    test(`a first biweekly end on ${first_cycle_end}, and names the two possible days`, () => {
      const result = draft('milestone', { frequency: 'biweekly', first_cycle_end })
      assert.deepEqual(refused(result), ['first_cycle_end'])
      assert.match(JSON.stringify(result), /2026-03-08 or 2026-03-15/)
    })
  }

  test('X1: decimals that the currency does not have', () => {
    for (const [amount, currency] of [
      ['10.005', 'EUR'],
      ['1.0', 'JPY'],
      ['1.2345', 'KWD'],
    ] as const) {
      assert.deepEqual(refused(draft('employee', { amount }, currency)), ['amount_precision /compensation/amount'])
    }
  })

  test('all mistakes at once', () => {
    const result = draft('fixed_rate', {
      amount: '1.234',
      frequency: 'weekly',
      cycle_end: 9,
      end_date: '2026-01-01',
      scale: 'daily',
    })
    assert.deepEqual(refused(result).sort(), [
      'amount_precision /compensation/amount',
      'cycle_end',
      'date_out_of_range /end_date',
      'scale',
    ])
  })
})

const monthly = accepted(draft('fixed_rate', { amount: '4200.00', frequency: 'monthly', cycle_end: 25 }))
const fortnightly = accepted(
  draft('pay_as_you_go', { amount: '45.00', frequency: 'biweekly', cycle_end: 5, first_cycle_end: '2026-03-06' }),
)
const salaried = accepted(draft('employee', { amount: '6500.00' }))
const milestones = accepted(draft('milestone', { frequency: 'monthly' }))

describe('applyTermsChange', () => {
  const changed: [string, ContractType, ContractTerms, TermsChange, string[]][] = [
    ['an amount alone', 'fixed_rate', monthly, { amount: '4500' }, ['amount 4200.00 → 4500.00']],
    [
      'a new frequency brings scale and default cycle end',
      'fixed_rate',
      monthly,
      { frequency: 'weekly' },
      [
        'scale monthly → weekly',
        'frequency monthly → weekly',
        'cycle_end_type day_of_month → day_of_week',
        'cycle_end 25 → 7',
      ],
    ],
    [
      'a new frequency with its own cycle end',
      'fixed_rate',
      monthly,
      { frequency: 'semimonthly', cycle_end: 10 },
      ['scale monthly → semimonthly', 'frequency monthly → semimonthly', 'cycle_end 25 → 10'],
    ],
    [
      'the rate by timesheet keeps its scale, the new series forgets its first end',
      'pay_as_you_go',
      fortnightly,
      { frequency: 'weekly' },
      ['frequency biweekly → weekly', 'cycle_end 5 → 7', 'first_cycle_end 2026-03-06 → null'],
    ],
    [
      'a new frequency takes its default end although the kind of end is named',
      'pay_as_you_go',
      fortnightly,
      { frequency: 'weekly', cycle_end_type: 'day_of_week' },
      ['frequency biweekly → weekly', 'cycle_end 5 → 7', 'first_cycle_end 2026-03-06 → null'],
    ],
    [
      'a new frequency forgets the first end although the weekday stays',
      'pay_as_you_go',
      fortnightly,
      { frequency: 'weekly', cycle_end: 5 },
      ['frequency biweekly → weekly', 'first_cycle_end 2026-03-06 → null'],
    ],
    [
      'another weekday begins a new series too',
      'pay_as_you_go',
      fortnightly,
      { cycle_end: 7 },
      ['cycle_end 5 → 7', 'first_cycle_end 2026-03-06 → null'],
    ],
    [
      'the end moves to the last week',
      'fixed_rate',
      monthly,
      { cycle_end_type: 'day_of_last_week', cycle_end: 5 },
      ['cycle_end_type day_of_month → day_of_last_week', 'cycle_end 25 → 5'],
    ],
    ['the same frequency keeps the cycle end', 'fixed_rate', monthly, { frequency: 'monthly' }, []],
    [
      'the same scale and series keep the first end',
      'pay_as_you_go',
      fortnightly,
      { scale: 'hourly', cycle_end: 5 },
      [],
    ],
    ['the same amount written shorter', 'fixed_rate', monthly, { amount: '4200' }, []],
    ['null on what a type does not have', 'milestone', milestones, { amount: null, scale: null }, []],
    [
      'texts and days',
      'employee',
      salaried,
      { job_title: 'Lead', payment_due_days: 30 },
      ['payment_due_days 7 → 30', 'job_title null → Lead'],
    ],
    ['a scale of an employee', 'employee', salaried, { scale: 'yearly' }, ['scale monthly → yearly']],
    ['an end', 'fixed_rate', monthly, { end_date: '2026-12-31' }, ['end_date null → 2026-12-31']],
  ]
  for (const [name, type, before, change, expected] of changed) {
    test(`${name}: ${JSON.stringify(change)}`, () => {
      const after = accepted(applyTermsChange({ type, currency: 'EUR' }, before, change))
      assert.deepEqual(
        diffTerms(before, after).map(({ field, from, to }) => `${field} ${from} → ${to}`),
        expected,
      )
    })
  }

  const refusals: [string, ContractType, ContractTerms, TermsChange, string[]][] = [
    ['a rate on milestones', 'milestone', milestones, { amount: '1.00' }, ['invalid_terms /terms/amount']],
    ['cycles of an employee', 'employee', salaried, { frequency: 'weekly' }, ['invalid_terms /terms/frequency']],
    ['no cycles', 'fixed_rate', monthly, { frequency: null }, ['invalid_terms /terms/frequency']],
    ['no amount', 'fixed_rate', monthly, { amount: null }, ['invalid_terms /terms/amount']],
    ['a scale without its frequency', 'fixed_rate', monthly, { scale: 'weekly' }, ['invalid_terms /terms/scale']],
    [
      'an old weekday for a new kind of end',
      'fixed_rate',
      monthly,
      { cycle_end_type: 'day_of_last_week' },
      ['invalid_terms /terms/cycle_end'],
    ],
    ['a tenth of a cent', 'fixed_rate', monthly, { amount: '1.001' }, ['amount_precision /terms/amount']],
    [
      'an end before the start',
      'fixed_rate',
      monthly,
      { end_date: '2026-03-01' },
      ['date_out_of_range /terms/end_date'],
    ],
  ]
  for (const [name, type, before, change, expected] of refusals) {
    test(`refuses ${name}: ${JSON.stringify(change)}`, () => {
      assert.deepEqual(refused(applyTermsChange({ type, currency: 'EUR' }, before, change)), expected)
    })
  }
})

describe('reviseTerms', () => {
  test('moves a draft to another frequency without naming its cycle end', () => {
    const after = accepted(reviseTerms({ type: 'fixed_rate', currency: 'EUR' }, monthly, { frequency: 'weekly' }))
    assert.partialDeepStrictEqual(after, { scale: 'weekly', cycle_end_type: 'day_of_week', cycle_end: 7 })
  })

  test('sets and clears the first cycle end', () => {
    const later = accepted(
      reviseTerms({ type: 'pay_as_you_go', currency: 'EUR' }, fortnightly, { first_cycle_end: '2026-03-13' }),
    )
    assert.equal(later.first_cycle_end, '2026-03-13')
    assert.equal(
      accepted(reviseTerms({ type: 'pay_as_you_go', currency: 'EUR' }, later, { first_cycle_end: null }))
        .first_cycle_end,
      null,
    )
  })

  test('refuses a start that leaves the first cycle end behind', () => {
    const result = reviseTerms({ type: 'pay_as_you_go', currency: 'EUR' }, fortnightly, { start_date: '2026-04-01' })
    assert.deepEqual(refused(result), ['first_cycle_end'])
  })
})

test('exactly frequency, cycle_end_type and cycle_end begin a new series', () => {
  assert.deepEqual(amendable_terms.filter(isCycleTerm), ['frequency', 'cycle_end_type', 'cycle_end'])
  assert.ok(!isCycleTerm('first_cycle_end'))
})

const optional = <Value>(values: readonly Value[]) => fc.option(fc.constantFrom(...values))
const anyChange = fc.record(
  {
    amount: fc.option(fc.stringMatching(/^[0-9]{1,6}(\.[0-9]{1,3})?$/)),
    scale: optional(scales),
    frequency: optional(frequencies),
    cycle_end_type: optional(cycle_end_types),
    cycle_end: fc.option(fc.integer({ min: 1, max: 31 })),
    proration: fc.constantFrom(...prorations),
    end_date: optional(['2026-03-01', '2026-12-31']),
  },
  { requiredKeys: [] },
)
const anyType = fc.constantFrom(...contract_types)
const anyCurrency = fc.constantFrom(...currencies)

describe('for any terms', () => {
  test('accepted terms are complete: completing them again changes nothing', () => {
    fc.assert(
      fc.property(anyType, anyCurrency, anyChange, (type, currency, input) => {
        const terms = completeTerms({ type, currency }, { start_date, ...input })
        if (!Array.isArray(terms)) assert.deepEqual(completeTerms({ type, currency }, terms), terms)
      }),
      { numRuns: 500 },
    )
  })

  test('an accepted change leads to terms that a new contract could have, with an amount in its currency', () => {
    const current = { fixed_rate: monthly, pay_as_you_go: fortnightly, milestone: milestones, employee: salaried }
    fc.assert(
      fc.property(anyType, anyChange, (type, change) => {
        const after = applyTermsChange({ type, currency: 'EUR' }, current[type], change)
        if (Array.isArray(after)) return
        assert.deepEqual(completeTerms({ type, currency: 'EUR' }, after), after)
        if (after.amount !== null) assert.equal(after.amount.split('.')[1]?.length, decimalsOf('EUR'))
        if (type === 'fixed_rate') assert.equal(after.scale, after.frequency)
        assert.deepEqual(applyTermsChange({ type, currency: 'EUR' }, after, change), after)
      }),
      { numRuns: 500 },
    )
  })
})
