import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ContractState, clock_start, contractIn, contractStates } from '#test/contract-states.ts'
import { type Body, createContract, createPerson, workerLogin } from '#test/factories.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const fresh = async () => {
  await service.clock.set(clock_start)
  return inOrganization(service, await service.createOrganization())
}

type Status = 'pending' | 'active' | 'offboarding' | 'inactive'
const read = async (t: TestService, id: string): Promise<Body> => (await t.call('GET', `/people/${id}`)).body

/** The status that a contract alone gives its worker, weakest first: of several contracts the last of these counts. */
const order: readonly Status[] = ['inactive', 'pending', 'offboarding', 'active']
const alone: Record<ContractState, Status> = {
  ...{ pending: 'pending', client_signed: 'pending', worker_signed: 'pending', invited: 'pending' },
  ...{ active: 'active', terminating: 'offboarding' },
  ...{ completed: 'inactive', terminated: 'inactive', cancelled: 'inactive', rejected: 'inactive' },
}

test('the status of a person is that of its strongest contract, and active without any', async () => {
  const t = await fresh()
  assert.equal((await createPerson(t)).status, 'active')
  const several = ['pending', 'active', 'terminating', 'cancelled'] as const
  const pairs = several.flatMap((first) => several.map((second) => [first, second] as const))
  for (const states of [...contractStates.map((state) => [state] as const), ...pairs]) {
    const { id } = await createPerson(t, { country: 'DE' })
    for (const state of states) await contractIn(t, state, { worker_id: id })
    const expected = order.findLast((status) => states.some((state) => alone[state] === status))
    assert.equal((await read(t, id)).status, expected, states.join(' and '))
  }
})

/** A person by its one contract; `none` has none. */
const situations = ['none', 'pending', 'active', 'offboarding', 'inactive'] as const
type Situation = (typeof situations)[number]
const contractOf = { pending: 'pending', active: 'active', offboarding: 'terminating', inactive: 'cancelled' } as const

interface AtHand {
  t: TestService
  person: string
  contract: string
}

const post = async ({ t, contract }: AtHand, step: string, body: object = {}) =>
  (await t.call('POST', `/contracts/${contract}/${step}`, { body })).status
const named = { signer_name: 'Someone Named', terms_version: 1 }

const triggers = {
  'another contract': async ({ t, person }) => {
    await createContract(t, { worker_id: person })
    return 201
  },
  'both sign': async (given) => {
    const { t, person, contract } = given
    const worker = await workerLogin(t, person)
    const signed = await t.call('POST', `/worker/contracts/${contract}/sign`, { token: worker, body: named })
    return signed.status === 200 ? post(given, 'sign', named) : signed.status
  },
  cancel: (given) => post(given, 'cancel'),
  reject: async ({ t, person, contract }) =>
    (await t.call('POST', `/worker/contracts/${contract}/reject`, { token: await workerLogin(t, person), body: {} }))
      .status,
  'terminate later': (given) => post(given, 'terminate', { type: 'resignation', completion_date: '2026-12-01' }),
  'terminate at once': (given) => post(given, 'terminate', { type: 'resignation' }),
  'keep after all': (given) => post(given, 'cancel-termination'),
  'the last day is over': async ({ t }) => {
    await t.clock.set('2026-12-02T12:00:00.000Z')
    await service.timers.runDue()
    return 200
  },
  'its data change': async ({ t, person }) =>
    (await t.call('PATCH', `/people/${person}`, { body: { job_title: 'Lead' } })).status,
  removal: async ({ t, person }) => (await t.call('DELETE', `/people/${person}`)).status,
} satisfies Record<string, (given: AtHand) => Promise<number>>
type Trigger = keyof typeof triggers

/** The status afterwards; a number is that of the refusal, which changes nothing; absent: there is no contract to do it to. */
const table: Record<Trigger, Partial<Record<Situation, Status | 'deleted' | 409>>> = {
  'another contract': {
    none: 'pending',
    pending: 'pending',
    active: 'active',
    offboarding: 'offboarding',
    inactive: 'pending',
  },
  'both sign': { pending: 'active', active: 409, offboarding: 409, inactive: 409 },
  cancel: { pending: 'inactive', active: 409, offboarding: 409, inactive: 409 },
  reject: { pending: 'inactive', active: 409, offboarding: 409, inactive: 409 },
  'terminate later': { pending: 409, active: 'offboarding', offboarding: 409, inactive: 409 },
  'terminate at once': { pending: 409, active: 'inactive', offboarding: 409, inactive: 409 },
  'keep after all': { pending: 409, active: 409, offboarding: 'active', inactive: 409 },
  'the last day is over': { pending: 'pending', active: 'active', offboarding: 'inactive', inactive: 'inactive' },
  'its data change': {
    none: 'active',
    pending: 'pending',
    active: 'active',
    offboarding: 'offboarding',
    inactive: 'inactive',
  },
  removal: { none: 'deleted', pending: 409, active: 409, offboarding: 409, inactive: 'deleted' },
}

