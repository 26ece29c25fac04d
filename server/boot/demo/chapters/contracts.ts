import type { Step } from '../story.ts'
import { type Name, nameOf } from './people.ts'

const monthly = { frequency: 'monthly', cycle_end_type: 'day_of_month', cycle_end: 31 }
const last_thursday = { frequency: 'monthly', cycle_end_type: 'day_of_last_week', cycle_end: 4 }

const salary = (amount: string, scale: 'monthly' | 'yearly') => ({ amount, currency: 'EUR', scale })
const rate = (amount: string, currency: string, terms: object = monthly) => ({ amount, currency, ...terms })

type Type = 'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'

interface Drafted {
  title: string
  type: Type
  start_date: string
  compensation: object
  end_date?: string
  timezone?: string
  tax?: { vat_rate: string }
  team_id?: string
  legal_entity_id?: string
  custom_fields?: { cost_code: string }
}

const drafted = (on: string, key: string, worker: Name, terms: Drafted): Step => ({
  ...{ on, kind: 'contracts', operation: 'contracts.create', makes: key },
  input: { external_id: key, worker_id: `@${worker}`, ...terms },
})
const step = (on: string, key: string, operation: string, input: object = {}, by?: Step['by']): Step => ({
  ...{ on, kind: 'contracts', operation, input: { contract_id: `@${key}`, ...input } },
  ...(by !== undefined && { by }),
})
const signed_by_client = { signer_name: 'Nora Pine' }
const clientSigns = (on: string, key: string) => step(on, key, 'contracts.sign', signed_by_client)
const workerSigns = (on: string, key: string, worker: Name) =>
  step(on, key, 'worker.sign_contract', { signer_name: nameOf(worker), terms_version: 1 }, `@${worker}`)
/** A contract that is created and signed by both on one day. */
const signed = (on: string, key: string, worker: Name, terms: Drafted): Step[] => [
  drafted(on, key, worker, terms),
  clientSigns(on, key),
  workerSigns(on, key, worker),
]

export const contracts: Step[] = [
  ...signed('2026-01-05', 'C01', 'ada', {
    ...{ title: 'Head of Engineering', type: 'employee', start_date: '2026-01-05' },
    compensation: salary('6500.00', 'monthly'),
  }),
  ...signed('2026-01-05', 'C02', 'hana', {
    ...{ title: 'Operations Manager', type: 'employee', start_date: '2026-01-05' },
    compensation: salary('54000.00', 'yearly'),
  }),
  drafted('2026-01-12T09:00:00Z', 'C03', 'jonas', {
    ...{ title: 'Platform engineering', type: 'fixed_rate', start_date: '2026-01-15', team_id: '@Platform' },
    ...{ compensation: rate('4200.00', 'EUR', { ...monthly, payment_due_days: 14 }), tax: { vat_rate: '19' } },
    custom_fields: { cost_code: 'ENG-110' },
  }),
  clientSigns('2026-01-12T09:05:00Z', 'C03'),
  workerSigns('2026-01-13T10:00:00Z', 'C03', 'jonas'),
  ...signed('2026-01-30', 'C04', 'chiara', {
    ...{ title: 'Brand and product design', type: 'fixed_rate', start_date: '2026-02-01', team_id: '@Design' },
    compensation: rate('1800.00', 'EUR', { frequency: 'semimonthly', cycle_end: 15 }),
  }),
  ...signed('2026-01-30', 'C05', 'dalia', {
    ...{ title: 'Customer support, Gulf region', type: 'fixed_rate', start_date: '2026-02-01' },
    ...{ compensation: rate('950.500', 'KWD', last_thursday), timezone: 'Asia/Kuwait' },
  }),
  ...signed('2026-01-30', 'C06', 'freja', {
    ...{ title: 'Design system review', type: 'fixed_rate', start_date: '2026-02-02', end_date: '2026-03-27' },
    compensation: rate('21000.00', 'DKK', { frequency: 'biweekly', cycle_end: 5, proration: 'working_days' }),
    team_id: '@Design',
  }),
  ...signed('2026-01-30', 'C07', 'ines', {
    ...{ title: 'Bookkeeping in Santiago', type: 'fixed_rate', start_date: '2026-02-01' },
    ...{ compensation: rate('1850000', 'CLP'), timezone: 'America/Santiago' },
  }),
  ...signed('2026-01-30', 'C08', 'goro', {
    ...{ title: 'Mobile backend development', type: 'pay_as_you_go', start_date: '2026-02-01', team_id: '@Platform' },
    ...{ compensation: rate('48000', 'JPY', { ...monthly, scale: 'daily' }), timezone: 'Asia/Tokyo' },
  }),
  ...signed('2026-02-27', 'C09', 'bruno', {
    ...{ title: 'API development', type: 'pay_as_you_go', start_date: '2026-03-02', team_id: '@Platform' },
    compensation: rate('45.00', 'EUR', { frequency: 'weekly', cycle_end: 7, scale: 'hourly' }),
    custom_fields: { cost_code: 'ENG-120' },
  }),
  ...signed('2026-02-27', 'C10', 'emeka', {
    ...{ title: 'Payments integration', type: 'milestone', start_date: '2026-03-01' },
    compensation: { currency: 'USD', payment_due_days: 30, ...monthly },
  }),
  ...signed('2026-02-27', 'C11', 'liam', {
    ...{ title: 'Site reliability engineering', type: 'pay_as_you_go', start_date: '2026-03-02' },
    compensation: rate('60.00', 'USD', { frequency: 'biweekly', cycle_end: 5, scale: 'hourly' }),
    ...{ timezone: 'America/Chicago', legal_entity_id: '@LE2' },
  }),
  step('2026-03-06', 'C07', 'contracts.terminate', { type: 'termination', completion_date: '2026-03-20' }),
  step('2026-03-20T18:00:00Z', 'C11', 'contracts.terminate', { type: 'termination' }),
  step('2026-04-10', 'C04', 'contracts.terminate', { type: 'resignation', completion_date: '2026-05-08' }),
  drafted('2026-04-13', 'C12', 'kira', {
    ...{ title: 'Quality assurance', type: 'fixed_rate', start_date: '2026-05-01' },
    compensation: rate('3000.00', 'EUR'),
  }),
  drafted('2026-04-13', 'C13', 'emeka', {
    ...{ title: 'Payments integration, second phase', type: 'fixed_rate', start_date: '2026-05-01' },
    compensation: rate('2500.00', 'USD'),
  }),
  drafted('2026-04-13', 'C14', 'bruno', {
    ...{ title: 'Migration of the time sheets', type: 'fixed_rate', start_date: '2026-05-01' },
    compensation: rate('2000.00', 'EUR'),
  }),
  drafted('2026-04-13', 'C15', 'liam', {
    ...{ title: 'Weekend on-call', type: 'fixed_rate', start_date: '2026-05-01' },
    compensation: rate('3000.00', 'USD'),
  }),
  clientSigns('2026-04-13', 'C15'),
  step('2026-04-13', 'C15', 'contracts.invite'),
  clientSigns('2026-04-14', 'C13'),
  step('2026-04-14', 'C13', 'contracts.invite'),
  step('2026-04-14', 'C14', 'contracts.cancel'),
  step('2026-04-14', 'C15', 'worker.reject_contract', { reason: 'rate too low' }, '@liam'),
  step('2026-04-15', 'C14', 'contracts.archive'),
]

