import { hash } from 'node:crypto'
import { dateOutOfRange } from '#core/problems.ts'
import { readerOf } from '#core/resource.ts'
import { type Fields, type RowOf, withInitialValues } from '#core/schema/fields.ts'
import { CalendarDate, MoneyAmount, MoneyInput, MultilineText, Text, Type } from '#core/schema/schema.ts'
import { addDays, businessDate, type Currency, formatMoney, parseMoney, weekdayOf } from '#core/values.ts'

export const contract_types = ['fixed_rate', 'pay_as_you_go', 'milestone', 'employee'] as const
export type ContractType = (typeof contract_types)[number]

export const frequencies = ['weekly', 'biweekly', 'semimonthly', 'monthly'] as const
export type Frequency = (typeof frequencies)[number]

export const cycle_end_types = ['day_of_week', 'day_of_month', 'day_of_last_week'] as const
export type CycleEndType = (typeof cycle_end_types)[number]

/** The terms whose change begins a new series of cycles */
export const cycle_terms = ['frequency', 'cycle_end_type', 'cycle_end'] as const

/** Ways for the cycles of each frequency to end (domain 6.2), its default first; without a `default` the end is given. */
export const cycle_end_rules: Readonly<Record<Frequency, readonly [CycleEndRule, ...CycleEndRule[]]>> = {
  weekly: [{ type: 'day_of_week', max: 7, default: 7 }],
  biweekly: [{ type: 'day_of_week', max: 7, default: 7 }],
  semimonthly: [{ type: 'day_of_month', max: 15, default: 15 }],
  monthly: [
    { type: 'day_of_month', max: 31, default: 31 },
    { type: 'day_of_last_week', max: 7 },
  ],
}

/** `cycle_end` lies in 1…`max`. */
type CycleEndRule = { readonly type: CycleEndType; readonly max: number; readonly default?: number }

export const scales = ['hourly', 'daily', ...frequencies, 'yearly'] as const
export type Scale = (typeof scales)[number]

export const prorations = ['calendar_days', 'working_days'] as const

/** The terms that requests and answers carry in `compensation`; the amount beside its currency is the contract's. */
export const compensation_terms = {
  amount: {
    type: MoneyInput,
    shown: MoneyAmount,
    nullable: true,
    category: 'compensation',
  },
  scale: {
    type: Type.Enum([...scales]),
    nullable: true,
    never_cleared: true,
    about: 'What the amount is for; has a default.',
  },
  frequency: { type: Type.Enum([...frequencies]), nullable: true, about: 'Length of a payment cycle.' },
  cycle_end_type: {
    type: Type.Enum([...cycle_end_types]),
    nullable: true,
    about: 'How cycle_end names the end of a cycle.',
  },
  cycle_end: {
    type: Type.Integer({ minimum: 1, maximum: 31, description: 'Weekday (1 Monday to 7) or day of the month.' }),
    nullable: true,
  },
  first_cycle_end: { type: CalendarDate, nullable: true },
  payment_due_days: {
    type: Type.Integer({
      minimum: 0,
      maximum: 90,
      description: 'Days from the invoice to its due date; default 7.',
    }),
    initial: 7,
  },
  pay_before_weekends: { type: Type.Boolean({ description: 'Weekend due dates move to Friday.' }), initial: false },
  proration: {
    type: Type.Enum([...prorations]),
    about: 'Days that count in a part of a cycle.',
    initial: 'calendar_days',
  },
} as const satisfies Fields

/** The terms that stand beside the head of a contract. */
export const other_terms = {
  start_date: { type: CalendarDate, required: true, example: '2026-01-15' },
  end_date: { type: CalendarDate, nullable: true, about: 'Last day; null: open-ended.' },
  job_title: { type: Text(0, 150, { description: 'Job title in the contract.' }), nullable: true },
  seniority: { type: Text(0, 100, { description: 'Level, such as "senior".' }), nullable: true },
  scope_of_work: { type: MultilineText(0, 20_000, { description: 'What the worker does.' }), nullable: true },
  special_clause: {
    type: MultilineText(0, 20_000, { description: 'Agreed beside the standard terms.' }),
    nullable: true,
  },
  notice_period_days: {
    type: Type.Integer({ minimum: 0, maximum: 365, description: 'Days of notice; recorded, not enforced.' }),
    initial: 0,
    example: 30,
  },
} as const satisfies Fields

