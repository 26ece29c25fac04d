import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ContractTerms, type ContractType, type TermsChange, termsAt } from '#resources/contracts/index.ts'
import { completeTerms } from '#resources/contracts/terms.ts'
import { type Plan, planAmendment, type Standing, versionsToWrite } from './plan.ts'

const monthly = termsOf('fixed_rate', { amount: '4200.00', frequency: 'monthly' })
const employee = termsOf('employee', { amount: '6500.00' })

function termsOf(type: ContractType, input: TermsChange, start_date = '2026-01-15'): ContractTerms {
  const terms = completeTerms({ type, currency: 'EUR' }, { start_date, ...input })
  if (Array.isArray(terms)) throw new Error(JSON.stringify(terms))
  return terms
}

/** A monthly contract from 2026-01-15 on 2026-03-18: its open cycle is March. */
function standing(options: Partial<Standing> = {}): Standing {
  return {
    type: 'fixed_rate',
    currency: 'EUR',
    start_date: '2026-01-15',
    last_day: null,
    versions: [{ effective_from: '2026-01-15', terms: monthly }],
    approved: [],
    today: '2026-03-18',
    ...options,
  }
}

const employment: Partial<Standing> = {
  type: 'employee',
  versions: [{ effective_from: '2026-01-15', terms: employee }],
}

interface Case {
  name: string
  on?: Partial<Standing>
  terms: TermsChange
  effective_date?: string | null
  stage?: 'draft' | 'signature'
  /** Date and changed fields, or the codes of the refusals. */
  date?: string
  changed?: Record<string, unknown>
  codes?: string[]
  pointer?: string
}

const raise = { amount: '4500.00' }
const weekly = { frequency: 'weekly' } as const
const lateTerms = { ...monthly, amount: '4600.00' }

const cases: Case[] = [
  { name: 'without a date it takes effect on the day of the signature', terms: raise, date: '2026-03-18' },
  { name: 'a day of the open cycle that has passed', terms: raise, effective_date: '2026-03-01', date: '2026-03-01' },
  {
    name: 'a day of a closed cycle',
    terms: raise,
    effective_date: '2026-02-28',
    codes: ['date_out_of_range'],
    pointer: '/effective_date',
  },
  {
    name: 'a second signature after its cycle has closed moves it to the open one',
    terms: raise,
    effective_date: '2026-02-10',
    stage: 'signature',
    date: '2026-03-01',
  },
  { name: '731 days ahead', terms: raise, effective_date: '2028-03-18', date: '2028-03-18' },
  { name: '732 days ahead', terms: raise, effective_date: '2028-03-19', codes: ['date_out_of_range'] },
  {
    name: 'the last day of the contract',
    on: { last_day: '2026-06-30' },
    terms: raise,
    effective_date: '2026-06-30',
    date: '2026-06-30',
  },
  {
    name: 'after the last day of the contract',
    on: { last_day: '2026-06-30' },
    terms: raise,
    effective_date: '2026-07-01',
    codes: ['date_out_of_range'],
  },
  {
    name: 'a contract whose last day has passed, before a timer ended it',
    on: { last_day: '2026-03-17' },
    terms: raise,
    codes: ['date_out_of_range'],
  },
  {
    name: 'a contract that has not begun takes it from its start',
    on: { today: '2026-01-10' },
    terms: raise,
    date: '2026-01-15',
  },
  {
    name: 'before the start of the contract',
    on: { today: '2026-01-10' },
    terms: raise,
    effective_date: '2026-01-14',
    codes: ['date_out_of_range'],
  },
  {
    name: 'an employee contract goes back to its start',
    on: employment,
    terms: { amount: '6600.00' },
    effective_date: '2026-01-15',
    date: '2026-01-15',
  },
  {
    name: 'and no further',
    on: employment,
    terms: { amount: '6600.00' },
    effective_date: '2026-01-14',
    codes: ['date_out_of_range'],
  },
  {
    name: 'an employee contract without a date',
    on: employment,
    terms: { amount: '6600.00' },
    date: '2026-03-18',
    changed: { amount: '6600.00' },
  },
  {
    name: 'cycle terms without a date wait for the next cycle, and what follows is among the changes',
    terms: weekly,
    date: '2026-04-01',
    changed: { scale: 'weekly', frequency: 'weekly', cycle_end_type: 'day_of_week', cycle_end: 7 },
  },
  {
    name: 'cycle terms before the start wait for the start',
    on: { today: '2026-01-10' },
    terms: weekly,
    date: '2026-01-15',
  },
  {
    name: 'cycle terms at the first day of a later cycle',
    terms: weekly,
    effective_date: '2026-06-01',
    date: '2026-06-01',
  },
  {
    name: 'cycle terms at the first day of the open cycle',
    terms: weekly,
    effective_date: '2026-03-01',
    date: '2026-03-01',
  },
  {
    name: 'cycle terms inside a cycle',
    terms: { cycle_end: 15 },
    effective_date: '2026-06-10',
    codes: ['effective_date_not_cycle_start'],
    pointer: '/effective_date',
  },
  {
    name: 'cycle terms that stay as they are bind the date to nothing',
    terms: { frequency: 'monthly', amount: '4500.00' },
    effective_date: '2026-06-10',
    date: '2026-06-10',
    changed: { amount: '4500.00' },
  },
  {
    name: 'cycle terms when no cycle follows',
    on: { last_day: '2026-03-25' },
    terms: weekly,
    codes: ['date_out_of_range'],
  },
  { name: 'the terms in force', terms: { amount: '4200' }, codes: ['nothing_to_change'], pointer: '/terms' },
  {
    name: 'the terms in force, signed',
    terms: { amount: '4200.00' },
    stage: 'signature',
    date: '2026-03-18',
    changed: { amount: '4200.00' },
  },
  {
    name: 'back to the terms in force after an approved change of them',
    on: { approved: [{ effective_date: '2026-07-01', terms: { amount: '5000.00' } }] },
    terms: { amount: '4200.00' },
    effective_date: '2026-08-01',
    date: '2026-08-01',
    changed: { amount: '4200.00' },
  },
  {
    name: 'the same as an approved change, after it',
    on: { approved: [{ effective_date: '2026-07-01', terms: { amount: '5000.00' } }] },
    terms: { amount: '5000.00' },
    effective_date: '2026-08-01',
    codes: ['nothing_to_change'],
  },
  {
    name: 'the date of an approved one',
    on: { approved: [{ effective_date: '2026-07-01', terms: { amount: '5000.00' } }] },
    terms: { job_title: 'Lead' },
    effective_date: '2026-07-01',
    codes: ['effective_date_taken'],
  },
  {
    name: 'an open date has no place among the approved ones yet',
    on: { approved: [{ effective_date: '2026-04-01', terms: { amount: '5000.00' } }] },
    terms: weekly,
    date: '2026-04-01',
  },
  {
    name: 'but the second signature gives it one',
    on: { approved: [{ effective_date: '2026-04-01', terms: { amount: '5000.00' } }] },
    terms: weekly,
    stage: 'signature',
    codes: ['effective_date_taken'],
  },
  {
    name: 'a change that leaves an approved one without its ground',
    on: { approved: [{ effective_date: '2026-07-01', terms: { cycle_end: 20 } }] },
    terms: weekly,
    effective_date: '2026-06-01',
    codes: ['invalid_terms'],
    pointer: '/terms',
  },
  {
    name: 'terms are judged by those in force on the effective date',
    on: { approved: [{ effective_date: '2026-06-01', terms: weekly }] },
    terms: { cycle_end: 5 },
    effective_date: '2026-06-15',
    date: '2026-06-15',
    changed: { cycle_end: 5 },
  },
  {
    name: 'an end in the past',
    terms: { end_date: '2026-03-17' },
    codes: ['date_out_of_range'],
    pointer: '/terms/end_date',
  },
  { name: 'an end today', terms: { end_date: '2026-03-18' }, date: '2026-03-18', changed: { end_date: '2026-03-18' } },
  {
    name: 'an end before the amendment takes effect',
    terms: { end_date: '2026-05-31' },
    effective_date: '2026-06-01',
    codes: ['date_out_of_range'],
    pointer: '/terms/end_date',
  },
  {
    name: 'no end any more',
    on: {
      last_day: '2026-06-30',
      versions: [{ effective_from: '2026-01-15', terms: { ...monthly, end_date: '2026-06-30' } }],
    },
    terms: { end_date: null },
    date: '2026-03-18',
    changed: { end_date: null },
  },
  {
    name: 'terms that do not fit the type',
    terms: { scale: 'hourly' },
    codes: ['invalid_terms'],
    pointer: '/terms/scale',
  },
  { name: 'too many decimals', terms: { amount: '4500.001' }, codes: ['amount_precision'], pointer: '/terms/amount' },
  {
    name: 'several reasons at once',
    terms: { end_date: '2026-01-20', amount: '4500.00' },
    effective_date: '2025-01-01',
    codes: ['date_out_of_range', 'date_out_of_range'],
  },
]

