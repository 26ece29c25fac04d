import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { makePolicy, personAndPolicy, requestTimeOff, timeOffIn, week } from '#test/time-off.ts'

const asked = ({ person_id, policy_id }: Body) => ({ person_id, policy_id, ...week })
const blind = 'client without sensitive data'
const unknown = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'

/** A request beside one for Monday to Wednesday noon, or for a Friday afternoon. */
const beside = (first: object, second: object, expected: Partial<Case>): Case => ({
  given: async (t) => requestTimeOff(t, first),
  input: ({ person_id, policy_id }) => ({ person_id, policy_id, ...second }),
  ...expected,
})
const wednesday = { start_date: '2026-08-03', end_date: '2026-08-05', end_half_day: true }
const friday = { start_date: '2026-08-07', end_date: '2026-08-07', start_half_day: true }
const free = { emits: ['time-off.created'] }
const taken = { answers: '409 time_off_overlap' } as const

cases('time_offs.create', {
  'a request waits for its approval': {
    given: (t) => personAndPolicy(t),
    input: (given) => ({ ...asked(given), reason: 'Sailing', external_id: 'T1' }),
    body: ({ person_id, policy_id }) => ({
      ...{ person_id, status: 'requested', days: '5', leave_type: 'vacation', is_paid: true, ...week },
      ...{ policy: { id: policy_id }, reason: 'Sailing', review: null, start_half_day: false, cancelled_at: null },
    }),
    emits: ({ person_id, policy_id }, { id, person_email }) => [
      [
        'time-off.created',
        { time_off_id: id, person_id, person_email, status: 'requested', days: '5', policy: { id: policy_id } },
      ],
    ],
    audit: (_, { id }) => ({ subject_kind: 'time_offs', subject_id: id }),
  },
  'where no approval is needed the system gives it': {
    given: (t) => personAndPolicy(t, { requires_approval: false }),
    input: asked,
    body: { status: 'approved', review: { status: 'approved', reason: null, reviewed_by: { kind: 'system' } } },
    emits: [
      ['time-off.created', { status: 'requested' }],
      ['time-off.reviewed', { status: 'approved', reviewed_by: { kind: 'system', id: null, name: 'System' } }],
    ],
  },
  'the client approves in the same call': {
    given: (t) => personAndPolicy(t),
    input: (given) => ({ ...asked(given), auto_approve: true }),
    body: { status: 'approved', review: { reviewed_by: { kind: 'token' } } },
    emits: ['time-off.created', 'time-off.reviewed'],
  },
  'who may not see leave makes a request without a limit, and reads nothing of it': {
    as: blind,
    given: (t) => personAndPolicy(t, { annual_allowance_days: null }),
    input: (given) => ({ ...asked(given), reason: 'Flu' }),
    body: { policy: null, leave_type: null, is_paid: null, reason: null, days: '5' },
    emits: ['time-off.created'],
  },
  'who may not see leave makes none that the balance decides': {
    as: blind,
    given: (t) => personAndPolicy(t),
    input: asked,
    answers: '403 sensitive_data_required',
  },
  'an unknown person is refused': {
    given: (t) => personAndPolicy(t),
    input: (given) => ({ ...asked(given), person_id: unknown }),
    answers: '422 reference_not_found',
    errors: ['/person_id'],
  },
  'a deleted policy is refused': {
    given: async (t) => {
      const given = await personAndPolicy(t)
      await t.call('DELETE', `/time-off-policies/${given.policy_id}`)
      return given
    },
    input: asked,
    answers: '422 reference_not_found',
    errors: ['/policy_id'],
  },
  'a weekend takes no working day': {
    given: (t) => personAndPolicy(t),
    input: (given) => ({ ...asked(given), start_date: '2026-08-01', end_date: '2026-08-02' }),
    answers: '422 date_out_of_range',
    errors: ['/start_date'],
  },
  'one day has one half at most': {
    given: (t) => personAndPolicy(t),
    input: (given) => ({ ...asked(given), ...friday, end_half_day: true }),
    answers: '400 validation_failed',
    errors: ['/end_half_day'],
  },
  'a day that is taken is refused': beside(week, { ...friday, start_half_day: false }, taken),
  'half of a day that is taken is refused': beside(week, friday, taken),
  'the same half is refused': beside(friday, friday, taken),
  'the other half is free': beside(friday, { ...friday, start_half_day: false, end_half_day: true }, free),
  'the rest of a day is free': beside(
    wednesday,
    { start_date: '2026-08-05', end_date: '2026-08-06', start_half_day: true },
    free,
  ),
  'the day between is free': beside(wednesday, { start_date: '2026-08-06', end_date: '2026-08-07' }, free),
  'days of what was cancelled are free': {
    given: (t) => timeOffIn(t, 'cancelled'),
    input: asked,
    emits: ['time-off.created'],
  },
  'days of what was rejected are free': {
    given: (t) => timeOffIn(t, 'rejected'),
    input: asked,
    emits: ['time-off.created'],
  },
  'more than is left is refused, what was requested counted': {
    given: async (t) => requestTimeOff(t, await personAndPolicy(t, { annual_allowance_days: '8.5' })),
    input: (given) => ({ ...asked(given), start_date: '2026-08-10', end_date: '2026-08-13' }),
    answers: '422 insufficient_entitlement',
  },
  'exactly what is left is granted': {
    given: async (t) => requestTimeOff(t, await personAndPolicy(t, { annual_allowance_days: '8.5' })),
    input: (given) => ({ ...asked(given), start_date: '2026-08-10', end_date: '2026-08-13', end_half_day: true }),
    body: { days: '3.5' },
    emits: ['time-off.created'],
  },
  'each year has its own balance': {
    given: (t) => personAndPolicy(t, { annual_allowance_days: '4' }),
    input: (given) => ({ ...asked(given), start_date: '2026-12-28', end_date: '2027-01-06' }),
    body: { days: '8' },
    emits: ['time-off.created'],
  },
  'what the next year lacks is not taken from this one': {
    given: (t) => personAndPolicy(t, { annual_allowance_days: '4' }),
    input: (given) => ({ ...asked(given), start_date: '2026-12-30', end_date: '2027-01-07' }),
    answers: '422 insufficient_entitlement',
  },
  'a balance may be overdrawn where the policy says so': {
    given: (t) => personAndPolicy(t, { annual_allowance_days: '2', allow_negative: true }),
    input: asked,
    emits: ['time-off.created'],
  },
})