const term_fields = { ...compensation_terms, ...other_terms }

/** The terms that both parties sign, complete: defaults filled, `amount` with its currency's decimals ("4200.00") */
export type ContractTerms = Readonly<RowOf<typeof term_fields>>
export type Term = keyof ContractTerms

/** The cast gives the keys their names back. */
const terms = Object.keys(term_fields) as Term[]

/** Terms as a client writes them, in one flat object; types and bounds of single fields are the schema's business */
export type TermsInput = Pick<ContractTerms, 'start_date'> & { readonly [Field in Term]?: ContractTerms[Field] | null }

const { first_cycle_end: _, ...amendable_compensation } = compensation_terms
const { start_date: __, ...amendable_others } = other_terms
/** The terms that may be amended (domain 2.4). */
export const amendable_fields = { ...amendable_compensation, ...amendable_others }

export type AmendableTerm = keyof typeof amendable_fields
/** The cast gives the keys their names back. */
export const amendable_terms = Object.keys(amendable_fields) as AmendableTerm[]
export type TermsChange = Pick<TermsInput, AmendableTerm>

/** The terms of a row without the rest of it, as a version of the terms keeps them. The cast holds because all are read. */
export const termsOf = readerOf(term_fields) as (row: ContractTerms) => ContractTerms

const digested_terms = ['type', 'currency', ...terms].sort().map((name) => [name, { type: Type.Unknown() }])
// All are plain values: in the order of their names their JSON is the canonical one.
const inOrder = readerOf(Object.fromEntries(digested_terms))

/** Names the terms by what they say: the parties' evidence of what they signed. */
export function termsDigest(row: Agreement & ContractTerms): string {
  return hash('sha256', JSON.stringify(inOrder(row)), 'base64url')
}

/** The terms among the given values, in their order. */
export function termsIn(given: object): Term[] {
  // The cast holds for those that are kept.
  return (Object.keys(given) as Term[]).filter((name) => name in term_fields)
}

/** `pointer` leads to the field in the request (RFC 6901); `message` says what to do */
export interface Refusal {
  readonly code: string
  readonly pointer: string
  readonly message: string
}

/** One changed term, as an amendment lists it */
export type TermsDifference = {
  readonly field: AmendableTerm | 'first_cycle_end'
  readonly from: ContractTerms[Term]
  readonly to: ContractTerms[Term]
}

/** Facts that terms are judged by. */
export interface Agreement {
  readonly type: ContractType
  readonly currency: Currency
}

/** Terms of a new contract with their defaults, or every reason why they cannot be (domain 2.3) */
export function completeTerms(of: Agreement, input: TermsInput): ContractTerms | Refusal[] {
  return complete(of, input, contractPointer)
}

/** New terms of a contract that is not signed yet: any term may change, dependent ones follow as in an amendment */
export function reviseTerms(of: Agreement, current: ContractTerms, change: Partial<TermsInput>) {
  return complete(of, merge(of, current, change), contractPointer)
}

/**
 * The terms as an amendment makes them. On fixed_rate `scale` follows `frequency`; a new `frequency` takes its default
 * cycle end unless one is given; new cycle terms begin a new series, so `first_cycle_end` is cleared.
 */
export function applyTermsChange(of: Agreement, current: ContractTerms, change: TermsChange) {
  return complete(of, merge(of, current, change), (field) => `/terms/${field}`)
}

/**
 * Every term but the start that differs, those that follow from another one (`scale`, `cycle_end`, `first_cycle_end`) included; those
 * `told` are listed also where they do not differ
 */
export function diffTerms(before: ContractTerms, after: ContractTerms, told: readonly Term[] = []): TermsDifference[] {
  return terms
    .filter((field) => field !== 'start_date')
    .filter((field) => before[field] !== after[field] || told.includes(field))
    .map((field) => ({ field, from: before[field], to: after[field] }))
}