type Settled = 'signed' | 'declined' | 'withdrawn'

/** An amendment: drafted and, unless it stays a draft, signed by the client on one day, and settled on another. */
function amendment(
  on: string,
  [key, contract, worker]: [key: string, contract: string, worker: Name],
  input: { effective_date: string | null; terms: object },
  { client_signs = true, settled }: { client_signs?: boolean; settled?: [on: string, how: Settled] } = {},
): Step[] {
  const path = { contract_id: `@${contract}`, amendment_id: `@${key}` }
  const by = `@${worker}` as const
  const kind = 'amendments'
  const [settled_on = '', how] = settled ?? []
  const signature = { signer_name: nameOf(worker), terms_version: 1 }
  const settlements: Record<Settled, Omit<Step, 'on' | 'kind'>> = {
    signed: { operation: 'worker.sign_amendment', input: { ...path, ...signature }, by },
    declined: { operation: 'worker.decline_amendment', input: path, by },
    withdrawn: { operation: 'amendments.withdraw', input: path },
  }
  return [
    { on, kind, operation: 'amendments.create', input: { contract_id: path.contract_id, ...input }, makes: key },
    ...(client_signs
      ? [{ on, kind, operation: 'amendments.sign', input: { ...path, ...signed_by_client } } as const]
      : []),
    ...(how === undefined ? [] : [{ on: settled_on, kind, ...settlements[how] } as const]),
  ]
}

const to = (amount: string, effective_date: string) => ({ effective_date, terms: { amount } })
const release = { effective_date: null, terms: { scope_of_work: 'Deliver the second release.' } }

export const amendments: Step[] = [
  ...amendment('2026-02-10', ['M1', 'C03', 'jonas'], to('4500.00', '2026-02-16'), {
    settled: ['2026-02-11', 'signed'],
  }),
  ...amendment('2026-03-09', ['M6', 'C08', 'goro'], to('45000', '2026-04-01'), { settled: ['2026-03-10', 'declined'] }),
  ...amendment('2026-03-11', ['M7', 'C10', 'emeka'], release, { settled: ['2026-03-12', 'withdrawn'] }),
  ...amendment('2026-03-18', ['M2', 'C03', 'jonas'], to('4800.00', '2026-04-01'), {
    settled: ['2026-03-19', 'signed'],
  }),
  ...amendment('2026-04-02', ['M3', 'C03', 'jonas'], to('5000.00', '2026-07-01'), {
    settled: ['2026-04-03', 'signed'],
  }),
  ...amendment('2026-04-13', ['M4', 'C09', 'bruno'], to('48.00', '2026-05-04'), { client_signs: false }),
  ...amendment('2026-04-13', ['M5', 'C05', 'dalia'], to('990.000', '2026-05-01')),
]
