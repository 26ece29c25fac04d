import { readerOf } from '#core/resource.ts'
import { type Fields, type RowOf, withInitialValues } from '#core/schema/fields.ts'
import { CalendarDate, MoneyAmount, MoneyInput, MultilineText, Text, Type } from '#core/schema/schema.ts'
import {
  addDays,
  businessDate,
  type Currency,
  formatMoney,
  type MoneyRefusal,
  parseMoney,
  weekdayOf,
} from '#core/values.ts'

export const contract_types = ['fixed_rate', 'pay_as_you_go', 'milestone', 'employee'] as const
export type ContractType = (typeof contract_types)[number]

export const frequencies = ['weekly', 'biweekly', 'semimonthly', 'monthly'] as const
export type Frequency = (typeof frequencies)[number]

export const cycle_end_types = ['day_of_week', 'day_of_month', 'day_of_last_week'] as const
export type CycleEndType = (typeof cycle_end_types)[number]

/** The terms whose change begins a new series of cycles */
export const cycle_terms = ['frequency', 'cycle_end_type', 'cycle_end'] as const

/** One way for a cycle to end: `cycle_end` lies in 1…`max`; without a `default` it has to be given */
export type CycleEndRule = { readonly type: CycleEndType; readonly max: number; readonly default?: number }

/** Ends of cycles that each frequency allows (domain 6.2); the first is its default */
export const cycle_end_rules: Readonly<Record<Frequency, readonly [CycleEndRule, ...CycleEndRule[]]>> = {
  weekly: [{ type: 'day_of_week', max: 7, default: 7 }],
  biweekly: [{ type: 'day_of_week', max: 7, default: 7 }],
  semimonthly: [{ type: 'day_of_month', max: 15, default: 15 }],
  monthly: [
    { type: 'day_of_month', max: 31, default: 31 },
    { type: 'day_of_last_week', max: 7 },
  ],
}

/** The way a cycle ends, by default the first of its frequency; undefined for one that the frequency does not have */
export function cycleEndRule(frequency: Frequency, type: CycleEndType | null = null): CycleEndRule | undefined {
  const rules = cycle_end_rules[frequency]
  return type === null ? rules[0] : rules.find((rule) => rule.type === type)
}

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
const terms_but_start = terms.filter((term) => term !== 'start_date')

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

/** The terms among the given values, by column. */
export function termsIn<Given extends object>(given: Given): Pick<Given, Extract<keyof Given, Term>> {
  // The cast holds because what is left out is no term.
  return Object.fromEntries(Object.entries(given).filter(([name]) => name in term_fields)) as typeof given
}

/** The given values that are no terms, by column. */
export function withoutTerms<Given extends object>(given: Given): Omit<Given, Term> {
  // The cast holds because only terms are left out.
  return Object.fromEntries(Object.entries(given).filter(([name]) => !(name in term_fields))) as Omit<Given, Term>
}

/** `pointer` leads to the field in the request (RFC 6901); `message` says what to do */
export type TermsRefusal = {
  readonly code: 'invalid_terms' | 'date_out_of_range' | MoneyRefusal['code']
  readonly pointer: string
  readonly message: string
}

/** One changed term, as an amendment lists it */
export type TermsDifference = {
  readonly field: AmendableTerm | 'first_cycle_end'
  readonly from: ContractTerms[Term]
  readonly to: ContractTerms[Term]
}

/** Terms of a new contract with their defaults, or every reason why they cannot be (domain 2.3) */
export function completeTerms(
  type: ContractType,
  currency: Currency,
  input: TermsInput,
): ContractTerms | TermsRefusal[] {
  return complete(type, currency, input, contractPointer)
}

/** New terms of a contract that is not signed yet: any term may change, dependent ones follow as in an amendment */
export function reviseTerms(
  type: ContractType,
  currency: Currency,
  current: ContractTerms,
  change: Partial<TermsInput>,
): ContractTerms | TermsRefusal[] {
  return complete(type, currency, merge(type, current, change), contractPointer)
}

/**
 * The terms as an amendment makes them. On fixed_rate `scale` follows `frequency`; a new `frequency` takes its default
 * cycle end unless one is given; new cycle terms begin a new series, so `first_cycle_end` is cleared.
 */
