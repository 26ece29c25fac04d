import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, type Currency } from '#core/values.ts'
import { type Cycle, type CycleSeries, cyclesFrom } from '#resources/contracts/index.ts'
import { type Adjustment, composeInvoice, fixedLines, type Taxation, type Timesheet } from './compose.ts'

const month = (first: string, end: string, from = first): Cycle => ({
  ...{ start_date: from, end_date: end, nominal_start_date: first, nominal_end_date: end },
})
const january = month('2026-01-01', '2026-01-31')
const february = month('2026-02-01', '2026-02-28')
const march = month('2026-03-01', '2026-03-31')
const biweekly: Cycle = {
  ...{
    start_date: '2026-02-02',
    end_date: '2026-02-13',
    nominal_start_date: '2026-01-31',
    nominal_end_date: '2026-02-13',
  },
}

type Terms = [effective_from: string, amount: string]
interface Vector {
  cycle: Cycle
  terms: Terms[]
  currency?: Currency
  working?: true
  lines: string[]
  /** Their sum, where the page gives it. */
  total?: string
}

/** Domain rules 6.5, P1–P6. */
const proration: Record<string, Vector> = {
  'P1: the first part of a month': {
    cycle: { ...january, start_date: '2026-01-15' },
    terms: [['2026-01-15', '4200.00']],
    lines: ['2026-01-15..2026-01-31 2303.23'],
  },
  'P2: a raise within a month': {
    cycle: february,
    terms: [
      ['2026-01-15', '4200.00'],
      ['2026-02-16', '4500.00'],
    ],
    lines: ['2026-02-01..2026-02-15 2250.00', '2026-02-16..2026-02-28 2089.29'],
  },
  'P3: by calendar days': {
    cycle: march,
    terms: [
      ['2026-01-01', '3000.00'],
      ['2026-03-16', '3600.00'],
    ],
    lines: ['2026-03-01..2026-03-15 1451.61', '2026-03-16..2026-03-31 1858.06'],
    total: '3309.67',
  },
  'P3: by working days': {
    cycle: march,
    terms: [
      ['2026-01-01', '3000.00'],
      ['2026-03-16', '3600.00'],
    ],
    working: true,
    lines: ['2026-03-01..2026-03-15 1363.64', '2026-03-16..2026-03-31 1963.64'],
    total: '3327.28',
  },
  'P4: by calendar days': {
    cycle: biweekly,
    terms: [['2026-02-02', '21000.00']],
    currency: 'DKK',
    lines: ['2026-02-02..2026-02-13 18000.00'],
  },
  'P4: by working days': {
    cycle: biweekly,
    terms: [['2026-02-02', '21000.00']],
    currency: 'DKK',
    working: true,
    lines: ['2026-02-02..2026-02-13 21000.00'],
  },
  'P5: a Saturday by calendar days': {
    cycle: { ...january, start_date: '2026-01-31' },
    terms: [['2026-01-31', '3000.00']],
    lines: ['2026-01-31..2026-01-31 96.77'],
  },
  'P5: a Saturday by working days is no line': {
    cycle: { ...january, start_date: '2026-01-31' },
    terms: [['2026-01-31', '3000.00']],
    working: true,
    lines: [],
  },
  'P6: three decimals': {
    cycle: month('2026-02-01', '2026-02-28', '2026-02-03'),
    terms: [['2026-02-03', '950.500']],
    currency: 'KWD',
    lines: ['2026-02-03..2026-02-28 882.607'],
  },
  'P6: no decimals': {
    cycle: { ...march, end_date: '2026-03-20' },
    terms: [['2026-02-01', '1850000']],
    currency: 'CLP',
    lines: ['2026-03-01..2026-03-20 1193548'],
  },
  'P6: a third of yen': {
    cycle: month('2026-02-01', '2026-02-28', '2026-02-19'),
    terms: [['2026-02-19', '300000']],
    currency: 'JPY',
    lines: ['2026-02-19..2026-02-28 107143'],
  },
  'terms of the same amount are one stretch': {
    cycle: february,
    terms: [
      ['2026-01-15', '4200.00'],
      ['2026-02-10', '4200.00'],
      ['2026-02-16', '4500.00'],
      ['2026-02-20', '4500.00'],
    ],
    lines: ['2026-02-01..2026-02-15 2250.00', '2026-02-16..2026-02-28 2089.29'],
  },
}

