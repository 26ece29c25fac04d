import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '#core/problems.ts'
import { addDays } from '#core/values.ts'
import { type ContractRow, contract } from './contract.ts'
import {
  archive,
  cancel,
  cancelTermination,
  clearSignatures,
  end,
  invite,
  reject,
  revokeInvitation,
  sign,
  terminate,
  unarchive,
} from './lifecycle.ts'

const by = { kind: 'token', id: null, name: 'test' } as const
const start = Date.parse('2026-06-15T09:00:00.000Z')
const tx = { now: '2026-06-15T09:00:00.000Z' }

function draft(end_date: string | null): ContractRow {
  return contract.newRow(tx, {
    organization_id: 'o',
    id: 'c',
    type: 'employee',
    title: 'x',
    external_id: null,
    created_by: by,
    worker_id: 'w',
    worker_email: 'w@harbour.example',
    worker_name: 'W',
    legal_entity_id: 'e',
    legal_entity_name: 'E',
    team_id: null,
    team_name: null,
    country: 'DE',
    region: null,
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    start_date: '2026-06-01',
    end_date,
    job_title: null,
    seniority: null,
    scope_of_work: null,
    special_clause: null,
    notice_period_days: 0,
    amount: '1.00',
    scale: 'monthly',
    frequency: null,
    cycle_end_type: null,
    cycle_end: null,
    first_cycle_end: null,
    payment_due_days: 7,
    pay_before_weekends: false,
    proration: 'calendar_days',
    vat_rate: null,
    reverse_charge: false,
    last_day: end_date,
  })
}

/** One step of a history: a transition and the days that pass before it. */
const step = fc.record({
  days: fc.nat({ max: 20 }),
  action: fc.constantFrom(
    'sign client',
    'sign worker',
    'change terms',
    'invite',
    'revoke',
    'cancel',
    'reject',
    'terminate',
    'terminate later',
    'cancel termination',
    'timer',
    'archive',
    'unarchive',
  ),
  type: fc.constantFrom('resignation', 'termination', 'end_of_contract'),
})

function take(row: ContractRow, { action, type }: { action: string; type: string }, at: string): ContractRow {
  const date = at.slice(0, 10)
  const wish = { type: type as 'termination', reason: null, message: null, eligible_for_rehire: null }
  switch (action) {
    case 'sign client':
      return sign(row, { party: 'client', signer_name: 'N', at, by })
    case 'sign worker':
      return sign(row, { party: 'worker', signer_name: 'W', at, by })
    case 'change terms':
      return row.status === 'pending' ? clearSignatures(row) : row
    case 'invite':
      return invite(row, { email: 'w@harbour.example', locale: 'en', at })
    case 'revoke':
      return revokeInvitation(row, { at })
    case 'cancel':
      return cancel(row, { reason: null, at })
    case 'reject':
      return reject(row, { reason: 'no', at })
    case 'terminate':
      return terminate(row, { ...wish, completion_date: null, at, by })
    case 'terminate later':
      return terminate(row, { ...wish, completion_date: addDays(date, 3), at, by })
    case 'cancel termination':
      return cancelTermination(row, { at })
    case 'timer':
      return row.status === 'active' && row.last_day !== null && row.last_day < date ? end(row, at) : row
    case 'archive':
      return archive(row, { at })
    default:
      return unarchive(row)
  }
}

const next: Record<ContractRow['status'], readonly ContractRow['status'][]> = {
  pending: ['pending', 'active', 'cancelled', 'rejected'],
  active: ['active', 'completed', 'terminated'],
  completed: ['completed'],
  terminated: ['terminated'],
  cancelled: ['cancelled'],
  rejected: ['rejected'],
}

function holds(before: ContractRow, row: ContractRow): void {
  const { status, client_signed_at, worker_signed_at, end_date, completion_date } = row
  assert.ok(next[before.status].includes(status), `${before.status} never becomes ${status}`)
  const was_active = ['active', 'completed', 'terminated'].includes(status)
  assert.equal(client_signed_at !== null && worker_signed_at !== null, was_active)
  const dates = [end_date, completion_date].filter((date) => date !== null).sort()
  assert.equal(row.last_day, dates[0] ?? null)
  assert.equal(row.termination === null, completion_date === null)
  assert.equal(row.ended_at === null, status === 'pending' || status === 'active')
  assert.ok(row.invitation === null || status === 'pending')
  assert.ok(row.archived_at === null || row.ended_at !== null)
  if (before.ended_at !== null) assert.deepEqual({ ...row, archived_at: null }, { ...before, archived_at: null })
}

test('no history of a contract leaves the state machine, and refusals are problems', () => {
  const histories = fc.tuple(fc.option(fc.constantFrom('2026-06-20', '2026-09-30')), fc.array(step, { maxLength: 20 }))
  fc.assert(
    fc.property(histories, ([end_date, steps]) => {
      let row = draft(end_date)
      let at_ms = start
      for (const taken of steps) {
        at_ms += taken.days * 86_400_000
        try {
          const after = take(row, taken, new Date(at_ms).toISOString())
          holds(row, after)
          row = after
        } catch (error) {
          if (!(error instanceof Problem)) throw error
        }
      }
    }),
    { numRuns: 2_000 },
  )
})