export function applyTermsChange(
  type: ContractType,
  currency: Currency,
  current: ContractTerms,
  change: TermsChange,
): ContractTerms | TermsRefusal[] {
  return complete(type, currency, merge(type, current, change), (field) => `/terms/${field}`)
}

/**
 * Every term but the start that differs, those that follow from another one (`scale`, `cycle_end`, `first_cycle_end`) included; those
 * `told` are listed also where they do not differ
 */
export function diffTerms(before: ContractTerms, after: ContractTerms, told: readonly Term[] = []): TermsDifference[] {
  return terms_but_start
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
export function startDateRefusals(start_date: string, now: string, timezone: string): TermsRefusal[] {
  const business_date = businessDate(now, timezone)
  const earliest = addDays(business_date, -start_before_days_max)
  const latest = addDays(business_date, start_ahead_days_max)
  if (start_date >= earliest && start_date <= latest) return []
  return [{ code: 'date_out_of_range', pointer: '/start_date', message: `must be from ${earliest} to ${latest}` }]
}

type Refuse = (field: Term, message: string, code?: TermsRefusal['code']) => void

function complete(
  type: ContractType,
  currency: Currency,
  input: TermsInput,
  pointerTo: (field: Term) => string,
): ContractTerms | TermsRefusal[] {
  const refusals: TermsRefusal[] = []
  const refuse: Refuse = (field, message, code = 'invalid_terms') => {
    refusals.push({ code, pointer: pointerTo(field), message })
  }
  const cycles = cycleTermsOf(type, input, refuse)
  const completed: ContractTerms = {
    ...withInitialValues(term_fields, input),
    end_date: endDateOf(input, refuse),
    amount: amountOf(type, currency, input, refuse),
    scale: scaleOf(type, cycles.frequency, input, refuse),
    ...cycles,
  }
  return refusals.length === 0 ? completed : refusals
}

/** No agreement is made for longer; a date beyond it is a slip. */
const years_max = 100

function endDateOf({ start_date, end_date = null }: TermsInput, refuse: Refuse): string | null {
  // Compared as dates: the text of a year beyond 9999 sorts before that of others.
  const latest = Temporal.PlainDate.from(start_date).add({ years: years_max })
  if (end_date !== null && Temporal.PlainDate.compare(end_date, latest) > 0) {
    refuse('end_date', `must not be after ${latest}, ${years_max} years after start_date`, 'date_out_of_range')
  }
  if (end_date !== null && end_date < start_date) {
    refuse('end_date', `must not be before start_date, ${start_date}`, 'date_out_of_range')
  }
  return end_date
}

function amountOf(type: ContractType, currency: Currency, { amount = null }: TermsInput, refuse: Refuse) {
  if (type === 'milestone') {
    if (amount !== null) refuse('amount', 'must be left out: milestones are paid by invoice adjustments')
    return null
  }
  if (amount === null) {
    refuse('amount', `is required for a contract of type ${type}`)
    return null
  }
  const money = parseMoney(amount, currency)
  if ('code' in money) {
    refuse('amount', money.message, money.code)
    return null
  }
  if (money.minor === 0n) refuse('amount', 'must be greater than zero', 'validation_failed')
  return formatMoney(money.minor, currency)
}

/** The scales a type of contract can be paid by; the first is its default */
function allowedScales(type: ContractType, frequency: Frequency | null): readonly Scale[] {
  switch (type) {
    case 'fixed_rate':
      return frequency === null ? frequencies : [frequency]
    case 'pay_as_you_go':
      return ['hourly', 'daily']
    case 'milestone':
      return []
    case 'employee':
      return ['monthly', 'hourly', 'yearly']
  }
}

function scaleOf(type: ContractType, frequency: Frequency | null, { scale = null }: TermsInput, refuse: Refuse) {
  const allowed = allowedScales(type, frequency)
  if (scale === null) return allowed[0] ?? null
  if (allowed.includes(scale)) return scale
  if (type === 'milestone') refuse('scale', 'must be left out: a contract of type milestone has no rate')
  else if (type === 'fixed_rate') refuse('scale', `must be left out or equal frequency, ${allowed.join(' or ')}`)
  else refuse('scale', `must be ${allowed.join(' or ')} for a contract of type ${type}`)
  return null
}

type CycleEnd = Pick<ContractTerms, 'cycle_end_type' | 'cycle_end' | 'first_cycle_end'>
const no_cycle_end: CycleEnd = { cycle_end_type: null, cycle_end: null, first_cycle_end: null }

function cycleTermsOf(
  type: ContractType,
  input: TermsInput,
  refuse: Refuse,
): CycleEnd & Pick<ContractTerms, 'frequency'> {
  if (type === 'employee') {
    for (const field of [...cycle_terms, 'first_cycle_end'] as const) {
      if ((input[field] ?? null) !== null) refuse(field, 'must be left out: an employee contract has no payment cycles')
    }
    return { frequency: null, ...no_cycle_end }
  }
  const frequency = input.frequency ?? null
  if (frequency === null) {
    refuse('frequency', `is required for a contract of type ${type}: ${frequencies.join(', ')}`)
    return { frequency, ...no_cycle_end }
  }
  return { frequency, ...cycleEndOf(frequency, input, refuse) }
}

function cycleEndOf(frequency: Frequency, input: TermsInput, refuse: Refuse): CycleEnd {
  const rule = cycleEndRule(frequency, input.cycle_end_type)
  if (!rule) {
    const types = cycle_end_rules[frequency].map(({ type }) => type)
    refuse('cycle_end_type', `must be ${types.join(' or ')} with frequency ${frequency}`)
    return no_cycle_end
  }
  const cycle_end_type = rule.type
  const cycle_end = input.cycle_end ?? rule.default ?? null
  if (cycle_end === null || cycle_end < 1 || cycle_end > rule.max) {
    const days =
      rule.type === 'day_of_month' ? `a day from 1 to ${rule.max}` : 'a weekday from 1 (Monday) to 7 (Sunday)'
    refuse('cycle_end', `must be ${days} with frequency ${frequency} and cycle_end_type ${cycle_end_type}`)
    return no_cycle_end
  }
  return { cycle_end_type, cycle_end, first_cycle_end: firstCycleEndOf(frequency, cycle_end, input, refuse) }
}

function firstCycleEndOf(frequency: Frequency, cycle_end: number, input: TermsInput, refuse: Refuse): string | null {
  const { start_date, first_cycle_end = null } = input
  if (first_cycle_end === null) return null
  if (frequency !== 'biweekly') {
    refuse('first_cycle_end', 'must be left out: only cycles of frequency biweekly need it')
    return null
  }
  const first = addDays(start_date, (cycle_end - weekdayOf(start_date) + 7) % 7)
  const second = addDays(first, 7)
  if (first_cycle_end !== first && first_cycle_end !== second) {
    refuse('first_cycle_end', `must be ${first} or ${second}: cycle_end ${cycle_end} in the fortnight from start_date`)
  }
  return first_cycle_end
}

/**
 * `current` with `change`: an absent term stays unless its old value no longer fits, `null` takes the default. That of a
 * cycle's end is looked up here already: where it is in force, it begins no new series.
 */
function merge(type: ContractType, current: ContractTerms, change: Partial<TermsInput>): TermsInput {
  const frequency = given(change.frequency, current.frequency)
  const new_frequency = frequency !== current.frequency
  const scale = given(change.scale, type === 'fixed_rate' && new_frequency ? null : current.scale)
  const wanted_type = given(change.cycle_end_type, new_frequency ? null : current.cycle_end_type)
  const rule = frequency === null || new_frequency ? undefined : cycleEndRule(frequency, wanted_type)
  const cycle_end_type = rule?.type ?? wanted_type
  const new_end = new_frequency || cycle_end_type !== current.cycle_end_type
  const cycle_end = given(change.cycle_end, new_end ? null : current.cycle_end) ?? rule?.default ?? null
  const same_series = !new_end && cycle_end === current.cycle_end
  const first_cycle_end = given(change.first_cycle_end, same_series ? current.first_cycle_end : null)
  return { ...current, ...change, scale, cycle_end_type, cycle_end, first_cycle_end }
}

function given<Value>(value: Value | null | undefined, otherwise: Value | null): Value | null {
  return value === undefined ? otherwise : value
}
