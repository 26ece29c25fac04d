import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start } from '#test/contract-states.ts'
import { activeContract, type Body, createContract, insertNamed } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

/** Made one minute apart in this order; a list shows the newest first. */
let service: TestService
const made: Record<string, Body> = {}
let team_id = ''
let legal_entity_id = ''

before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
  team_id = await insertNamed(service, 'teams', 'Platform')
  legal_entity_id = await insertNamed(service, 'legal_entities', 'Harbour Pine Inc.')
  const worker = (first_name: string, last_name: string, country: string) => ({
    worker: {
      first_name,
      last_name,
      country,
      email: `${first_name.normalize('NFKD').replaceAll(/\W/g, '')}@harbour.example`,
    },
  })
  const add = async (title: string, contract: Promise<Body>) => {
    made[title] = await contract
    await service.clock.advance(60_000)
  }
  const usd = { amount: '60.00', currency: 'USD', frequency: 'weekly' }
  await add('a', createContract(service, { title: 'a', ...worker('Zoë', 'Müller-Lüdenscheid', 'DE'), team_id }))
  await add(
    'b',
    createContract(service, { title: 'b Straßenbau', ...worker('Ines', 'Rojas', 'CL'), external_id: 'C07' }),
  )
  await add(
    'c',
    activeContract(service, {
      title: 'c',
      ...worker('Liam', 'Walsh', 'US'),
      legal_entity_id,
      compensation: usd,
      type: 'pay_as_you_go',
    }),
  )
  await add('d', createContract(service, { title: 'd', worker_id: made.a.worker_id, start_date: '2026-08-01' }))
  await add(
    'e',
    createContract(service, {
      title: 'e',
      ...worker('Emeka', 'Okafor', 'NG'),
      type: 'milestone',
      compensation: { currency: 'USD', frequency: 'monthly' },
    }),
  )
  await service.call('POST', `/contracts/${made.e.id}/cancel`)
  await service.call('POST', `/contracts/${made.e.id}/archive`)
})
after(() => service.close())

const titles = (body: Body): string => body.data.map(({ title }: Body) => title[0]).join('')

test('every filter, alone and together', async (t) => {
  for (const [query, expected] of [
    [{}, 'edcba'],
    [{ statuses: 'active' }, 'c'],
    [{ statuses: 'pending,cancelled' }, 'edba'],
    [{ 'statuses[]': 'rejected' }, ''],
    [{ types: 'milestone,pay_as_you_go' }, 'ec'],
    [{ worker_id: made.a.worker_id }, 'da'],
    [{ worker_email: 'ZOE@harbour.example' }, 'da'],
    [{ worker_email: 'nobody@harbour.example' }, ''],
    [{ team_id }, 'a'],
    [{ legal_entity_id }, 'c'],
    [{ countries: 'CL,US,FR' }, 'cb'],
    [{ currencies: 'USD' }, 'ec'],
    [{ external_id: 'C07' }, 'b'],
    [{ is_archived: 'true' }, 'e'],
    [{ is_archived: 'false' }, 'dcba'],
    [{ start_date_from: '2026-06-15' }, 'edcba'],
    [{ start_date_from: '2026-06-16' }, 'd'],
    [{ start_date_to: '2026-06-15' }, 'ecba'],
    [{ start_date_from: '2026-08-01', start_date_to: '2026-08-01' }, 'd'],
    [{ search: 'zoe' }, 'da'],
    [{ search: 'ZOË mull' }, 'da'],
    [{ search: 'ludenscheid' }, 'da'],
    [{ search: 'strassen' }, 'b'],
    [{ search: 'strasse rojas' }, 'b'],
    [{ search: 'rojas zoe' }, ''],
    [{ search: 'liam@harbour.example' }, 'c'],
    [{ search: 'ojas' }, ''],
    [{ search: '%%' }, ''],
    [{ search: 'harbour', currencies: 'USD', statuses: 'active' }, 'c'],
    [{ updated_after: '2026-06-15T09:02:00Z' }, 'edc'],
  ] as const) {
    await t.test(JSON.stringify(query), async () => {
      const { status, body } = await service.call('GET', '/contracts', { query })
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(titles(body), expected)
      assert.equal(body.total_count, expected.length)
    })
  }
})