/** True when a change of `field` begins a new series of cycles and so needs the first day of a cycle */
export function isCycleTerm(field: Term): boolean {
  return cycle_terms.some((term) => term === field)
}

/** The place of a term in a request (RFC 6901). */
export function contractPointer(field: Term): string {
  return field in compensation_terms ? `/compensation/${field}` : `/${field}`
}

const start_before_days_max = 366
const start_ahead_days_max = 731

/** A contract may begin about a year back and two years ahead (domain rules 2.3). */
export function requireStartDate(start_date: string, now: string, timezone: string): void {
  const today = businessDate(now, timezone)
  const first = addDays(today, -start_before_days_max)
  const last = addDays(today, start_ahead_days_max)
  if (start_date >= first && start_date <= last) return
  const message = `must be from ${first} to ${last}: ${start_before_days_max} days back and ${start_ahead_days_max} ahead at most`
  throw dateOutOfRange(undefined, { errors: [{ pointer: '/start_date', message }] })
}

/** The terms that each type of contract has (domain 2.3); the first scale is its default. */
const terms_of_types: Readonly<Record<ContractType, { amount: boolean; cycles: boolean; scales: readonly Scale[] }>> = {
  fixed_rate: { amount: true, cycles: true, scales: frequencies },
  pay_as_you_go: { amount: true, cycles: true, scales: ['hourly', 'daily'] },
  milestone: { amount: false, cycles: true, scales: [] },
  employee: { amount: true, cycles: false, scales: ['monthly', 'hourly', 'yearly'] },
}

/** Notes why a term cannot be; null stands in its place. */
type Refuse = (field: Term, message: string, code?: string) => null

function complete(of: Agreement, input: TermsInput, pointerTo: (field: Term) => string): ContractTerms | Refusal[] {
  const refusals: Refusal[] = []
  const refuse: Refuse = (field, message, code = 'invalid_terms') => {
    refusals.push({ code, pointer: pointerTo(field), message })
    return null
  }
  const cycles = terms_of_types[of.type].cycles ? cyclesOf(of, input, refuse) : withoutCycles(input, refuse)
  const completed: ContractTerms = {
    ...withInitialValues(term_fields, input),
    end_date: endDateOf(input, refuse),
    amount: amountOf(of, input, refuse),
    scale: scaleOf(of, cycles.frequency, input, refuse),
    ...cycles,
  }
  return refusals.length === 0 ? completed : refusals
}

/** No agreement is made for longer; a date beyond it is a slip. */
const years_max = 100

function endDateOf({ start_date, end_date = null }: TermsInput, refuse: Refuse): string | null {
  if (end_date === null) return null
  // Compared as dates: the text of a year beyond 9999 sorts before that of others.
  const last = Temporal.PlainDate.from(start_date).add({ years: years_max })
  if (Temporal.PlainDate.compare(end_date, last) > 0) {
    refuse('end_date', `must not be after ${last}, ${years_max} years after start_date`, 'date_out_of_range')
  }
  if (end_date < start_date) refuse('end_date', `must not be before start_date, ${start_date}`, 'date_out_of_range')
  return end_date
}

function amountOf({ type, currency }: Agreement, { amount = null }: TermsInput, refuse: Refuse): string | null {
  if (!terms_of_types[type].amount) {
    return amount && refuse('amount', 'must be left out: milestones are paid by invoice adjustments')
  }
  if (amount === null) return refuse('amount', `is required for a contract of type ${type}`)
  const money = parseMoney(amount, currency)
  if ('code' in money) return refuse('amount', money.message, money.code)
  if (money.minor === 0n) return refuse('amount', 'must be greater than zero', 'validation_failed')
  return formatMoney(money.minor, currency)
}

function scaleOf({ type }: Agreement, frequency: Frequency | null, { scale = null }: TermsInput, refuse: Refuse) {
  const allowed = type === 'fixed_rate' && frequency ? [frequency] : terms_of_types[type].scales
  if (scale === null) return allowed[0] ?? null
  if (allowed.includes(scale)) return scale
  if (type === 'milestone') return refuse('scale', 'must be left out: a contract of type milestone has no rate')
  if (type === 'fixed_rate') return refuse('scale', `must be left out or equal frequency, ${allowed.join(' or ')}`)
  return refuse('scale', `must be ${allowed.join(' or ')} for a contract of type ${type}`)
}