const change = (fields: object, expected: Partial<Case>): Case => ({
  given: (t) => timeOffIn(t, 'requested'),
  input: fields as Record<string, unknown>,
  ...expected,
})

cases('time_offs.update', {
  'a request is moved, and its days are counted anew': change(
    { end_date: '2026-08-12', end_half_day: true },
    {
      body: { status: 'requested', end_date: '2026-08-12', days: '7.5' },
      emits: [['time-off.updated', { days: '7.5', changed_fields: ['end_date', 'end_half_day'] }]],
      audit: { subject_kind: 'time_offs', changed_fields: ['end_date', 'end_half_day'] },
    },
  ),
  'equal values change nothing': change({ ...week, reason: null }, { audit: null }),
  'a time off does not overlap itself': change({ start_date: '2026-08-04' }, { emits: ['time-off.updated'] }),
  'days of another one are refused': {
    given: async (t) => {
      const first = await timeOffIn(t, 'requested')
      const { person_id, policy_id } = first
      await requestTimeOff(t, { person_id, policy_id, start_date: '2026-08-10', end_date: '2026-08-10' })
      return first
    },
    input: { end_date: '2026-08-10' },
    ...taken,
  },
  'more than is left is refused': {
    given: async (t) => {
      const first = await requestTimeOff(t, await personAndPolicy(t, { annual_allowance_days: '5' }))
      return { ...first, time_off_id: first.id }
    },
    input: { end_date: '2026-08-10' },
    answers: '422 insufficient_entitlement',
  },
  'an end before the start is refused': change(
    { end_date: '2026-08-01' },
    { answers: '422 date_out_of_range', errors: ['/end_date'] },
  ),
  'who may not see leave moves no day': change(
    { end_date: '2026-08-06' },
    { as: blind, answers: '403 sensitive_data_required' },
  ),
  'who may not see the reason writes one, and it counts as a change': change(
    { reason: null },
    {
      as: blind,
      body: { reason: null },
      emits: [['time-off.updated', { changed_fields: ['reason'] }]],
    },
  ),
  'what is approved is not changed': {
    given: (t) => timeOffIn(t, 'approved'),
    input: { reason: 'Other' },
    answers: '409 invalid_state',
  },
})

cases('worker.request_time_off', {
  'a worker asks for itself': {
    given: async (t) => {
      const { person_id, policy_id } = await personAndPolicy(t)
      return { worker_id: person_id, policy_id }
    },
    input: ({ policy_id }) => ({ policy_id, ...week }),
    body: ({ worker_id }) => ({
      ...{ person_id: worker_id, status: 'requested', leave_type: 'vacation' },
      requested_by: { kind: 'worker', id: worker_id },
    }),
    emits: ['time-off.created'],
    audit: { subject_kind: 'time_offs' },
  },
  'where no approval is needed it has it': {
    given: async (t) => {
      const { person_id, policy_id } = await personAndPolicy(t, { requires_approval: false })
      return { worker_id: person_id, policy_id }
    },
    input: ({ policy_id }) => ({ policy_id, ...week }),
    body: { status: 'approved', review: { reviewed_by: { kind: 'system' } } },
    emits: ['time-off.created', 'time-off.reviewed'],
  },
  ...refusedToWorkers(),
})

