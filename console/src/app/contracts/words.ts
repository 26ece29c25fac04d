import type { Contract, ContractsCreateInput } from '#sdk/index.ts'
import { entryOf } from '../../lib/nouns.ts'

export type ContractType = ContractsCreateInput['type']
export type Frequency = NonNullable<ContractsCreateInput['compensation']['frequency']>

export const contract_types: readonly { value: ContractType; words: string; hint: string }[] = [
  { value: 'fixed_rate', words: 'Fixed rate', hint: 'The same amount every period, such as a monthly fee.' },
  { value: 'pay_as_you_go', words: 'Pay as you go', hint: 'Hours or days: the worker reports them, you approve them.' },
  {
    value: 'milestone',
    words: 'Milestones',
    hint: 'No rate. Each milestone is entered and approved when it is reached.',
  },
  {
    value: 'employee',
    words: 'Employee',
    hint: 'A salary on record. Payroll runs elsewhere, so nothing is invoiced here.',
  },
]

export const typeWords = (type: string) => contract_types.find(({ value }) => value === type)?.words ?? type

const scale_words: Readonly<Record<string, string>> = {
  hourly: 'per hour',
  daily: 'per day',
  weekly: 'per week',
  biweekly: 'every two weeks',
  semimonthly: 'twice a month',
  monthly: 'per month',
  yearly: 'per year',
}
export const scaleWords = (scale: string | null) => (scale === null ? '' : entryOf(scale_words, scale, scale))

const frequency_words: Readonly<Record<Frequency, string>> = {
  weekly: 'Every week',
  biweekly: 'Every two weeks',
  semimonthly: 'Twice a month',
  monthly: 'Every month',
}
export const frequencies = Object.entries(frequency_words).map(([value, words]) => ({ value, words }))
export const frequencyWords = (frequency: string | null) =>
  frequency === null ? 'No payment cycles' : entryOf(frequency_words, frequency, frequency)

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const weekday = (day: number) => weekdays[day - 1] ?? String(day)

function ordinal(day: number): string {
  const isTeen = day >= 11 && day <= 13
  return `${day}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')}`
}

/** The last day of a cycle in words, such as `on the last Friday of the month`. */
export function cycleEndWords(frequency: string | null, type: string | null, end: number | null): string {
  if (type === null || end === null) return ''
  if (type === 'day_of_week') return `on ${weekday(end)}`
  if (type === 'day_of_last_week') return `on the last ${weekday(end)} of the month`
  if (frequency === 'semimonthly') {
    return `on the ${ordinal(end)} and the ${end === 15 ? 'last day' : ordinal(end + 15)} of the month`
  }
  return end === 31 ? 'on the last day of the month' : `on the ${ordinal(end)} of the month`
}

/** The ways in which a cycle of this length may end, the usual one first. */
export function cycleEnds(frequency: Frequency): { value: string; words: string }[] {
  const each = (type: string, ends: readonly number[]) =>
    ends.map((end) => ({ value: `${type}:${end}`, words: capital(cycleEndWords(frequency, type, end)) }))
  const days = (count: number) => Array.from({ length: count }, (_, place) => place + 1)
  if (frequency === 'semimonthly') return each('day_of_month', [15, ...days(14)])
  if (frequency === 'monthly') return [...each('day_of_month', [31, ...days(30)]), ...each('day_of_last_week', days(7))]
  return each('day_of_week', [7, ...days(6)])
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export const prorations = [
  { value: 'calendar_days', words: 'By calendar days' },
  { value: 'working_days', words: 'By working days, Monday to Friday' },
]
export const prorationWords = (proration: string) =>
  prorations.find(({ value }) => value === proration)?.words ?? proration

export const daysWords = (days: number) => (days === 0 ? 'the same day' : days === 1 ? '1 day' : `${days} days`)

/** Names of the terms, as people say them. */
const field_words: Readonly<Record<string, string>> = {
  rate: 'Rate',
  frequency: 'Paid',
  cycle_end: 'A period ends',
  first_cycle_end: 'First period ends',
  payment_due_days: 'Due after',
  pay_before_weekends: 'Paid before weekends',
  proration: 'Part periods',
  start_date: 'Start',
  end_date: 'End',
  job_title: 'Job title',
  seniority: 'Seniority',
  scope_of_work: 'Scope of work',
  special_clause: 'Special clause',
  notice_period_days: 'Notice',
}
export const fieldWords = (field: string) => entryOf(field_words, field, field)

export const hasCycles = ({ type }: Pick<Contract, 'type'>) => type !== 'employee'

export const termination_types = [
  { value: 'termination', words: 'The company ends it' },
  { value: 'resignation', words: 'The worker leaves' },
  { value: 'end_of_contract', words: 'Its time is over, as planned' },
] as const
export const terminationWords = (type: string) => termination_types.find(({ value }) => value === type)?.words ?? type