for (const { name, on, terms, effective_date = null, stage = 'draft', date, changed, codes, pointer } of cases) {
  test(name, () => {
    const plan = planAmendment(standing(on), { terms, effective_date }, stage)
    if (codes) {
      assert.ok(Array.isArray(plan), JSON.stringify(plan))
      assert.deepEqual(
        plan.map(({ code }) => code),
        codes,
      )
      if (pointer) assert.equal(plan[0]?.pointer, pointer)
      return
    }
    assert.ok(!Array.isArray(plan), JSON.stringify(plan))
    assert.equal(plan.effective_date, date)
    if (changed) assert.deepEqual(fieldsOf(plan), changed)
  })
}

const fieldsOf = ({ changes }: Plan) => Object.fromEntries(changes.map(({ field, to }) => [field, to]))

test('the latest version from a day or before it is in force, of two for one day the later written', () => {
  const versions = [
    { effective_from: '2026-01-15', terms: monthly },
    { effective_from: '2026-03-10', terms: lateTerms },
    { effective_from: '2026-03-10', terms: { ...monthly, amount: '4700.00' } },
  ]
  const amounts = ['2026-01-01', '2026-03-09', '2026-03-10', '2027-01-01'].map((date) => termsAt(versions, date).amount)
  assert.deepEqual(amounts, ['4200.00', '4200.00', '4700.00', '4700.00'])
})

test('an amendment with an earlier date than another one in force changes its own terms and keeps the other', () => {
  const versions = [
    { effective_from: '2026-01-15', terms: monthly },
    { effective_from: '2026-03-10', terms: lateTerms },
  ]
  const written = versionsToWrite(
    { type: 'fixed_rate', currency: 'EUR', versions },
    { effective_date: '2026-03-01', terms: { job_title: 'Lead' } },
  )
  assert.deepEqual(written, [
    { effective_from: '2026-03-01', terms: { ...monthly, job_title: 'Lead' } },
    { effective_from: '2026-03-10', terms: { ...lateTerms, job_title: 'Lead' } },
  ])
})
