import { addDays, type Currency, daysBetween, formatMoney, multiplyByRatio, weekdayOf } from '#core/values.ts'
import { type ContractTerms, type Cycle, inOrder, termsAt } from '#resources/contracts/index.ts'

/** A line of an invoice before it is stored; its amounts are exact texts in the invoice's currency. */
export interface NewLine {
  type: 'fixed_rate' | 'timesheet' | Adjustment['type']
  description: string
  quantity: string
  unit_price: string
  amount: string
  is_taxable: boolean
  period_start: string | null
  period_end: string | null
  source_kind: 'payment_cycle' | 'timesheet' | 'invoice_adjustment'
  source_id: string
}

/** The part of an approved timesheet that an invoice reckons with. */
export interface Timesheet {
  id: string
  start_date: string
  end_date: string
  quantity: string
  rate: string
  total_amount: string
  currency: Currency
  description: string
}

/** The part of an approved adjustment that an invoice reckons with; a deduction counts negative. */
export interface Adjustment {
  id: string
  type: 'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'
  date: string
  amount: string
  currency: Currency
  description: string
  is_taxable: boolean
}

/** All sources of an invoice. */
export interface Sources {
  fixed: readonly NewLine[]
  timesheets: readonly Timesheet[]
  adjustments: readonly Adjustment[]
}

export interface Taxation {
  currency: Currency
  vat_rate: string | null
  reverse_charge: boolean
}

/** Amounts in minor units; negative where named deductions exceed the rest. */
export interface Sums {
  subtotal: bigint
  taxable_base: bigint
}

export type Composition = ReturnType<typeof composeInvoice>

/**
 * Puts the lines of an invoice in their order and adds them up (domain rules 6.4 and 6.5). Deductions come last: each is
 * taken whole if subtotal and taxable base stay at zero or above, else it is deferred. `takes_all` names those invoices
 * that hold exactly what they were asked to; whether they are possible tells `isNegative`.
 */
export function composeInvoice(
  taxation: Taxation,
  { fixed, timesheets, adjustments }: Sources,
  { takes_all = false } = {},
) {
  const { currency } = taxation
  const isDeduction = ({ type }: Adjustment) => type === 'deduction'
  const by_date = adjustments.toSorted((a, b) => compare(a.date, b.date) || compare(a.id, b.id))
  const by_end = timesheets.toSorted((a, b) => compare(a.end_date, b.end_date) || compare(a.id, b.id))
  for (const source of [...timesheets, ...adjustments]) requireCurrency(source, currency)
  const lines = [
    ...fixed,
    ...by_end.map(lineOfTimesheet),
    ...by_date.filter((one) => !isDeduction(one)).map((one) => lineOfAdjustment(one)),
  ].filter(isNotZero)
  let sums = lines.reduce(added, { subtotal: 0n, taxable_base: 0n })
  const deferred_adjustment_ids: string[] = []
  for (const deduction of by_date.filter(isDeduction)) {
    const line = lineOfAdjustment(deduction)
    const reduced = added(sums, line)
    if (!takes_all && isNegative(reduced)) {
      deferred_adjustment_ids.push(deduction.id)
      continue
    }
    lines.push(line)
    sums = reduced
  }
  const vat_total = vatOf(sums.taxable_base, taxation)
  const written = (minor: bigint) => formatMoney(minor, currency)
  return {
    currency,
    lines,
    deferred_adjustment_ids,
    is_negative: isNegative(sums),
    subtotal: written(sums.subtotal),
    taxable_base: written(sums.taxable_base),
    vat_rate: taxation.vat_rate,
    reverse_charge: taxation.reverse_charge,
    vat_total: written(vat_total),
    total: written(sums.subtotal + vat_total),
  }
}

/** The terms of a cycle that its fixed rate follows from. */
export interface FixedRate {
  versions: readonly { readonly effective_from: string; readonly terms: Pick<ContractTerms, 'amount' | 'proration'> }[]
  currency: Currency
  /** Words of the line. */
  title: string
}

