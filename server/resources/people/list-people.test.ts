import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { activeContract, type Body, createContract, insertNamed } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

/** a is active, b pending, c inactive, d deleted; made in this order, so lists show them from the end. */
let service: TestService
const id: Record<string, string> = {}
let team_id = ''
let legal_entity_id = ''
let department_id = ''
let working_location_id = ''

const write = async (method: string, path: string, body?: object): Promise<Body> => {
  const answer = await service.call(method, path, { body })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body
}

before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
  team_id = await insertNamed(service, 'teams', 'Platform')
  legal_entity_id = await insertNamed(service, 'legal_entities', 'Harbour Pine Inc.')
  const described = (first_name: string, last_name: string, country: string, external_id: string) => ({
    worker: { first_name, last_name, country, external_id, email: `${external_id}@harbour.example` },
  })
  const add = async (key: string, contract: Promise<Body>) => {
    id[key] = (await contract).worker_id
    await service.clock.advance(60_000)
    return contract
  }
  const employed = { type: 'employee', compensation: { amount: '6500.00', currency: 'EUR' } }
  await add('a', activeContract(service, { ...described('Ada', 'Lindqvist', 'DE', 'ada'), ...employed }))
  await add('b', createContract(service, described('Žofie', 'Nováková', 'CZ', 'hana')))
  const c = await add('c', createContract(service, described('Liam', 'Walsh', 'US', 'liam')))
  await service.call('POST', `/contracts/${c.id}/cancel`)
  const d = await add('d', createContract(service, described('Ines', 'Rojas', 'CL', 'ines')))
  department_id = (await write('POST', '/departments', { name: 'Engineering' })).id
  working_location_id = (await write('POST', '/working-locations', { name: 'Austin', country: 'US' })).id
  for (const key of ['b', 'c'])
    await write('PATCH', `/people/${id[key]}`, { manager_id: id.a, department_id, team_ids: [team_id] })
  await write('PATCH', `/people/${id.c}`, { working_location_id, legal_entity_id })
  await write('POST', `/contracts/${d.id}/cancel`)
  await write('DELETE', `/people/${id.d}`)
})
after(() => service.close())

const keys = (body: Body): string =>
  body.data.map((person: Body) => Object.keys(id).find((key) => id[key] === person.id)).join('')

test('every filter, alone and together', async (t) => {
  for (const [query, expected] of [
    [{}, 'cba'],
    [{ include_deleted: 'true' }, 'dcba'],
    [{ include_deleted: 'false' }, 'cba'],
    [{ statuses: 'active' }, 'a'],
    [{ statuses: 'pending,inactive' }, 'cb'],
    [{ statuses: 'offboarding' }, ''],
    [{ worker_types: 'employee' }, 'a'],
    [{ department_id }, 'cb'],
    [{ team_id }, 'cb'],
    [{ manager_id: id.a }, 'cb'],
    [{ legal_entity_id }, 'c'],
    [{ working_location_id }, 'c'],
    [{ countries: 'CZ,DE' }, 'ba'],
    [{ email: 'HANA@harbour.example' }, 'b'],
    [{ external_id: 'liam' }, 'c'],
    [{ external_id: 'ines' }, ''],
    [{ search: 'zofie' }, 'b'],
    [{ search: 'NOVÁK zof' }, 'b'],
    [{ search: 'hana@harbour' }, 'b'],
    [{ search: 'harbour' }, 'cba'],
    [{ search: 'walsh hana' }, ''],
    [{ search: 'rojas', include_deleted: 'true' }, 'd'],
    [{ team_id, statuses: 'pending', countries: 'CZ' }, 'b'],
    [{ updated_after: '2026-06-15T09:00:30Z' }, 'cb'],
  ] as const) {
    await t.test(JSON.stringify(query), async () => {
      const { status, body } = await service.call('GET', '/people', { query })
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(keys(body), expected)
      assert.equal(body.total_count, expected.length)
    })
  }
})

test('references are shown with their names, and a manager with the number of reports', async () => {
  const person = async (key: string) => (await service.call('GET', `/people/${id[key]}`)).body
  assert.partialDeepStrictEqual(await person('a'), { is_manager: true, direct_reports_count: 2, manager: null })
  assert.partialDeepStrictEqual(await person('c'), {
    manager: { id: id.a, name: 'Ada Lindqvist' },
    department: { id: department_id, name: 'Engineering' },
    working_location: { id: working_location_id, name: 'Austin' },
    legal_entity: { id: legal_entity_id, name: 'Harbour Pine Inc.' },
    teams: [{ id: team_id, name: 'Platform' }],
    is_manager: false,
  })
})

test('a row of the list is the person as it is read by id', async () => {
  const { body } = await service.call('GET', '/people')
  for (const row of body.data) assert.deepEqual((await service.call('GET', `/people/${row.id}`)).body, row)
})

for (const name of ['department_id', 'team_id', 'manager_id', 'legal_entity_id', 'working_location_id']) {
  test(`an unknown ${name} is refused`, async () => {
    const query = { [name]: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' }
    const { status, body } = await service.call('GET', '/people', { query })
    assert.deepEqual([status, body.code, body.errors[0].pointer], [422, 'reference_not_found', `/${name}`])
  })
}

for (const query of [{ statuses: 'gone' }, { search: 'x' }, { email: 'x' }, { include_deleted: '1' }, { name: 'x' }]) {
  test(`${JSON.stringify(query)} is refused`, async () => {
    assert.equal((await service.call('GET', '/people', { query })).status, 400)
  })
}

test('a deleted person and one of another organization read like missing ones', async () => {
  const other = await service.createOrganization()
  for (const [person, token] of [
    [id.d, service.organization.token],
    [id.a, other.token],
  ]) {
    assert.equal((await service.call('GET', `/people/${person}`, { token: token ?? '' })).status, 404)
  }
  assert.equal((await service.call('GET', '/people', { token: other.token })).body.total_count, 0)
})

cases('people.list', {
  'home addresses are withheld without the category, and the answer says so': {
    as: 'client without sensitive data',
    given: (t) => createContract(t),
    body: ({ worker_id }) => ({ data: [{ id: worker_id, home_address: null }], total_count: 1 }),
    headers: { 'sensitive-data-withheld': 'bank_details, home_address, personal_identifiers' },
  },
  'an unknown team is refused': {
    input: { team_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' },
    answers: '422 reference_not_found',
    errors: ['/team_id'],
  },
})