/** The rules are those of the client's request; each refusal once. */
function refusedToWorkers(): Record<string, Case> {
  const second = (input: object, answers: NonNullable<Case['answers']>): Case => ({
    given: async (t) => {
      const { person_id, policy_id } = await requestTimeOff(t)
      return { worker_id: person_id, policy_id }
    },
    input: ({ policy_id }) => ({ policy_id, start_date: '2026-09-01', end_date: '2026-09-01', ...input }),
    answers,
  })
  return {
    'days that are taken are refused': second(week, '409 time_off_overlap'),
    'more than is left is refused': second({ end_date: '2026-12-31' }, '422 insufficient_entitlement'),
    'an end before the start is refused': second({ end_date: '2026-08-31' }, '422 date_out_of_range'),
    'an unknown policy is refused': second({ policy_id: unknown }, '422 reference_not_found'),
    'nobody approves for itself': second({ auto_approve: true }, '400 validation_failed'),
    'a minted token sees what its maker sees': {
      as: ({ minted }) => minted,
      given: async (t) => {
        const { person_id, policy_id } = await personAndPolicy(t)
        const token = await t.createToken(t.organization.id, { sensitive_data: [], is_sandbox: false })
        const { body } = await t.call('POST', `/people/${person_id}/worker-tokens`, { token, body: {} })
        return { policy_id, minted: body.token }
      },
      input: ({ policy_id }) => ({ policy_id, ...week }),
      answers: '403 sensitive_data_required',
    },
  }
}

/** Several calls at once, in an organization of its own. */
async function atOnce(bodies: (given: Body) => object[], policy: object = {}): Promise<[TestService, string[]]> {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  const given = await personAndPolicy(t, policy)
  const answers = await Promise.all(bodies(given).map((body) => t.call('POST', '/time-offs', { body })))
  return [t, answers.map(({ status, body }) => (status === 201 ? '201' : `${status} ${body.code}`)).sort()]
}

test('of many requests for one day at once one is stored', async () => {
  const [t, answers] = await atOnce((given) => Array.from({ length: 8 }, () => asked(given)))
  assert.deepEqual(answers, ['201', ...Array.from({ length: 7 }, () => '409 time_off_overlap')])
  assert.equal((await t.call('GET', '/time-offs')).body.total_count, 1)
})

test('requests for different days at once do not take more than the year has', async () => {
  const days = ['03', '04', '05', '06', '07', '10']
  const [, answers] = await atOnce(
    (given) => days.map((day) => ({ ...asked(given), start_date: `2026-08-${day}`, end_date: `2026-08-${day}` })),
    { annual_allowance_days: '4' },
  )
  assert.deepEqual(answers, [
    ...Array.from({ length: 4 }, () => '201'),
    ...Array.from({ length: 2 }, () => '422 insufficient_entitlement'),
  ])
})

test('a policy is not removed while a request under it is stored', async () => {
  const service = await serviceOfCases()
  for (let round = 0; round < 4; round += 1) {
    const t = inOrganization(service, await service.createOrganization())
    const given = await personAndPolicy(t)
    const [removed, stored] = await Promise.all([
      t.call('DELETE', `/time-off-policies/${given.policy_id}`),
      t.call('POST', '/time-offs', { body: asked(given) }),
    ])
    assert.equal([204, 201].filter((status) => [removed.status, stored.status].includes(status)).length, 1)
  }
})

test('a policy that is renamed is shown by its new name', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  const { id, policy_id } = await requestTimeOff(t)
  await t.call('PATCH', `/time-off-policies/${policy_id}`, { body: { name: 'Holidays', is_paid: false } })
  const { body } = await t.call('GET', `/time-offs/${id}`)
  assert.deepEqual([body.policy, body.is_paid], [{ id: policy_id, name: 'Holidays' }, true])
  assert.equal((await makePolicy(t, { name: 'Vacation' })).name, 'Vacation')
})

test('changes with and without a precondition do not wait for each other in a circle', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  const { id } = await requestTimeOff(t)
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, place) =>
      t.call('PATCH', `/time-offs/${id}`, {
        body: { start_half_day: place % 3 === 0 },
        headers: place % 2 === 0 ? { 'if-match': '*' } : {},
      }),
    ),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
})
