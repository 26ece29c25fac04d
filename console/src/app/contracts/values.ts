import type { Contract, ContractsCreateInput, ContractsUpdateInput, TermsInput } from '#sdk/index.ts'

/** The texts in the fields of a form, by their names; a field that the form does not have is absent. */
export type Values = Readonly<Record<string, string>>

/** Fields named `…-choice` hold what they chose in the page itself, which knows its name, too. */
export function valuesIn(fields: Iterable<[string, unknown]>): Values {
  return Object.fromEntries(
    [...fields].flatMap(([name, value]) =>
      typeof value === 'string' && !name.endsWith('-choice') ? [[name, value]] : [],
    ),
  )
}

/** Fields of a contract as a form shows them. */
export function valuesOf(contract: Contract): Values {
  const { compensation, tax, ...rest } = contract
  const { cycle_end_type, cycle_end, ...pay } = compensation
  const end = cycle_end_type === null || cycle_end === null ? '' : `${cycle_end_type}:${cycle_end}`
  const shown = { ...rest, ...pay, ...tax, cycle_end: end, team_id: contract.team?.id }
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, textOf(value)]))
}

const textOf = (value: unknown) =>
  value === null || value === undefined || value === false || typeof value === 'object' ? '' : String(value)

const pay_fields = ['amount', 'currency', 'scale', 'frequency', 'first_cycle_end', 'proration'] as const
const text_fields = ['end_date', 'job_title', 'seniority', 'scope_of_work', 'special_clause', 'external_id'] as const

type Flat = Omit<ContractsUpdateInput, 'contract_id' | 'compensation' | 'tax'> &
  ContractsUpdateInput['compensation'] &
  ContractsUpdateInput['tax'] & { currency?: string }

/** A contract as a form describes it, in one flat object; an empty field clears what may be empty. */
function flat(values: Values): Flat {
  const said: Record<string, unknown> = {}
  const take = (name: string, as: (text: string) => unknown) => {
    const text = values[name]
    if (text !== undefined) said[name] = as(text.trim())
  }
  for (const name of ['title', 'start_date'] as const) take(name, (text) => text)
  for (const name of [...pay_fields, ...text_fields, 'team_id', 'vat_rate'] as const) take(name, (text) => text || null)
  for (const name of ['payment_due_days', 'notice_period_days'] as const) take(name, wholeNumber)
  for (const name of ['pay_before_weekends', 'reverse_charge'] as const) take(name, (text) => text === 'true')
  const [cycle_end_type, cycle_end] = (values.cycle_end ?? '').split(':')
  if (cycle_end) Object.assign(said, { cycle_end_type, cycle_end: Number(cycle_end) })
  // The cast holds as far as the fields offer nothing else; the service judges the rest and names the field.
  return said as Flat
}

/** A text that is no number is sent as it is, so that the service says at its field what is wrong. */
const wholeNumber = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : text)

const inside = {
  compensation: [...pay_fields, 'payment_due_days', 'pay_before_weekends', 'cycle_end_type', 'cycle_end'],
  tax: ['vat_rate', 'reverse_charge'],
} as const satisfies Partial<Record<keyof ContractsUpdateInput, readonly string[]>>

/** The same with pay and tax in their objects, as contracts carry them. */
function nested(said: object): object {
  const entries = Object.entries(said)
  const parts = Object.entries(inside).map(([name, fields]) => {
    const own = entries.filter(([field]) => fields.some((one) => one === field))
    return own.length > 0 ? { [name]: Object.fromEntries(own) } : {}
  })
  const others = entries.filter(
    ([field]) =>
      !Object.values(inside)
        .flat()
        .some((one) => one === field),
  )
  return Object.assign(Object.fromEntries(others), ...parts)
}

const isSame = (one: unknown, other: unknown) => (one ?? null) === (other ?? null)

function changed(before: Values, after: Values): Partial<Flat> {
  const was = flat(before)
  const entries = Object.entries(flat(after)).filter(([name, value]) => !isSame(value, was[name as keyof Flat]))
  return Object.fromEntries(entries)
}

/** The change of a contract that a form describes. */
export function contractChange(before: Values, after: Values): Omit<ContractsUpdateInput, 'contract_id'> {
  return nested(changed(before, after))
}

/** The change of the terms that a form describes, as an amendment takes it. The cast holds where the form has terms only. */
export const termsChange = (before: Values, after: Values): TermsInput => changed(before, after) as TermsInput

/** A new contract as the form describes it: empty fields are left out, so that they get their defaults. */
export function newContract(values: Values): ContractsCreateInput {
  const left_out = fieldsLeftOut(values)
  const given = Object.fromEntries(
    Object.entries(values).filter(([name, text]) => text.trim() !== '' && !left_out.includes(name)),
  )
  const { worker_id, legal_entity_id, country, timezone, type } = given
  const worker = worker_id ? { worker_id } : { worker: newWorker(given) }
  const said: object = { ...nested(flat(given)), ...worker, legal_entity_id, country, timezone, type }
  // The cast holds as far as the steps of the form have seen to it; the service judges the rest.
  return said as ContractsCreateInput
}

/** Fields that were typed before another type or period was chosen, and are none of this contract. */
function fieldsLeftOut({ type, frequency }: Values): readonly string[] {
  if (type === 'employee') return ['frequency', 'cycle_end', 'first_cycle_end']
  const beside = frequency === 'biweekly' ? [] : ['first_cycle_end']
  if (type === 'milestone') return ['amount', 'scale', ...beside]
  return type === 'fixed_rate' ? ['scale', ...beside] : beside
}

function newWorker({ first_name = '', last_name = '', email = '', worker_country = '' }: Values) {
  const text = { first_name, last_name, email, country: worker_country }
  return Object.fromEntries(Object.entries(text).map(([name, value]) => [name, value.trim()]))
}
