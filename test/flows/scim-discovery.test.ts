import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { startTestService, type TestService } from '#test/service.ts'

type Json = Record<string, unknown>

interface Declared {
  name: string
  type: string
  multiValued: boolean
  required: boolean
  mutability: string
  canonicalValues?: string[]
  subAttributes?: Declared[]
}

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

async function scim(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object, headers: object = {}) {
  const answer = await service.app.inject({
    ...{ method, url: `/scim/v2${path}`, ...(body && { payload: JSON.stringify(body) }) },
    headers: {
      ...{ authorization: `Bearer ${service.organization.token}`, ...headers },
      ...(body && { 'content-type': 'application/scim+json' }),
    },
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? {} : answer.json() }
}

const list = async (path: string) => (await scim('GET', path)).body.Resources
const asObject = (value: unknown): Json => Object(Array.isArray(value) ? value[0] : value)

/** A value that a client may send for an attribute as it is declared. */
function sampleOf({ name, type, canonicalValues, multiValued, subAttributes = [] }: Declared): unknown {
  const one = () => {
    if (type === 'complex') {
      const parts = subAttributes.filter(({ mutability }) => mutability !== 'readOnly')
      return Object.fromEntries(parts.map((part) => [part.name, sampleOf(part)]))
    }
    return type === 'boolean' ? true : (canonicalValues?.[0] ?? `some ${name}`)
  }
  return multiValued ? [one()] : one()
}

/** Each declared attribute and part of a type, by its path, with the value that a resource has there. */
async function declaredOf(name: string, resource: Json) {
  const { body: type } = await scim('GET', `/ResourceTypes/${name}`)
  const urns: string[] = [type.schema, ...(type.schemaExtensions ?? []).map((one: { schema: string }) => one.schema)]
  const found: { path: string; own: Declared; is_in_list: boolean; value: unknown }[] = []
  for (const urn of urns) {
    const { body: schema } = await scim('GET', `/Schemas/${urn}`)
    const holder = urn === type.schema ? resource : asObject(resource[urn])
    const unknown = Object.keys(holder).filter((key) => !schema.attributes.some((one: Declared) => one.name === key))
    const of_all = ['schemas', 'id', 'externalId', 'meta', ...urns]
    assert.deepEqual(
      unknown.filter((key) => !of_all.includes(key)),
      [],
      `undeclared in ${urn}`,
    )
    for (const own of schema.attributes as Declared[]) {
      const path = urn === type.schema ? own.name : `${urn}:${own.name}`
      found.push({ path, own, is_in_list: false, value: holder[own.name] })
      const parts = asObject(holder[own.name])
      const extra = own.type === 'complex' ? Object.keys(parts) : []
      assert.deepEqual(
        extra.filter((key) => !own.subAttributes?.some((sub) => sub.name === key)),
        [],
        path,
      )
      for (const sub of own.subAttributes ?? []) {
        found.push({ path: `${path}.${sub.name}`, own: sub, is_in_list: own.multiValued, value: parts[sub.name] })
      }
    }
  }
  return found
}

/** Makes a resource with every attribute that its schemas let a client write. */
async function wholeOf(path: '/Users' | '/Groups', urns: readonly string[], more: Json): Promise<Json> {
  const sent: Json = {}
  for (const [at, urn] of urns.entries()) {
    const { body } = await scim('GET', `/Schemas/${urn}`)
    const writable = (body.attributes as Declared[]).filter(({ mutability }) => mutability !== 'readOnly')
    const values = Object.fromEntries(writable.map((one) => [one.name, sampleOf(one)]))
    if (at === 0) Object.assign(sent, values, more)
    else sent[urn] = values
  }
  const made = await scim('POST', path, sent)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  for (const [name, value] of Object.entries(sent)) {
    if (name !== 'members') assert.deepEqual(made.body[name], value, `${name} is answered as it was sent`)
  }
  return made.body
}

const core = 'urn:ietf:params:scim:schemas:core:2.0:'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

test('every declared attribute is kept, shown, found and sorted by; a read-only one is refused', async () => {
  const user = await wholeOf('/Users', [`${core}User`, enterprise], { userName: 'whole' })
  const group = await wholeOf('/Groups', [`${core}Group`], { members: [{ value: user.id }] })
  for (const [name, path, id] of [
    ['User', '/Users', user.id],
    ['Group', '/Groups', group.id],
  ] as const) {
    const { body: resource } = await scim('GET', `${path}/${id}`)
    for (const { path: attribute, own, is_in_list, value } of await declaredOf(name, resource)) {
      const where = `${name} ${attribute}`
      const filter = encodeURIComponent(`id eq "${id}" and ${attribute} pr`)
      const found = await scim('GET', `${path}?filter=${filter}`)
      assert.equal(found.status, 200, where)
      assert.equal(found.body.totalResults, value === undefined ? 0 : 1, `${where} pr`)
      const is_sortable = own.type !== 'complex' || own.subAttributes?.some((sub) => sub.name === 'value')
      const sorted = await scim('GET', `${path}?sortBy=${encodeURIComponent(attribute)}`)
      assert.equal(sorted.status, is_sortable ? 200 : 400, `sorted by ${where}`)
      const shown = await scim('GET', `${path}/${id}?attributes=${encodeURIComponent(attribute)}`)
      assert.deepEqual(Object.keys(shown.body).length > 2, value !== undefined, `${where} alone`)
      if (own.mutability !== 'readOnly' || is_in_list) continue
      const Operations = [{ op: 'replace', path: attribute, value: sampleOf(own) }]
      const refused = await scim('PATCH', `${path}/${id}`, { Operations })
      assert.deepEqual([refused.status, refused.body.scimType], [400, 'mutability'], where)
    }
  }
})

test('the declared abilities are those of the service, and nothing is done for what is not declared', async () => {
  const { body: config } = await scim('GET', '/ServiceProviderConfig')
  const { pagination, bulk, filter } = config
  for (const { endpoint } of await list('/ResourceTypes')) assert.equal((await scim('GET', endpoint)).status, 200)
  const tooMany = { Operations: Array.from({ length: bulk.maxOperations + 1 }, () => ({})) }
  assert.equal((await scim('POST', '/Bulk', tooMany)).status, 413)
  assert.equal((await scim('POST', '/Bulk', { Operations: [] })).status, 200)
  assert.equal((await scim('POST', '/Users', { userName: 'x'.repeat(bulk.maxPayloadSize) })).status, 413)
  assert.deepEqual([pagination.maxPageSize, pagination.index, pagination.cursor], [filter.maxResults, true, true])
  const beyond = await scim('GET', `/Users?cursor=&count=${pagination.maxPageSize + 1}`)
  assert.equal(beyond.body.scimType, 'invalidCount')
  // Neither declared nor kept.
  assert.equal(config.changePassword.supported, false)
  const { body: user, headers } = await scim('POST', '/Users', { userName: 'secret', password: 'x', shoe: 44 })
  assert.deepEqual([user.password, user.shoe], [undefined, undefined])
  assert.equal((await scim('GET', '/Users?filter=shoe+pr')).body.scimType, 'invalidFilter')
  const of_etag = { 'if-none-match': String(headers.etag) }
  assert.equal((await scim('GET', `/Users/${user.id}`, undefined, of_etag)).status, config.etag.supported ? 304 : 200)
})

test('a search over both types finds users, then groups; what a type lacks is unassigned', async () => {
  const other = await service.createOrganization()
  const own = service.organization
  service.organization = other
  try {
    for (const userName of ['b', 'a']) await scim('POST', '/Users', { userName, displayName: `User ${userName}` })
    for (const displayName of ['d', 'c']) await scim('POST', '/Groups', { displayName })
    const search = async (body: object) => {
      const { body: found } = await scim('POST', '/.search', body)
      const names = found.Resources?.map((one: Json) => one.userName ?? one.displayName)
      return { ...found, names }
    }
    assert.deepEqual((await search({ sortBy: 'displayName' })).names, ['a', 'b', 'c', 'd'])
    assert.deepEqual((await search({ filter: 'displayName co "User" or displayName eq "c"' })).names, ['b', 'a', 'c'])
    assert.deepEqual((await search({ filter: 'userName eq "a"' })).names, ['a'])
    assert.deepEqual((await search({ filter: 'not (userName pr)' })).names, ['d', 'c'])
    assert.deepEqual((await search({ filter: 'emails.value ne "x" or members pr' })).names, [])
    assert.equal((await search({ filter: 'shoe pr' })).scimType, 'invalidFilter')
    const second = await search({ startIndex: 2, count: 2 })
    assert.deepEqual([second.names, second.totalResults, second.startIndex], [['a', 'd'], 4, 2])
    const seen: string[] = []
    for (let cursor = ''; cursor !== 'none'; ) {
      const page = await search({ cursor, count: 1, sortBy: 'userName', sortOrder: 'descending' })
      seen.push(...page.names)
      cursor = page.nextCursor ?? 'none'
    }
    assert.deepEqual(seen, ['b', 'a', 'd', 'c'])
  } finally {
    service.organization = own
  }
})

test('a client without the category leaves alone what it does not see, also where it writes the list', async () => {
  const fields = { first_name: 'Ana', last_name: 'Alder', email: 'ana@x.example', personal_email: 'ana@home.example' }
  const { body: ana } = await service.call('POST', '/people', { body: fields })
  const token = await service.createToken(service.organization.id, { without: ['home_address'] })
  const emails = [{ value: 'ana@x.example', type: 'work', display: 'Ana' }]
  const sent = { userName: 'ana@x.example', emails }
  const { status } = await scim('PUT', `/Users/${ana.id}`, sent, { authorization: `Bearer ${token}` })
  const { body: person } = await service.call('GET', `/people/${ana.id}`)
  assert.deepEqual([status, person.personal_email], [200, 'ana@home.example'])
})

test('a filter that the database does not answer in time asks for too much', async () => {
  await service.database.database.transaction({ role: 'owner' }, async (tx) => {
    // Whoever reads the table waits, as long as a filter that reads all of a very large one.
    await tx.run(sql`lock table teams in access exclusive mode`)
    const { status, body } = await scim('GET', '/Groups?filter=displayName+co+%22x%22')
    assert.deepEqual([status, body.scimType], [400, 'tooMany'])
  })
})
