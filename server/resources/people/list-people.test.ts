import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Sql, sql } from '#db/database.ts'
import { cases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { activeContract, type Body, createContract, insertNamed } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

/** a is active, b pending, c inactive, d deleted; made in this order, so lists show them from the end. */
let service: TestService
const id: Record<string, string> = {}
let team_id = ''
let legal_entity_id = ''
const department_id = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e4'
const working_location_id = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e5'

// Structure and the fields of people are written by operations of a later step; until then as rows.
const write = (statement: Sql) =>
  service.database.database.transaction({ role: 'app', organization_id: service.organization.id }, (tx) =>
    tx.run(statement),
  )

before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
  const organization_id = service.organization.id
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
  await add('d', createContract(service, described('Ines', 'Rojas', 'CL', 'ines')))
  const at = sql`${clock_start}`
  await write(sql`insert into departments (organization_id, id, name, created_at, updated_at)
    values (${organization_id}, ${department_id}, 'Engineering', ${at}, ${at})`)
  await write(sql`insert into working_locations (organization_id, id, name, country, created_at, updated_at)
    values (${organization_id}, ${working_location_id}, 'Austin', 'US', ${at}, ${at})`)
  await write(sql`insert into team_members (organization_id, team_id, person_id, created_at)
    values (${organization_id}, ${team_id}, ${id.b}, ${at}), (${organization_id}, ${team_id}, ${id.c}, ${at})`)
  await write(sql`update people set manager_id = ${id.a}, department_id = ${department_id}
    where organization_id = ${organization_id} and id = any (${[id.b, id.c]})`)
  await write(sql`update people set working_location_id = ${working_location_id}, legal_entity_id = ${legal_entity_id}
    where organization_id = ${organization_id} and id = ${id.c}`)
  await write(sql`update people set deleted_at = ${at}, updated_at = ${at}
    where organization_id = ${organization_id} and id = ${id.d}`)
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