const untaxed: Taxation = { currency: 'EUR', vat_rate: null, reverse_charge: false }
const fixedOf = (cycle: Cycle, terms: Terms[], currency: Currency, working = false) =>
  fixedLines(
    { ...cycle, id: 'cycle' },
    {
      ...{ currency, title: 'Work' },
      versions: terms.map(([effective_from, amount]) => ({
        effective_from,
        terms: { amount, proration: working ? 'working_days' : 'calendar_days' },
      })),
    },
  )

for (const [name, { cycle, terms, currency = 'EUR', working, lines, total }] of Object.entries(proration)) {
  test(name, () => {
    const fixed = fixedOf(cycle, terms, currency, working)
    const made = composeInvoice({ ...untaxed, currency }, { fixed, timesheets: [], adjustments: [] })
    assert.deepEqual(
      made.lines.map(({ period_start, period_end, amount }) => `${period_start}..${period_end} ${amount}`),
      lines,
    )
    if (total) assert.equal(made.total, total)
  })
}

let made = 0
const timesheet = (total_amount: string, currency: Currency = 'EUR', more: Partial<Timesheet> = {}): Timesheet => {
  made += 1
  const day = { start_date: '2026-03-02', end_date: '2026-03-02' }
  return {
    id: `t${made}`,
    ...day,
    quantity: '1',
    rate: total_amount,
    total_amount,
    currency,
    description: 'Work',
    ...more,
  }
}
const adjustment = (type: Adjustment['type'], amount: string, more: Partial<Adjustment> = {}): Adjustment => {
  made += 1
  const is_taxable = type !== 'expense'
  return { id: `a${made}`, type, amount, date: '2026-03-02', currency: 'EUR', description: type, is_taxable, ...more }
}

interface Taxed {
  work: Timesheet[]
  adjustments?: Adjustment[]
  vat_rate: string | null
  reverse_charge?: true
  expect: Record<string, unknown>
}

/** Domain rules 6.5, P1 and V1–V3. */
const taxes: Record<string, Taxed> = {
  'P1: VAT of a part of a month': {
    work: [timesheet('2303.23')],
    vat_rate: '19',
    expect: { vat_total: '437.61', total: '2740.84' },
  },
  'V1: half a cent goes up': { work: [timesheet('100.25')], vat_rate: '10', expect: { vat_total: '10.03' } },
  'V1: half a cent of a small amount': { work: [timesheet('10.50')], vat_rate: '5', expect: { vat_total: '0.53' } },
  'V1: a rate of three decimals': {
    work: [timesheet('33.33', 'CAD')],
    vat_rate: '9.975',
    expect: { vat_total: '3.32' },
  },
  'V1: half a yen': { work: [timesheet('1505', 'JPY')], vat_rate: '10', expect: { vat_total: '151' } },
  'V2: once per invoice, not per line': {
    work: [timesheet('0.50'), timesheet('0.50'), timesheet('0.50')],
    vat_rate: '19',
    expect: { vat_total: '0.29', total: '1.79' },
  },
  'V3: a taxable deduction and an untaxed expense': {
    work: [timesheet('1000.00')],
    adjustments: [adjustment('deduction', '100.00'), adjustment('expense', '50.00')],
    vat_rate: '19',
    expect: { subtotal: '950.00', taxable_base: '900.00', vat_total: '171.00', total: '1121.00' },
  },
  'reverse charge makes VAT zero': {
    work: [timesheet('1000.00')],
    vat_rate: '19',
    reverse_charge: true,
    expect: { taxable_base: '1000.00', vat_total: '0.00', total: '1000.00' },
  },
  'no rate is no VAT': { work: [timesheet('1000.00')], vat_rate: null, expect: { vat_total: '0.00' } },
}

for (const [name, { work, adjustments = [], vat_rate, reverse_charge = false, expect }] of Object.entries(taxes)) {
  test(name, () => {
    const currency = work[0]?.currency ?? 'EUR'
    const sources = { fixed: [], timesheets: work, adjustments }
    assert.partialDeepStrictEqual(composeInvoice({ currency, vat_rate, reverse_charge }, sources), expect)
  })
}

test('V3: deductions are taken whole in the order of their dates, and wait where there is no room', () => {
  const usd = { currency: 'USD' } as const
  const adjustments = [
    adjustment('deduction', '400.00', { ...usd, id: 'third', date: '2026-03-20' }),
    adjustment('deduction', '2000.00', { ...usd, id: 'first', date: '2026-03-10' }),
    adjustment('deduction', '800.00', { ...usd, id: 'second', date: '2026-03-12' }),
    adjustment('milestone', '2500.00', { ...usd, id: 'milestone', date: '2026-03-31' }),
  ]
  const made = composeInvoice({ ...untaxed, ...usd }, { fixed: [], timesheets: [], adjustments })
  assert.deepEqual(
    made.lines.map(({ source_id, amount }) => [source_id, amount]),
    [
      ['milestone', '2500.00'],
      ['first', '-2000.00'],
      ['third', '-400.00'],
    ],
  )
  assert.deepEqual([made.deferred_adjustment_ids, made.total], [['second'], '100.00'])
})