test('regression: a title is found by each of its words, however many they are', async () => {
  const other = await service.createOrganization()
  const words = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x4e00 + index))
  const { id } = await createContract(service, { title: words.join(' ') }, other)
  for (const search of [words.slice(30, 60).join(' '), `${words[0]} ${words[99]}`]) {
    const { body } = await service.call('GET', '/contracts', { token: other.token, query: { search } })
    assert.deepEqual(
      body.data.map((row: Body) => row.id),
      [id],
      search,
    )
  }
})

test('regression: the external id of a worker finds the person, but no contract', async () => {
  const other = await service.createOrganization()
  const worker = { first_name: 'Ada', last_name: 'Lind', email: 'ada@harbour.example', country: 'DE' }
  await createContract(service, { worker: { ...worker, external_id: 'HR-4711 Ada' } }, other)
  const found = async (path: string, search: string) =>
    (await service.call('GET', path, { token: other.token, query: { search } })).body.total_count
  for (const search of ['4711', 'hr-4711', 'lind 4711']) {
    assert.deepEqual([await found('/contracts', search), await found('/people', search)], [0, 1], search)
  }
  assert.deepEqual([await found('/contracts', 'ada lind'), await found('/people', 'ada lind')], [1, 1])
})

test('pages follow each other without gap or repetition', async () => {
  let cursor: string | undefined
  let seen = ''
  for (let pages = 0; pages < 5; pages += 1) {
    const query = { limit: '2', ...(cursor !== undefined && { cursor }) }
    const { body } = await service.call('GET', '/contracts', { query })
    assert.equal(body.total_count, 5)
    seen += titles(body)
    assert.equal(body.has_more, body.cursor !== null)
    if (body.cursor === null) break
    cursor = body.cursor
  }
  assert.equal(seen, 'edcba')
})

test('a row of the list is the contract as it is read by id', async () => {
  const { body } = await service.call('GET', '/contracts')
  for (const row of body.data) assert.deepEqual((await service.call('GET', `/contracts/${row.id}`)).body, row)
})

for (const name of ['worker_id', 'team_id', 'legal_entity_id']) {
  test(`an unknown or foreign ${name} is refused, a known one without contracts is not`, async () => {
    const other = await service.createOrganization()
    const theirs = await createContract(service, {}, other)
    const foreign = {
      worker_id: theirs.worker_id,
      legal_entity_id: theirs.legal_entity.id,
      team_id: await insertNamed(service, 'teams', 'Theirs', other.id),
    }[name]
    for (const id of ['019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3', foreign]) {
      const { status, body } = await service.call('GET', '/contracts', { query: { [name]: id } })
      assert.deepEqual([status, body.code, body.errors[0].pointer], [422, 'reference_not_found', `/${name}`])
    }
    const known = { worker_id: made.e.worker_id, legal_entity_id, team_id }[name]
    const { status, body } = await service.call('GET', '/contracts', { query: { [name]: known, types: 'employee' } })
    assert.deepEqual([status, body.data], [200, []])
  })
}

for (const query of [
  { statuses: 'open' },
  { types: '' },
  { worker_id: 'x' },
  { countries: 'XX' },
  { currencies: 'usd' },
  { is_archived: 'yes' },
  { start_date_from: '2026-02-30' },
  { updated_after: '2026-02-30T00:00:00Z' },
  { updated_after: '2026-01-12T24:00:00Z' },
  { search: 'x' },
  { status: 'active' },
  { limit: '101' },
]) {
  test(`${JSON.stringify(query)} is refused`, async () => {
    const { status, body } = await service.call('GET', '/contracts', { query })
    assert.deepEqual([status, body.code], [400, 'validation_failed'])
  })
}

test('amounts are withheld without the category, and the answer says so', async () => {
  const token = await service.createToken(service.organization.id, { scopes: ['contracts:read'], sensitive_data: [] })
  const { body, headers } = await service.call('GET', '/contracts', { token, query: { statuses: 'pending' } })
  assert.deepEqual(
    body.data.map(({ compensation }: Body) => compensation.amount),
    [null, null, null],
  )
  assert.deepEqual(
    body.data.map(({ compensation }: Body) => compensation.currency),
    ['EUR', 'EUR', 'EUR'],
  )
  assert.equal(headers['sensitive-data-withheld'], 'compensation')
})

test('another organization sees none of them', async () => {
  const other = await service.createOrganization()
  const { body } = await service.call('GET', '/contracts', { token: other.token })
  assert.deepEqual([body.data, body.total_count], [[], 0])
})
