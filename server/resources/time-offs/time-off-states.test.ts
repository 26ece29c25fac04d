import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start } from '#test/contract-states.ts'
import type { Body } from '#test/factories.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'
import { timeOffIn } from '#test/time-off.ts'
import { type TimeOffStatus, time_off_statuses } from './time-off.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Outcome = { to: TimeOffStatus; emits: string[] }

interface Trigger {
  act(t: TestService, at: Body): Promise<{ status: number; body: Body } | undefined>
  from: Partial<Record<TimeOffStatus, Outcome>>
}

const post = (path: string, body: object = {}) => ({
  act: (t: TestService, { id }: Body) => t.call('POST', path.replace(':id', id), { body }),
})
const worker = (at: string): Pick<Trigger, 'act'> => ({
  async act(t, { id, worker }) {
    await t.clock.set(at)
    return t.call('POST', `/worker/time-offs/${id}/cancel`, { token: worker, body: {} })
  },
})
const cancelled: Outcome = { to: 'cancelled', emits: ['time-off.cancelled'] }
const reviewed = (to: TimeOffStatus): Trigger['from'] => ({ requested: { to, emits: ['time-off.reviewed'] } })

/** Every trigger of domain rules 3.8, and where it leads from; from every other state it is refused. */
const triggers: Record<string, Trigger> = {
  'time_offs.update': {
    act: (t, { id }) => t.call('PATCH', `/time-offs/${id}`, { body: { end_date: '2026-08-06' } }),
    from: { requested: { to: 'requested', emits: ['time-off.updated'] } },
  },
  'an approval': { ...post('/time-offs/:id/review', { status: 'approved' }), from: reviewed('approved') },
  'a rejection': { ...post('/time-offs/:id/review', { status: 'rejected' }), from: reviewed('rejected') },
  'time_offs.cancel': { ...post('/time-offs/:id/cancel'), from: { requested: cancelled, approved: cancelled } },
  // In Berlin, where the organization is, the first day begins at 22:00 UTC.
  'worker.cancel_time_off before the first day': {
    ...worker('2026-08-02T21:59:00.000Z'),
    from: { requested: cancelled, approved: cancelled },
  },
  'worker.cancel_time_off on the first day': { ...worker('2026-08-02T22:01:00.000Z'), from: { requested: cancelled } },
  'timer time_off_end': {
    async act(t) {
      await t.clock.set('2026-08-08T00:00:00.000Z')
      await t.timers.runDue()
      return undefined
    },
    from: { approved: { to: 'used', emits: ['time-off.status.updated'] } },
  },
  'timer time_off_end, before the last day is over': {
    async act(t, { status }) {
      await t.clock.set(status === 'used' ? '2026-08-08T00:00:00.000Z' : '2026-08-07T21:59:00.000Z')
      await t.timers.runDue()
      return undefined
    },
    from: {},
  },
}

for (const [name, { act, from }] of Object.entries(triggers)) {
  for (const status of time_off_statuses) {
    const outcome = from[status]
    const expected = outcome ? `leads to ${outcome.to}` : 'does nothing'
    test(`${name}: ${status}, ${expected}`, async () => {
      await service.clock.set(clock_start)
      const t = inOrganization(service, await service.createOrganization())
      const at = await timeOffIn(t, status)
      const read = async () => (await t.call('GET', `/time-offs/${at.id}`)).body
      const earlier = await read()
      await t.takeEvents()
      const answer = await act(t, at)
      const later = await read()
      const events = await t.takeEvents()
      assert.deepEqual(
        events.map(({ event_type }) => event_type),
        outcome?.emits ?? [],
      )
      if (!outcome) {
        assert.deepEqual(later, earlier)
        if (answer) assert.equal(`${answer.status} ${answer.body.code}`, '409 invalid_state')
        return
      }
      assert.equal(later.status, outcome.to)
      assert.ok(later.updated_at > earlier.updated_at)
      if (answer) assert.deepEqual([answer.status, answer.body], [200, later])
      assert.equal(events[0]?.resource[0]?.status, outcome.to)
    })
  }
}

