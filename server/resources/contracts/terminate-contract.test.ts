import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { type TestService, useTestService } from '#test/service.ts'
import { makePolicy, requestTimeOff } from '#test/time-off.ts'
import { firedNow } from '#test/timers.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

const terminate = (id: string, body: object, at = service) => at.call('POST', `/contracts/${id}/terminate`, { body })
const over = { answers: '409 invalid_state' } as const
const others = {
  pending: over,
  client_signed: over,
  worker_signed: over,
  invited: over,
  terminating: over,
  completed: over,
  terminated: over,
  cancelled: over,
  rejected: over,
}
const ended = ['contract.status.updated', 'person.updated']

cases('contracts.terminate', {
  ...eachState(
    'with a date an active contract goes on until then',
    { ...others, active: { body: { status: 'active' }, emits: ['contract.termination.requested', 'person.updated'] } },
    { type: 'termination', completion_date: '2026-07-31' },
  ),
  ...eachState(
    'without a date an active contract is terminated at once',
    { ...others, active: { body: { status: 'terminated' }, emits: ['contract.terminated', ...ended] } },
    { type: 'resignation' },
  ),
  ...eachState(
    'without a date the planned end of an active contract completes it at once',
    { ...others, active: { body: { status: 'completed' }, emits: ['contract.completed', ...ended] } },
    { type: 'end_of_contract', completion_date: null },
  ),
  'a completion in the past is refused': {
    given: (t) => contractIn(t, 'active'),
    input: { type: 'termination', completion_date: '2026-06-14' },
    answers: '422 date_out_of_range',
    errors: ['/completion_date'],
  },
  'with the last contract of a person time off ahead is cancelled': {
    given: async (t) => {
      const contract = await contractIn(t, 'active')
      const { id: policy_id } = await makePolicy(t)
      await requestTimeOff(t, { person_id: contract.worker_id, policy_id })
      return contract
    },
    input: { type: 'resignation' },
    emits: ['contract.terminated', ...ended, 'time-off.cancelled'],
  },
  'an open amendment is declined with the end of its contract': {
    given: async (t) => {
      const contract = await contractIn(t, 'active')
      const body = { terms: { job_title: 'Lead' } }
      const { status } = await t.call('POST', `/contracts/${contract.id}/amendments`, { body })
      assert.equal(status, 201)
      return contract
    },
    input: { type: 'termination' },
    body: { status: 'terminated' },
    emits: ['contract.terminated', ...ended, 'contract.amendment.declined', 'contract.amendment.status.updated'],
    audit: ({ contract_id }) => ({ subject_id: contract_id, changed_fields: ['type'] }),
  },
})

const wish = {
  type: 'resignation',
  completion_date: '2026-07-31',
  reason: 'moves abroad',
  message: 'Thank you.',
  eligible_for_rehire: true,
}

test('the termination stands on the contract with who asked for it, and the worker is leaving', async () => {
  const { id, worker_id } = await contractIn(service, 'active')
  await service.takeEvents()
  const { body } = await terminate(id, wish)
  assert.equal(body.last_day, '2026-07-31')
  assert.partialDeepStrictEqual(body.termination, {
    ...wish,
    requested_at: clock_start,
    requested_by: { kind: 'token', name: 'test' },
  })
  const [requested, person] = (await service.takeEvents()).map(({ resource }) => resource[0])
  assert.partialDeepStrictEqual(requested, {
    status: 'active',
    last_day: '2026-07-31',
    termination_type: 'resignation',
    completion_date: '2026-07-31',
    reason: 'moves abroad',
  })
  assert.partialDeepStrictEqual(person, { person_id: worker_id, status: 'offboarding', changed_fields: ['status'] })
})

test('an end at once has today as its last day, in the time zone of the contract', async () => {
  const { id } = await contractIn(service, 'active', { timezone: 'Pacific/Midway', start_date: '2026-06-01' })
  const { body } = await terminate(id, { type: 'termination', reason: 'project stopped' })
  assert.partialDeepStrictEqual(body, {
    status: 'terminated',
    status_reason: 'project stopped',
    last_day: '2026-06-14',
    ended_at: clock_start,
    termination: { completion_date: '2026-06-14' },
  })
})