for (const trigger of Object.keys(table) as Trigger[]) {
  for (const situation of situations) {
    const expected = table[trigger][situation]
    if (expected === undefined) continue
    test(`${trigger}: ${situation} → ${expected}`, async () => {
      const t = await fresh()
      const person: string = (await createPerson(t, { country: 'DE' })).id
      const contract =
        situation === 'none' ? '' : (await contractIn(t, contractOf[situation], { worker_id: person })).id
      const earlier = await read(t, person)
      assert.equal(earlier.status, situation === 'none' ? 'active' : situation)
      await t.takeEvents()
      const status = await triggers[trigger]({ t, person, contract })
      const later = await read(t, person)
      const told = (await t.takeEvents()).filter(({ event_type }) => event_type.startsWith('person.'))
      if (expected === 409) {
        assert.deepEqual([status, later, told], [409, earlier, []])
        return
      }
      const changed_fields = [trigger === 'its data change' ? 'job_title' : 'status']
      const changed = {
        event_type: 'person.updated',
        resource: [{ person_id: person, status: expected, changed_fields }],
      }
      const removed = { event_type: 'person.deleted', resource: [{ person_id: person }] }
      const is_told = expected !== earlier.status || trigger === 'its data change'
      assert.equal(told.length, is_told ? 1 : 0)
      if (is_told) assert.partialDeepStrictEqual(told[0], expected === 'deleted' ? removed : changed)
      assert.equal(later.status, expected === 'deleted' ? 404 : expected)
    })
  }
}

const accesses = ['none', 'enabled', 'disabled'] as const
type Access = (typeof accesses)[number]

async function provision(t: TestService, method: 'PATCH' | 'DELETE', id: string, active?: boolean): Promise<number> {
  const { statusCode } = await t.app.inject({
    ...{ method, url: `/scim/v2/Users/${id}` },
    headers: { authorization: `Bearer ${t.organization.token}`, 'content-type': 'application/scim+json' },
    ...(method === 'PATCH' && { payload: { Operations: [{ op: 'replace', path: 'active', value: active }] } }),
  })
  return statusCode
}

type Outcome = [to: Access | 'deleted', ...tells: string[]] | 409
const opened: Outcome = ['enabled', 'user.provisioned']
const closed: Outcome = ['disabled', 'user.deprovisioned']

interface Closing {
  act(t: TestService, id: string): Promise<number>
  /** Absent: nothing happens. */
  leads: Partial<Record<Access, Outcome>>
}

/** Domain rules 3.7: what opens and closes the access of a person. How an invitation does is in `invitations.test.ts`. */
const closings: Record<string, Closing> = {
  'active: true': {
    act: (t, id) => provision(t, 'PATCH', id, true),
    leads: { none: opened, disabled: opened },
  },
  'active: false': {
    act: (t, id) => provision(t, 'PATCH', id, false),
    leads: { none: ['disabled'], enabled: closed },
  },
  'a DELETE of provisioning': {
    act: (t, id) => provision(t, 'DELETE', id),
    leads: { none: ['disabled'], enabled: closed },
  },
  'people.block_access': {
    act: async (t, id) => (await t.call('POST', `/people/${id}/block-access`)).status,
    leads: { none: 409, enabled: closed, disabled: 409 },
  },
  'people.delete': {
    act: async (t, id) => (await t.call('DELETE', `/people/${id}`)).status,
    leads: {
      none: ['deleted', 'person.deleted'],
      enabled: ['deleted', 'person.deleted', 'user.deprovisioned'],
      disabled: ['deleted', 'person.deleted'],
    },
  },
}

for (const [name, { act, leads }] of Object.entries(closings)) {
  for (const access of accesses) {
    const { [access]: outcome = [access] } = leads
    test(`access that is ${access}, ${name}: ${outcome === 409 ? 'refused' : outcome[0]}`, async () => {
      const t = await fresh()
      const { id } = await createPerson(t)
      if (access !== 'none') await provision(t, 'PATCH', id, true)
      if (access === 'disabled') await provision(t, 'PATCH', id, false)
      assert.equal((await read(t, id)).access, access)
      await t.takeEvents()
      const status = await act(t, id)
      const [to, ...tells] = outcome === 409 ? [access] : outcome
      assert.equal(status === 409, outcome === 409)
      const later = await read(t, id)
      assert.equal(later.status === 404 ? 'deleted' : later.access, to)
      const told = (await t.takeEvents()).map(({ event_type }) => event_type)
      assert.deepEqual(told, tells)
    })
  }
}