test('a worker cancels what it asked for until it is decided, and nobody else’s', async () => {
  await service.clock.set(clock_start)
  const t = inOrganization(service, await service.createOrganization())
  const [own, other] = [await timeOffIn(t, 'requested'), await timeOffIn(t, 'requested')]
  const { status } = await t.call('POST', `/worker/time-offs/${own.id}/cancel`, { token: other.worker, body: {} })
  assert.equal(status, 404)
  const answer = await t.call('POST', `/worker/time-offs/${own.id}/cancel`, { token: own.worker, body: {} })
  assert.equal(answer.body.status, 'cancelled')
})

test('time off of days long past is used as soon as it is approved, and told as of then', async () => {
  await service.clock.set(clock_start)
  const t = inOrganization(service, await service.createOrganization())
  const { id } = await timeOffIn(t, 'approved', { start_date: '2026-06-01', end_date: '2026-06-03' })
  await t.takeEvents()
  assert.equal(await t.timers.runDue(), 1)
  const [event] = await t.takeEvents()
  assert.equal(event?.resource[0]?.previous_status, 'approved')
  assert.equal((await t.call('GET', `/time-offs/${id}`)).body.status, 'used')
})

test('with the last contract the time off after its last day goes, and what has begun stays', async () => {
  await service.clock.set('2026-08-05T09:00:00.000Z')
  const t = inOrganization(service, await service.createOrganization())
  const begun = await timeOffIn(t, 'approved')
  const { person_id, policy_id } = begun
  const of = { person_id, policy_id }
  const last = await timeOffIn(t, 'approved', { ...of, start_date: '2026-08-20', end_date: '2026-08-25' })
  const ahead = await timeOffIn(t, 'approved', { ...of, start_date: '2026-09-01', end_date: '2026-09-04' })
  const asked = await timeOffIn(t, 'requested', { ...of, start_date: '2026-10-01', end_date: '2026-10-02' })
  const { body } = await t.call('GET', '/contracts', { query: { worker_id: person_id } })
  const contract = `/contracts/${body.data[0].id}`
  for (const path of [`${contract}/sign`, `/worker${contract}/sign`]) {
    const token = path.startsWith('/worker') ? begun.worker : t.organization.token
    const signed = await t.call('POST', path, { token, body: { signer_name: 'Someone', terms_version: 1 } })
    assert.equal(signed.status, 200, JSON.stringify(signed.body))
  }
  const ending = { type: 'resignation', completion_date: '2026-08-21' }
  assert.equal((await t.call('POST', `${contract}/terminate`, { body: ending })).status, 200)
  const statuses = async () =>
    Promise.all([begun, last, ahead, asked].map(async ({ id }) => (await t.call('GET', `/time-offs/${id}`)).body))
  assert.deepEqual(
    (await statuses()).map(({ status }) => status),
    ['approved', 'approved', 'approved', 'requested'],
  )
  await t.takeEvents()
  await t.clock.set('2026-08-22T12:00:00.000Z')
  await t.timers.runDue()
  const after = await statuses()
  assert.deepEqual(
    after.map(({ status, cancel_reason }) => [status, cancel_reason]),
    [
      ['used', null],
      ['approved', null],
      ['cancelled', 'person_left'],
      ['cancelled', 'person_left'],
    ],
  )
  const told = (await t.takeEvents()).filter(({ event_type }) => event_type === 'time-off.cancelled')
  assert.deepEqual(
    told.map(({ resource }) => resource[0]?.time_off_id),
    [ahead.id, asked.id],
  )
  await t.clock.set('2026-10-05T12:00:00.000Z')
  await t.timers.runDue()
  assert.deepEqual(
    (await statuses()).map(({ status }) => status),
    ['used', 'used', 'cancelled', 'cancelled'],
  )
})
