import { amountPrecision, dateOutOfRange, defineProblem, validationFailed } from '#core/problems.ts'
import { addDays, businessDate, type Currency, earliest, formatMoney, parseMoney } from '#core/values.ts'
import type { ContractRow } from '#resources/contracts/index.ts'
import { contractTypeUnsupported, type Reading } from '#resources/work-items/index.ts'
import type { InvoiceAdjustmentRow } from './invoice-adjustment.ts'

export const currencyMismatch = defineProblem({
  code: 'currency_mismatch',
  status: 422,
  title: 'The currency is not that of the contract',
  advice: 'Leave it out, or name the currency of the contract; amounts are never converted.',
})

const ahead_days_max = 366

/** The part of an adjustment that is given; the rest follows from it. */
export type Adjusted = Pick<InvoiceAdjustmentRow, 'type' | 'amount'> &
  Partial<Pick<InvoiceAdjustmentRow, 'currency' | 'date' | 'is_taxable' | 'recurring_until'>>

/** The amount with the decimals of the contract's currency, the only one there is (domain rules 2.5), and its date. */
export function accepted(values: Adjusted, of: ContractRow, { now }: Reading): { amount: string; date: string } {
  const { amount, currency, date = businessDate(now, of.timezone), recurring_until } = values
  if (currency !== undefined && currency !== of.currency) {
    throw currencyMismatch(undefined, { errors: [{ pointer: '/currency', message: `must be ${of.currency}` }] })
  }
  if (recurring_until && recurring_until < date) refuse('recurring_until', `must not be before date, ${date}`)
  return { amount: formatMoney(positive(amount, of.currency), of.currency), date }
}

/** An adjustment fits the type of its contract, and its date lies in the life of the contract. */
export function judged({ type, date, is_taxable }: Adjusted & { date: string }, of: ContractRow, { now }: Reading) {
  refuseType(type, of)
  const ahead = addDays(businessDate(now, of.timezone), ahead_days_max)
  const last = of.last_day === null ? ahead : earliest(ahead, of.last_day)
  const why = last === of.last_day ? ', the last day of the contract' : ''
  if (date < of.start_date || date > last) refuse('date', `must be from ${of.start_date} to ${last}${why}`)
  return { is_taxable: is_taxable ?? type !== 'expense', currency: of.currency }
}

function refuseType(type: Adjusted['type'], of: ContractRow): void {
  if (of.type === 'employee') {
    const message = 'names a contract of type employee, which payroll pays'
    throw contractTypeUnsupported(undefined, { errors: [{ pointer: '/contract_id', message }] })
  }
  if (type === 'milestone' && of.type !== 'milestone') {
    const message = `must not be milestone for a contract of type ${of.type}`
    throw contractTypeUnsupported(undefined, { errors: [{ pointer: '/type', message }] })
  }
}

function positive(text: string, currency: Currency): bigint {
  const money = parseMoney(text, currency)
  const at = (message: string) => ({ errors: [{ pointer: '/amount', message }] })
  if ('code' in money) {
    throw (money.code === 'amount_precision' ? amountPrecision : validationFailed)(undefined, at(money.message))
  }
  if (money.minor === 0n) throw validationFailed(undefined, at('must be greater than zero'))
  return money.minor
}

function refuse(field: string, message: string): never {
  throw dateOutOfRange(undefined, { errors: [{ pointer: `/${field}`, message }] })
}