/** One line per stretch of the cycle with one amount: the amount × days ÷ nominal days. */
export function fixedLines(cycle: Cycle & { id: string }, { versions, currency, title }: FixedRate): NewLine[] {
  const { proration } = termsAt(versions, cycle.start_date)
  const nominal = countedDays(cycle.nominal_start_date, cycle.nominal_end_date, proration)
  return stretchesOf(cycle, versions).map(({ from, to, amount: whole }) => {
    const share = multiplyByRatio(minorOf(whole), countedDays(from, to, proration), nominal)
    const amount = formatMoney(share, currency)
    return {
      type: 'fixed_rate',
      description: title,
      ...{ quantity: '1', unit_price: amount, amount, is_taxable: true },
      ...{ period_start: from, period_end: to, source_kind: 'payment_cycle', source_id: cycle.id },
    }
  })
}

interface Stretch {
  from: string
  to: string
  amount: string
}

/** The parts of a cycle with one amount each; neighbouring terms of equal amount are one. */
function stretchesOf({ start_date, end_date }: Cycle, versions: FixedRate['versions']): Stretch[] {
  const changes = inOrder(versions).map(({ effective_from }) => effective_from)
  const starts = [start_date, ...changes.filter((date) => date > start_date && date <= end_date)]
  const stretches: Stretch[] = []
  for (const from of new Set(starts)) {
    const { amount } = termsAt(versions, from)
    if (amount === null) throw new RangeError('a fixed rate has no amount')
    const before = stretches.at(-1)
    if (before?.amount === amount) continue
    if (before) before.to = addDays(from, -1)
    stretches.push({ from, to: end_date, amount })
  }
  return stretches
}

/** Days from `from` to `to`, both included: all of them, or those from Monday to Friday. */
function countedDays(from: string, to: string, proration: ContractTerms['proration']): bigint {
  const days = daysBetween(from, to) + 1
  if (proration === 'calendar_days') return BigInt(days)
  // Whole weeks have five; what is left over is looked at day by day.
  const rest = Array.from({ length: days % 7 }, (_, day) => weekdayOf(addDays(from, day)))
  return BigInt(Math.floor(days / 7) * 5 + rest.filter((weekday) => weekday <= 5).length)
}

/** VAT is computed once per invoice, not per line, and rounded half away from zero. */
function vatOf(taxable_base: bigint, { vat_rate, reverse_charge }: Taxation): bigint {
  if (vat_rate === null || reverse_charge) return 0n
  const [integer = '', fraction = ''] = vat_rate.split('.')
  return multiplyByRatio(taxable_base, BigInt(integer + fraction.padEnd(4, '0')), 1_000_000n)
}

function lineOfTimesheet(timesheet: Timesheet): NewLine {
  const { id, start_date, end_date, quantity, rate, total_amount, description } = timesheet
  return {
    type: 'timesheet',
    description,
    ...{ quantity, unit_price: rate, amount: total_amount, is_taxable: true },
    ...{ period_start: start_date, period_end: end_date, source_kind: 'timesheet', source_id: id },
  }
}

function lineOfAdjustment({ id, type, date, amount, description, is_taxable }: Adjustment): NewLine {
  const signed = type === 'deduction' ? `-${amount}` : amount
  return {
    type,
    description,
    ...{ quantity: '1', unit_price: signed, amount: signed, is_taxable },
    ...{ period_start: date, period_end: date, source_kind: 'invoice_adjustment', source_id: id },
  }
}

function added({ subtotal, taxable_base }: Sums, { amount, is_taxable }: NewLine): Sums {
  const minor = minorOf(amount)
  return { subtotal: subtotal + minor, taxable_base: is_taxable ? taxable_base + minor : taxable_base }
}

const isNegative = ({ subtotal, taxable_base }: Sums) => subtotal < 0n || taxable_base < 0n
const isNotZero = ({ amount }: NewLine) => minorOf(amount) !== 0n

/** Minor units of a stored amount, which has all the decimals of its currency. */
function minorOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

/** Amounts of two currencies are never added, whatever was checked before. */
function requireCurrency(source: { id: string; currency: Currency }, currency: Currency): void {
  if (source.currency !== currency) throw new RangeError(`${source.id} is in ${source.currency}, not in ${currency}`)
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
