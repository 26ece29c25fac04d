import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Body, createPerson, insertNamed } from '#test/factories.ts'
import { inOrganization, startTestService, type TestAnswer, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** Few people, addresses and ids, so that histories meet. */
const one = fc.nat({ max: 3 })
const step = fc.record({
  kind: fc.constantFrom(
    'create',
    // Thrice, since a circle takes several of them.
    ...(['manage', 'manage', 'manage'] as const),
    'free',
    'rename',
    'join',
    'delete',
    'hire',
    'sign',
    'leave',
    'stay',
    'cancel',
  ),
  who: one,
  other: one,
})
type Step = typeof step extends fc.Arbitrary<infer Taken> ? Taken : never

/** Histories whose steps are taken one after the other, or several at once. */
const histories = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 8 })

interface World {
  t: TestService
  people: string[]
  team: string
}

const named = { signer_name: 'Someone Named', terms_version: 1 }
const addressOf = (place: number) => `worker-${place}@harbour.example`

async function contractsOf({ t }: World, worker_id: string): Promise<Body[]> {
  return (await t.call('GET', '/contracts', { query: { worker_id } })).body.data ?? []
}

async function take(world: World, { kind, who, other }: Step): Promise<TestAnswer | undefined> {
  const { t, people, team } = world
  const id = people[who] ?? ''
  const change = (body: object) => t.call('PATCH', `/people/${id}`, { body })
  const person = { first_name: 'Ada', last_name: 'Lindqvist', email: addressOf(other), external_id: `id-${who}` }
  const contract = async (step: string, body: object = {}) => {
    const [first] = await contractsOf(world, id)
    return first && t.call('POST', `/contracts/${first.id}/${step}`, { body })
  }
  switch (kind) {
    case 'create': {
      const made = await t.call('POST', '/people', { body: person })
      if (made.status === 201) people[who] = made.body.id
      return made
    }
    case 'manage':
      return change({ manager_id: people[other] })
    case 'free':
      return change({ manager_id: null })
    case 'rename':
      return change({ email: addressOf(other), external_id: `id-${other}` })
    case 'join':
      return change({ team_ids: other > 1 ? [] : [team] })
    case 'delete':
      return t.call('DELETE', `/people/${id}`)
    case 'hire': {
      const worker = { first_name: 'Ada', last_name: 'Lindqvist', email: addressOf(other), country: 'DE' }
      const compensation = { amount: '1000.00', currency: 'EUR' }
      const body = {
        type: 'employee',
        title: 'Work',
        start_date: new Date(t.clock.now()).toISOString().slice(0, 10),
        worker,
      }
      return t.call('POST', '/contracts', { body: { ...body, compensation } })
    }
    case 'sign':
      await contract('sign', named)
      return t.call('POST', `/sandbox/contracts/${(await contractsOf(world, id))[0]?.id ?? id}/worker-signature`, {
        body: {},
      })
    case 'leave':
      return contract('terminate', { type: 'resignation', ...(other > 1 && { completion_date: '2026-12-01' }) })
    case 'stay':
      return contract('cancel-termination')
    default:
      return contract('cancel')
  }
}

const refusals = [400, 404, 409, 422]

function derivedStatus(contracts: readonly Body[]): string {
  const active = contracts.filter(({ status }) => status === 'active')
  if (active.some(({ termination }) => termination === null)) return 'active'
  if (active.length > 0) return 'offboarding'
  if (contracts.some(({ status }) => status === 'pending')) return 'pending'
  return contracts.length > 0 ? 'inactive' : 'active'
}

/** Invariants 31 and 32 of the domain's design, as far as they are about people. */
async function holds(world: World): Promise<void> {
  const { t, team } = world
  const { body } = await t.call('GET', '/people', { query: { limit: 100 } })
  const people: Body[] = body.data
  const by_id = new Map(people.map((person) => [person.id, person]))
  for (const field of ['email', 'external_id']) {
    const values = people.flatMap((person) => (person[field] === null ? [] : [person[field]]))
    assert.equal(new Set(values).size, values.length, `${field} is used twice`)
  }
  for (const person of people) {
    const above = new Set<string>()
    for (let at = person; at.manager !== null; at = by_id.get(at.manager.id)) {
      assert.ok(by_id.has(at.manager.id), 'a manager is there')
      assert.ok(!above.has(at.id), 'managers stand in a circle')
      above.add(at.id)
    }
    const reports = people.filter(({ manager }) => manager?.id === person.id).length
    assert.deepEqual([person.direct_reports_count, person.is_manager], [reports, reports > 0])
    assert.equal(person.status, derivedStatus(await contractsOf(world, person.id)))
  }
  const members = people.filter(({ teams }) => teams.some(({ id }: Body) => id === team)).length
  assert.equal((await t.call('GET', `/teams/${team}`)).body.member_count, members)
  const known = await Promise.all((await t.call('GET', '/contracts')).body.data.map((contract: Body) => contract))
  for (const { status, worker_id } of known) {
    if (status === 'pending' || status === 'active') assert.ok(by_id.has(worker_id), 'an open contract has its worker')
  }
}

test('no history of people breaks what always holds, be its steps taken in turn or at once', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.boolean(), async (rounds, at_once) => {
      const t = inOrganization(service, await service.createOrganization({ is_sandbox: true }))
      const people = (await Promise.all([0, 1, 2, 3].map(() => createPerson(t)))).map(({ id }) => id)
      const world = { t, people, team: await insertNamed(t, 'teams', 'Platform') }
      for (const steps of rounds) {
        const answers: (TestAnswer | undefined)[] = []
        if (at_once) answers.push(...(await Promise.all(steps.map((taken) => take(world, taken)))))
        else for (const taken of steps) answers.push(await take(world, taken))
        for (const answer of answers) {
          if (answer) assert.ok(answer.status < 300 || refusals.includes(answer.status), JSON.stringify(answer.body))
        }
        await holds(world)
      }
    }),
    { numRuns: 30 },
  )
})
