import type { Step } from '../story.ts'
import type { Name } from './people.ts'

type Verdict = 'approved' | 'declined'
interface Reviewed {
  /** Null: it is never reviewed. */
  verdict?: Verdict | null
  entered_on?: string
  reviewed_on?: string
}

/** A timesheet that the worker enters at the beginning of its last day, and the company reviews an hour later. */
function timesheet(
  [key, contract, worker]: [key: string, contract: string, worker: Name],
  [start_date, end_date]: [string, string],
  [quantity, description]: [string, string],
  { verdict = 'approved', entered_on = end_date, reviewed_on = end_date }: Reviewed = {},
): Step[] {
  const kind = 'rest'
  const created: Step = {
    ...{ on: `${entered_on}T06:00:00Z`, kind, operation: 'worker.create_timesheet', by: `@${worker}`, makes: key },
    input: { contract_id: `@${contract}`, start_date, end_date, quantity, description, external_id: key },
  }
  if (verdict === null) return [created]
  const input = { timesheet_id: `@${key}`, status: verdict }
  return [created, { on: `${reviewed_on}T07:00:00Z`, kind, operation: 'timesheets.review', input }]
}

const bruno = (key: string): [string, string, Name] => [key, 'C09', 'bruno']
const goro = (key: string): [string, string, Name] => [key, 'C08', 'goro']
const liam = (key: string): [string, string, Name] => [key, 'C11', 'liam']

export const timesheets: Step[] = [
  ...timesheet(goro('T07'), ['2026-02-02', '2026-02-27'], ['18', 'Push notifications and their queue']),
  ...timesheet(bruno('T01'), ['2026-03-02', '2026-03-06'], ['38.5', 'Orders API: first resources']),
  ...timesheet(bruno('T02'), ['2026-03-09', '2026-03-13'], ['40', 'Orders API: lists and filters']),
  ...timesheet(liam('T10'), ['2026-03-02', '2026-03-13'], ['72.75', 'Alerts and runbooks']),
  ...timesheet(bruno('T03'), ['2026-03-16', '2026-03-20'], ['36.25', 'Orders API: errors and limits'], {
    reviewed_on: '2026-03-24',
  }),
  ...timesheet(liam('T11'), ['2026-03-16', '2026-03-20'], ['30', 'Move of the build servers']),
  ...timesheet(liam('T12'), ['2026-03-20', '2026-03-20'], ['4', 'Handover'], {
    ...{ entered_on: '2026-03-23', verdict: null },
  }),
  ...timesheet(bruno('T04'), ['2026-03-23', '2026-03-27'], ['40', 'Orders API: webhooks']),
  ...timesheet(goro('T08'), ['2026-03-02', '2026-03-31'], ['20', 'Offline mode of the app']),
  ...timesheet(bruno('T05'), ['2026-03-30', '2026-04-03'], ['60', 'Orders API: documentation'], {
    verdict: 'declined',
  }),
  ...timesheet(goro('T09'), ['2026-04-01', '2026-04-08'], ['5.5', 'Offline mode: conflicts']),
  ...timesheet(bruno('T06'), ['2026-04-06', '2026-04-10'], ['39', 'Orders API: exports'], { verdict: null }),
]

interface Adjusted {
  type: string
  amount: string
  date: string
  description: string
  is_recurring?: boolean
}

/** An adjustment that the company enters, and so approves, on its date. */
const given = (key: string, contract: string, terms: Adjusted, on = terms.date): Step => ({
  ...{ on, kind: 'adjustments', operation: 'invoice_adjustments.create', makes: key },
  input: { contract_id: `@${contract}`, external_id: key, ...terms },
})

/** An adjustment that the worker enters on its date. */
const claimed = (key: string, [contract, worker]: [string, Name], terms: Adjusted): Step => ({
  ...given(key, contract, terms),
  ...{ operation: 'worker.create_invoice_adjustment', by: `@${worker}` },
})

const reviewed = (on: string, key: string, status: Verdict): Step => ({
  ...{ on, kind: 'adjustments', operation: 'invoice_adjustments.review' },
  input: { invoice_adjustment_id: `@${key}`, status },
})

const adjusted = (type: string, amount: string, date: string, description: string): Adjusted => ({
  ...{ type, amount, date, description },
})

export const adjustments: Step[] = [
  given('X01', 'C03', adjusted('bonus', '500.00', '2026-02-20', 'Release of the platform')),
  given(
    'X03',
    'C03',
    { ...adjusted('other', '50.00', '2026-02-28', 'Internet at home'), is_recurring: true },
    '2026-02-20',
  ),
  given('X06', 'C04', adjusted('deduction', '120.00', '2026-03-10', 'Licence paid by the company')),
  claimed('X02', ['C03', 'jonas'], adjusted('expense', '89.90', '2026-03-12', 'Train to the team week')),
  claimed('X07', ['C09', 'bruno'], adjusted('overtime', '90.00', '2026-03-12', 'Late evening')),
  reviewed('2026-03-13', 'X02', 'approved'),
  reviewed('2026-03-13', 'X07', 'declined'),
  claimed('X09', ['C07', 'ines'], adjusted('expense', '35000', '2026-03-18', 'Notary fees')),
  reviewed('2026-03-19', 'X09', 'approved'),
  given('X04', 'C10', adjusted('milestone', '2500.00', '2026-03-20', 'Card payments are live')),
  given('X11', 'C03', adjusted('expense', '240.00', '2026-03-20', 'Conference ticket')),
  claimed('X12', ['C11', 'liam'], adjusted('expense', '45.00', '2026-03-20', 'Parking')),
  given('X08', 'C10', adjusted('deduction', '4000.00', '2026-03-25', 'Advance of the first phase')),
  claimed('X05', ['C10', 'emeka'], adjusted('milestone', '1500.00', '2026-04-02', 'Refunds are live')),
  claimed('X10', ['C08', 'goro'], adjusted('commission', '10000', '2026-04-07', 'Referral of a customer')),
]