type CycleTerms = Pick<ContractTerms, (typeof cycle_terms)[number] | 'first_cycle_end'>
const no_cycles: CycleTerms = { frequency: null, cycle_end_type: null, cycle_end: null, first_cycle_end: null }

function withoutCycles(input: TermsInput, refuse: Refuse): CycleTerms {
  for (const field of [...cycle_terms, 'first_cycle_end'] as const) {
    if ((input[field] ?? null) !== null) refuse(field, 'must be left out: an employee contract has no payment cycles')
  }
  return no_cycles
}

function cyclesOf({ type }: Agreement, input: TermsInput, refuse: Refuse): CycleTerms {
  const { frequency = null, cycle_end_type: wanted = null } = input
  if (frequency === null) {
    refuse('frequency', `is required for a contract of type ${type}: ${frequencies.join(', ')}`)
    return no_cycles
  }
  const rule = cycleEndRule(frequency, wanted)
  if (!rule) {
    const types = cycle_end_rules[frequency].map((each) => each.type)
    refuse('cycle_end_type', `must be ${types.join(' or ')} with frequency ${frequency}`)
    return { ...no_cycles, frequency }
  }
  const cycle_end_type = rule.type
  const cycle_end = input.cycle_end ?? rule.default ?? 0
  if (cycle_end < 1 || cycle_end > rule.max) {
    const days =
      rule.type === 'day_of_month' ? `a day from 1 to ${rule.max}` : 'a weekday from 1 (Monday) to 7 (Sunday)'
    refuse('cycle_end', `must be ${days} with frequency ${frequency} and cycle_end_type ${cycle_end_type}`)
    return { ...no_cycles, frequency }
  }
  return { frequency, cycle_end_type, cycle_end, first_cycle_end: firstCycleEndOf(cycle_end, input, refuse) }
}

/** The way a cycle ends, by default the first of its frequency; undefined for one that the frequency does not have */
function cycleEndRule(frequency: Frequency, wanted: CycleEndType | null): CycleEndRule | undefined {
  return cycle_end_rules[frequency].find(({ type }) => wanted === null || wanted === type)
}

function firstCycleEndOf(cycle_end: number, input: TermsInput, refuse: Refuse): string | null {
  const { start_date, frequency, first_cycle_end = null } = input
  if (first_cycle_end === null) return null
  if (frequency !== 'biweekly') {
    return refuse('first_cycle_end', 'must be left out: only cycles of frequency biweekly need it')
  }
  const first = addDays(start_date, (cycle_end - weekdayOf(start_date) + 7) % 7)
  const second = addDays(first, 7)
  if (first_cycle_end === first || first_cycle_end === second) return first_cycle_end
  const span = `cycle_end ${cycle_end} in the fortnight from start_date`
  return refuse('first_cycle_end', `must be ${first} or ${second}: ${span}`)
}

/**
 * `current` with `change`: an absent term stays unless its old value no longer fits, `null` takes the default. That of a
 * cycle's end is looked up here already: where it is in force, it begins no new series.
 */
function merge({ type }: Agreement, current: ContractTerms, change: Partial<TermsInput>): TermsInput {
  const { frequency = current.frequency } = change
  const new_frequency = frequency !== current.frequency
  const { scale = type === 'fixed_rate' && new_frequency ? null : current.scale } = change
  const { cycle_end_type: wanted = new_frequency ? null : current.cycle_end_type } = change
  const rule = frequency === null || new_frequency ? undefined : cycleEndRule(frequency, wanted)
  const cycle_end_type = rule?.type ?? wanted
  const new_end = new_frequency || cycle_end_type !== current.cycle_end_type
  const { cycle_end: end = new_end ? null : current.cycle_end } = change
  const cycle_end = end ?? rule?.default ?? null
  const same_series = !new_end && cycle_end === current.cycle_end
  const { first_cycle_end = same_series ? current.first_cycle_end : null } = change
  return { ...current, ...change, scale, cycle_end_type, cycle_end, first_cycle_end }
}