test('a taxable deduction waits where only untaxed lines give room', () => {
  const adjustments = [adjustment('expense', '50.00'), adjustment('deduction', '10.00', { id: 'waits' })]
  const made = composeInvoice(untaxed, { fixed: [], timesheets: [], adjustments })
  assert.deepEqual([made.deferred_adjustment_ids, made.total], [['waits'], '50.00'])
})

test('lines stand in their order: fixed, timesheets by end, adjustments by date, deductions', () => {
  const fixed = fixedOf(march, [['2026-01-01', '3000.00']], 'EUR')
  const timesheets = [
    timesheet('2.00', 'EUR', { id: 't2', end_date: '2026-03-09' }),
    timesheet('1.00', 'EUR', { id: 't1', end_date: '2026-03-06' }),
    timesheet('0.00', 'EUR', { id: 'nothing' }),
  ]
  const adjustments = [
    adjustment('deduction', '5.00', { id: 'd', date: '2026-03-01' }),
    adjustment('bonus', '4.00', { id: 'b2', date: '2026-03-08' }),
    adjustment('other', '3.00', { id: 'b1', date: '2026-03-08' }),
  ]
  const { lines } = composeInvoice(untaxed, { fixed, timesheets, adjustments })
  assert.deepEqual(
    lines.map(({ source_id }) => source_id),
    ['cycle', 't1', 't2', 'b1', 'b2', 'd'],
  )
})

test('an invoice of two currencies is refused by the arithmetic itself', () => {
  const sources = { fixed: [], timesheets: [timesheet('1.00', 'USD')], adjustments: [] }
  assert.throws(() => composeInvoice(untaxed, sources), /is in USD, not in EUR/)
})

const amounts = fc
  .integer({ min: 0, max: 9_999_999 })
  .map((minor) => `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`)
const types = fc.constantFrom('bonus', 'expense', 'deduction', 'other')
const some = fc.array(fc.record({ type: types, amount: amounts, is_taxable: fc.boolean() }), { maxLength: 12 })

test('sums are those of the lines and never negative, and every deduction is taken or deferred (invariant 9)', () => {
  fc.assert(
    fc.property(some, fc.constantFrom(null, '19', '9.975', '100'), (given, vat_rate) => {
      const adjustments = given.map(({ type, ...more }) => adjustment(type, more.amount, more))
      const invoice = composeInvoice({ ...untaxed, vat_rate }, { fixed: [], timesheets: [], adjustments })
      const cents = (text: string) => Number(text.replace('.', ''))
      const sum = (lines: { amount: string }[]) => lines.reduce((all, { amount }) => all + cents(amount), 0)
      assert.equal(cents(invoice.subtotal), sum(invoice.lines))
      assert.equal(cents(invoice.taxable_base), sum(invoice.lines.filter(({ is_taxable }) => is_taxable)))
      assert.equal(cents(invoice.total), cents(invoice.subtotal) + cents(invoice.vat_total))
      assert.ok(cents(invoice.subtotal) >= 0 && cents(invoice.taxable_base) >= 0)
      const taken = new Set([...invoice.lines.map(({ source_id }) => source_id), ...invoice.deferred_adjustment_ids])
      const expected = adjustments.filter(({ amount, id }) => cents(amount) > 0 || taken.has(id)).map(({ id }) => id)
      assert.deepEqual([...taken].sort(), expected.sort())
    }),
  )
})

test('the parts of a cycle that was cut by an amendment of nothing are the whole, to a unit per part', () => {
  const series: CycleSeries = {
    ...{ effective_from: '2026-01-01', frequency: 'monthly', cycle_end_type: 'day_of_month', cycle_end: 31 },
    first_cycle_end: null,
  }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 99_999_999 }), (days, minor) => {
      const [cycle] = cyclesFrom({ series: [series], last_day: null }, addDays('2026-01-01', days), 1)
      assert.ok(cycle)
      const [whole] = fixedOf(
        cycle,
        [['2026-01-01', `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`]],
        'EUR',
      )
      assert.equal(Number(whole?.amount.replace('.', '')), minor)
    }),
  )
})
