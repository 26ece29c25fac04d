import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { done, personAndPolicy, requestTimeOff, timeOffIn, week } from '#test/time-off.ts'

const named = (row: Body) => ({ ...row, time_off_id: row.id })
const blind = 'client without sensitive data'

/** Two requests that fit together, of which the policy then grants only so many days. */
async function twoRequests(t: TestService, annual_allowance_days: string) {
  const of = await personAndPolicy(t)
  const first = await requestTimeOff(t, of)
  await requestTimeOff(t, { ...of, start_date: '2026-09-07', end_date: '2026-09-11' })
  const changed = await t.call('PATCH', `/time-off-policies/${of.policy_id}`, { body: { annual_allowance_days } })
  assert.equal(changed.status, 200)
  return named(first)
}

cases('time_offs.review', {
  'a request is approved': {
    given: (t) => timeOffIn(t, 'requested'),
    input: { status: 'approved', reason: 'Enjoy\nthe sea' },
    body: {
      status: 'approved',
      review: { status: 'approved', reason: 'Enjoy\nthe sea', reviewed_by: { kind: 'token' } },
    },
    emits: ({ id }) => [['time-off.reviewed', { time_off_id: id, status: 'approved', days: '5' }]],
    audit: ({ id }) => ({ subject_kind: 'time_offs', subject_id: id }),
  },
  'a request is rejected': {
    given: (t) => timeOffIn(t, 'requested'),
    input: { status: 'rejected' },
    body: { status: 'rejected', review: { status: 'rejected', reason: null } },
    emits: [['time-off.reviewed', { status: 'rejected' }]],
  },
  'who may not see leave rejects': {
    as: blind,
    given: (t) => timeOffIn(t, 'requested'),
    input: { status: 'rejected', reason: 'No' },
    body: { status: 'rejected', review: { reason: null } },
    emits: ['time-off.reviewed'],
  },
  'who may not see leave approves nothing, whatever is left': {
    as: blind,
    given: async (t) => named(await requestTimeOff(t, await personAndPolicy(t, { annual_allowance_days: null }))),
    input: { status: 'approved' },
    answers: '403 sensitive_data_required',
  },
  'what is decided is decided': {
    given: (t) => timeOffIn(t, 'rejected'),
    input: { status: 'approved' },
    answers: '409 invalid_state',
  },
  'more than is left by now is refused': {
    given: (t) => twoRequests(t, '4.5'),
    input: { status: 'approved' },
    answers: '422 insufficient_entitlement',
  },
  'of two requests that are too many together one can be granted': {
    given: (t) => twoRequests(t, '5'),
    input: { status: 'approved' },
    emits: ['time-off.reviewed'],
  },
  'a viewer decides nothing': {
    as: 'viewer',
    given: (t) => timeOffIn(t, 'requested'),
    input: { status: 'approved' },
    answers: '403 insufficient_scope',
  },
})

cases('time_offs.cancel', {
  'approved time off is cancelled, and its days are free': {
    given: (t) => timeOffIn(t, 'approved'),
    input: { reason: 'Ill' },
    body: ({ id }) => ({ id, status: 'cancelled', cancel_reason: 'Ill', review: { status: 'approved' } }),
    emits: [['time-off.cancelled', { status: 'cancelled' }]],
    audit: ({ id }) => ({ subject_kind: 'time_offs', subject_id: id }),
    afterwards: async (t, { given: { person_id, policy_id } }) => {
      await done(t, '/time-offs', { person_id, policy_id, ...week })
    },
  },
  'what is used is not cancelled': { given: (t) => timeOffIn(t, 'used'), answers: '409 invalid_state' },
})

cases('worker.cancel_time_off', {
  'a worker cancels what has not begun': {
    given: (t) => timeOffIn(t, 'approved'),
    input: { reason: 'Plans have changed' },
    body: { status: 'cancelled', cancel_reason: 'Plans have changed' },
    emits: ['time-off.cancelled'],
    audit: ({ id }) => ({ subject_kind: 'time_offs', subject_id: id, actor: { kind: 'worker' } }),
  },
  'what is rejected stays': { given: (t) => timeOffIn(t, 'rejected'), answers: '409 invalid_state' },
})
