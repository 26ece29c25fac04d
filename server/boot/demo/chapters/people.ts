import type { Step } from '../story.ts'

const names = {
  ada: 'Ada Lindqvist',
  hana: 'Hana Novak',
  jonas: 'Jonas Weber',
  chiara: 'Chiara Conti',
  dalia: 'Dalia Haddad',
  freja: 'Freja Holm',
  ines: 'Ines Rojas',
  goro: 'Goro Tanaka',
  bruno: 'Bruno Ferreira',
  emeka: 'Emeka Okafor',
  liam: 'Liam Walsh',
  kira: 'Kira Patel',
}
export type Name = keyof typeof names
export const nameOf = (key: Name) => names[key]

function entered(key: Name, country: string, job_title: string, more: object = {}): Step {
  const [first_name, last_name] = names[key].split(' ')
  const email = `${key}@harbour.example`
  const input = { first_name, last_name, email, external_id: key, country, job_title, ...more }
  return { on: '2026-01-05', kind: 'people', operation: 'people.create', makes: key, input }
}

const employee = { worker_type: 'employee', working_location_id: '@Berlin' }
const led_by_ada = { department_id: '@Backend', manager_id: '@ada', team_ids: ['@Platform'] }
const designs = { department_id: '@Operations', team_ids: ['@Design'] }
const wears = (shirt_size: string) => ({ custom_fields: { shirt_size } })

type Account = { currency: string; bank_name?: string } & (
  | { iban: string }
  | { account_number: string; routing_code: string }
)
const paidTo = (key: Name, country: string, account: Account): Step => ({
  ...{ on: '2026-01-05', kind: 'people', operation: 'people.set_bank_account' },
  input: { person_id: `@${key}`, holder_name: names[key], country, ...account },
})

export const people: Step[] = [
  entered('ada', 'DE', 'Head of Engineering', { ...employee, department_id: '@Engineering', ...wears('M') }),
  entered('hana', 'CZ', 'Operations Manager', { ...employee, department_id: '@Operations', ...wears('S') }),
  entered('jonas', 'DE', 'Platform Engineer', { ...led_by_ada, ...wears('L') }),
  entered('chiara', 'IT', 'Product Designer', designs),
  entered('dalia', 'KW', 'Support Lead'),
  entered('freja', 'DK', 'Design System Reviewer', designs),
  entered('ines', 'CL', 'Bookkeeper'),
  entered('goro', 'JP', 'Mobile Backend Developer', led_by_ada),
  entered('bruno', 'PT', 'API Developer', { ...led_by_ada, ...wears('M') }),
  entered('emeka', 'NG', 'Payments Engineer', { department_id: '@Backend' }),
  entered('liam', 'US', 'Site Reliability Engineer', { working_location_id: '@Austin' }),
  entered('kira', 'IN', 'Quality Analyst'),
  // The numbers that banks print in their examples.
  paidTo('jonas', 'DE', { currency: 'EUR', iban: 'DE89370400440532013000' }),
  paidTo('chiara', 'IT', { currency: 'EUR', iban: 'IT60X0542811101000000123456' }),
  paidTo('dalia', 'KW', { currency: 'KWD', iban: 'KW81CBKU0000000000001234560101' }),
  paidTo('freja', 'DK', { currency: 'DKK', iban: 'DK5000400440116243' }),
  paidTo('bruno', 'PT', { currency: 'EUR', iban: 'PT50000201231234567890154' }),
  paidTo('liam', 'US', { currency: 'USD', account_number: '000123456789', routing_code: '110000000' }),
]

/** Under a key of the worker: nobody is away twice at once. */
const away = (on: string, key: Name, policy: string, start_date: string, end_date = start_date): Step => ({
  ...{ on, kind: 'time off', operation: 'time_offs.create', makes: `${key} away` },
  input: { person_id: `@${key}`, policy_id: `@${policy}`, start_date, end_date },
})
const decided = (on: string, key: Name, operation: 'review' | 'cancel', input: object = {}): Step => ({
  ...{ on, kind: 'time off', operation: `time_offs.${operation}` },
  input: { time_off_id: `@${key} away`, ...input },
})

export const timeOff: Step[] = [
  away('2026-02-09', 'ada', 'Sick leave', '2026-02-09', '2026-02-13'),
  away('2026-02-23', 'freja', 'Vacation', '2026-03-16'),
  decided('2026-02-24', 'freja', 'review', { status: 'rejected', reason: 'The review ends that week.' }),
  away('2026-03-02', 'jonas', 'Vacation', '2026-08-03', '2026-08-14'),
  decided('2026-03-03', 'jonas', 'review', { status: 'approved' }),
  away('2026-03-30', 'bruno', 'Vacation', '2026-04-20'),
  decided('2026-04-01', 'bruno', 'cancel'),
  away('2026-04-10', 'hana', 'Vacation', '2026-05-04', '2026-05-08'),
]
