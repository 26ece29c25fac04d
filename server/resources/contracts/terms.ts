import { type Currency, formatMoney, type MoneyRefusal, parseMoney } from '#core/values/money.ts'
import { addDays, weekdayOf } from '#core/values/time.ts'
import {
  type CycleEndType,
  cycle_end_rules,
  cycle_terms,
  cycleEndRule,
  type Frequency,
  frequencies,
} from './cycle-calendar.ts'

export const contract_types = ['fixed_rate', 'pay_as_you_go', 'milestone', 'employee'] as const
export type ContractType = (typeof contract_types)[number]

export const scales = ['hourly', 'daily', ...frequencies, 'yearly'] as const
export type Scale = (typeof scales)[number]

export const prorations = ['calendar_days', 'working_days'] as const
export type Proration = (typeof prorations)[number]

/** What both parties sign, complete: defaults filled, `amount` with exactly its currency's decimals ("4200.00") */
export type ContractTerms = {
  readonly start_date: string
  readonly end_date: string | null
  readonly job_title: string | null
  readonly seniority: string | null
  readonly scope_of_work: string | null
  readonly special_clause: string | null
  readonly notice_period_days: number
  readonly amount: string | null
  readonly scale: Scale | null
  readonly frequency: Frequency | null
  readonly cycle_end_type: CycleEndType | null
  readonly cycle_end: number | null
  readonly first_cycle_end: string | null
  readonly payment_due_days: number
  readonly pay_before_weekends: boolean
  readonly proration: Proration
}
export type Term = keyof ContractTerms

/** Terms as a client writes them, in one flat object; types and bounds of single fields are the schema's business */
export type TermsInput = Pick<ContractTerms, 'start_date'> & { readonly [Field in Term]?: ContractTerms[Field] | null }

/** The terms an amendment may change (domain 2.4) */
export const amendable_terms = [
  'amount',
  'scale',
  'frequency',
  'cycle_end_type',
  'cycle_end',
  'payment_due_days',
  'pay_before_weekends',
  'proration',
  'end_date',
  'job_title',
  'seniority',
  'scope_of_work',
  'special_clause',
  'notice_period_days',
] as const satisfies readonly Term[]
export type AmendableTerm = (typeof amendable_terms)[number]
export type TermsChange = Pick<TermsInput, AmendableTerm>

/** `pointer` leads to the field in the request (RFC 6901); `message` says what to do */
export type TermsRefusal = {
  readonly code: 'invalid_terms' | 'date_out_of_range' | MoneyRefusal['code']
  readonly pointer: string
  readonly message: string
}

/** One changed term, as an amendment lists it */
export type TermsDifference = {
  readonly field: Term
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
 * Every term that differs, those that follow from another one (`scale`, `cycle_end`, `first_cycle_end`) included; those
 * `told` are listed also where they do not differ
 */
export function diffTerms(before: ContractTerms, after: ContractTerms, told: readonly Term[] = []): TermsDifference[] {
  return term_order
    .filter((field) => before[field] !== after[field] || told.includes(field))
    .map((field) => ({ field, from: before[field], to: after[field] }))
}

/** Whether a change of `field` begins a new series of cycles and so needs the first day of a cycle */
export function isCycleTerm(field: Term): boolean {
  return cycle_terms.some((term) => term === field)
}

const compensation_terms = [
  'amount',
  'scale',
  'frequency',
  'cycle_end_type',
  'cycle_end',
  'first_cycle_end',
  'payment_due_days',
  'pay_before_weekends',
  'proration',
] as const satisfies readonly Term[]

const term_order: readonly Term[] = [...new Set([...compensation_terms, ...amendable_terms, 'start_date' as const])]

function contractPointer(field: Term): string {
  return compensation_terms.some((term) => term === field) ? `/compensation/${field}` : `/${field}`
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
  const terms: ContractTerms = {
    start_date: input.start_date,
    end_date: endDateOf(input, refuse),
    job_title: input.job_title ?? null,
    seniority: input.seniority ?? null,
    scope_of_work: input.scope_of_work ?? null,
    special_clause: input.special_clause ?? null,
    notice_period_days: input.notice_period_days ?? 0,
    amount: amountOf(type, currency, input, refuse),
    scale: scaleOf(type, cycles.frequency, input, refuse),
    ...cycles,
    payment_due_days: input.payment_due_days ?? 7,
    pay_before_weekends: input.pay_before_weekends ?? false,
    proration: input.proration ?? 'calendar_days',
  }
  return refusals.length === 0 ? terms : refusals
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
