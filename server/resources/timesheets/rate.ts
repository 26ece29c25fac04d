import { dateOutOfRange, defineProblem, invalidState } from '#core/problems.ts'
import {
  addDays,
  businessDate,
  type Currency,
  daysBetween,
  earliest,
  formatMoney,
  multiplyByRatio,
  parseMoney,
} from '#core/values.ts'
import { type ContractRow, termsAt, termsVersions } from '#resources/contracts/index.ts'
import { contractTypeUnsupported, type Reading } from '#resources/work-items/index.ts'
import type { TimesheetRow } from './timesheet.ts'

export const quantityExceedsPeriod = defineProblem({
  code: 'quantity_exceeds_period',
  status: 422,
  title: 'The quantity is more than the period holds',
  advice: 'Report at most 24 hours or one day for each day of the period.',
})

const days_max = 31

/** A period of work and how much was worked in it. */
export interface Reported {
  readonly start_date: string
  readonly end_date?: string
  readonly quantity: string
}

/** Reported work with what follows: its rate by the terms in force on its last day (domain rules 2.5). */
export async function rated(
  { start_date, end_date = start_date, quantity }: Reported,
  of: ContractRow,
  { tx, now }: Reading,
) {
  const { type, currency } = of
  if (type !== 'pay_as_you_go') {
    const message = `names a contract of type ${type}; only pay_as_you_go has timesheets`
    throw contractTypeUnsupported(undefined, { errors: [{ pointer: '/contract_id', message }] })
  }
  refusePeriodOutside({ start_date, end_date }, of, now)
  const { rate, scale } = await rateOn(end_date, of, tx)
  const days = daysBetween(start_date, end_date) + 1
  const most = scale === 'hourly' ? 24 * days : days
  if (scaled(quantity) > scaled(String(most))) {
    const message = `must be at most ${most} ${scale === 'hourly' ? 'hours' : 'days'} for the period`
    throw quantityExceedsPeriod(undefined, { errors: [{ pointer: '/quantity', message }] })
  }
  return { end_date, scale, rate, total_amount: totalOf(quantity, rate, currency), currency }
}

/** The rate at this moment, frozen at approval. Refuses a scale that has changed since the entry: the quantity would mean something else. */
export async function frozen(row: TimesheetRow, of: ContractRow, { tx }: Reading): Promise<TimesheetRow> {
  const { rate, scale } = await rateOn(row.end_date, of, tx)
  if (scale === row.scale) return { ...row, rate, total_amount: totalOf(row.quantity, rate, row.currency) }
  throw invalidState(`It was entered ${row.scale}, and the rate is ${scale} by now: change it, or decline it.`)
}

async function rateOn(date: string, { organization_id, id }: ContractRow, tx: Reading['tx']) {
  const { amount, scale } = termsAt(await termsVersions(tx, organization_id, id), date)
  // The casts hold because the terms of a pay-as-you-go contract have a rate, by the hour or by the day.
  return { rate: amount as string, scale: scale as TimesheetRow['scale'] }
}

function refusePeriodOutside(
  { start_date, end_date }: { start_date: string; end_date: string },
  of: ContractRow,
  now: string,
): void {
  const today = businessDate(now, of.timezone)
  const last = of.last_day === null ? today : earliest(today, of.last_day)
  const refuse = (field: string, message: string) => {
    throw dateOutOfRange(undefined, { errors: [{ pointer: `/${field}`, message }] })
  }
  if (start_date < of.start_date) refuse('start_date', `must not be before ${of.start_date}, when the contract starts`)
  if (end_date < start_date) refuse('end_date', `must not be before start_date, ${start_date}`)
  const why = last === today ? 'today: work is entered once it is done' : 'the last day of the contract'
  if (end_date > last) refuse('end_date', `must not be after ${last}, ${why}`)
  if (end_date > addDays(start_date, days_max - 1))
    refuse('end_date', `must be within ${days_max} days from start_date`)
}

const quantity_decimals = 4

/** A quantity in units of its fourth decimal. */
function scaled(quantity: string): bigint {
  const [integer = '', fraction = ''] = quantity.split('.')
  return BigInt(integer + fraction.padEnd(quantity_decimals, '0'))
}

/** Quantity × rate, rounded once, half away from zero: 36.25 × "45.00" is "1631.25". */
export function totalOf(quantity: string, rate: string, currency: Currency): string {
  const money = parseMoney(rate, currency)
  if ('code' in money) throw new Error(`a rate of ${rate} ${currency} cannot be`)
  return formatMoney(multiplyByRatio(money.minor, scaled(quantity), 10n ** BigInt(quantity_decimals)), currency)
}