for (const [overrides, completion_date, accepted, range] of [
  [{}, '2026-06-15', true, ''],
  [{}, '2026-06-14', false, 'from 2026-06-15 to 2027-06-16'],
  [{}, '2027-06-16', true, ''],
  [{}, '2027-06-17', false, 'from 2026-06-15 to 2027-06-16'],
  [{ start_date: '2026-07-01' }, '2026-07-01', true, ''],
  [{ start_date: '2026-07-01' }, '2026-06-30', false, 'from 2026-07-01 to 2027-06-16'],
  [{ end_date: '2026-08-31' }, '2026-08-31', true, ''],
  [{ end_date: '2026-08-31' }, '2026-09-01', false, 'from 2026-06-15 to 2026-08-31'],
] as const) {
  const words = `${completion_date} ${JSON.stringify(overrides)}`
  test(`a completion on ${words} is ${accepted ? 'possible' : `refused: ${range}`}`, async () => {
    const { id } = await contractIn(service, 'active', overrides)
    const { status, body } = await terminate(id, { type: 'termination', completion_date })
    if (accepted) {
      assert.equal(body.last_day, completion_date)
      return
    }
    assert.deepEqual([status, body.code], [422, 'date_out_of_range'])
    assert.deepEqual(body.errors, [{ pointer: '/completion_date', message: `must be ${range}` }])
  })
}

for (const [overrides, body, to, events, entry] of [
  [{}, wish, 'terminated', 'contract.terminated', { termination_type: 'resignation', reason: 'moves abroad' }],
  [{}, { ...wish, type: 'termination' }, 'terminated', 'contract.terminated', { termination_type: 'termination' }],
  [
    {},
    { ...wish, type: 'end_of_contract' },
    'completed',
    'contract.completed',
    { termination_type: 'end_of_contract' },
  ],
  [{ end_date: '2026-07-31' }, null, 'completed', 'contract.completed', { termination_type: null, reason: null }],
  [{ end_date: '2026-07-31' }, wish, 'terminated', 'contract.terminated', { termination_type: 'resignation' }],
] as const) {
  const words = `${body ? body.type : 'nothing but its end date'}${'end_date' in overrides ? ', with an end date' : ''}`
  test(`by ${words} a contract is ${to} when the day after its last one begins`, async (t) => {
    const own = await useTestService(t)
    await own.clock.set(clock_start)
    const { id } = await contractIn(own, 'active', overrides)
    if (body) await terminate(id, body, own)
    await own.takeEvents()
    // Midnight in Berlin, in summer.
    await own.clock.set('2026-07-31T21:59:59.999Z')
    assert.equal(await firedNow(own, 'contract_end'), 0)
    await own.clock.set('2026-07-31T22:00:00.000Z')
    assert.equal(await firedNow(own, 'contract_end'), 1)
    const ended = (await own.call('GET', `/contracts/${id}`)).body
    assert.partialDeepStrictEqual(ended, { status: to, last_day: '2026-07-31', ended_at: '2026-07-31T22:00:00.000Z' })
    const told = (await own.takeEvents()).filter(({ event_type }) => /^(contract|person)\./.test(event_type))
    assert.deepEqual(
      told.map(({ event_type }) => event_type),
      [events, 'contract.status.updated', 'person.updated'],
    )
    assert.partialDeepStrictEqual(told[0]?.resource[0], { status: to, completion_date: '2026-07-31', ...entry })
    assert.equal(told[2]?.resource[0]?.status, 'inactive')
    assert.equal(await firedNow(own, 'contract_end'), 0)
  })
}

test('of two terminations at once one is refused', async () => {
  const { id } = await contractIn(service, 'active')
  await service.takeEvents()
  const answers = await Promise.all([terminate(id, wish), terminate(id, { type: 'termination' })])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
})

for (const body of [
  {},
  { type: 'dismissal' },
  { type: 'termination', completion_date: '31.07.2026' },
  { ...wish, reason: 'x'.repeat(501) },
]) {
  test(`${JSON.stringify(body).slice(0, 60)} is not valid`, async () => {
    const { id } = await contractIn(service, 'active')
    assert.equal((await terminate(id, body)).status, 400)
  })
}
