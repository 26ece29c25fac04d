import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from '#db/database.ts'
import { addMember, createContract, linkAccount } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

/** Attacks on provisioning that once went through, each by the name of what has to hold. */

let service: TestService
beforeEach(async () => {
  service = await startTestService({ STINT_RATE_LIMIT_SCIM: '1000' })
})
afterEach(() => service.close())

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

async function scim(
  method: Method,
  path: string,
  body?: object | string | Buffer,
  headers: Record<string, string> = {},
) {
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const answer = await service.app.inject({
    ...{ method, url: path.startsWith('//') ? path.slice(1) : `/scim/v2${path}`, ...(payload && { payload }) },
    headers: {
      authorization: `Bearer ${service.organization.token}`,
      ...(payload && { 'content-type': 'application/scim+json' }),
      ...headers,
    },
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? null : answer.json() }
}
const told = ({ status, body }: Awaited<ReturnType<typeof scim>>) => `${status} ${body?.scimType ?? ''}`.trim()
const replace = (value: object) => ({ Operations: [{ op: 'replace', value }] })
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

async function create(userName: string, more: object = {}): Promise<string> {
  const { status, body } = await scim('POST', '/Users', { userName, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

async function rightsOf(member_id: string): Promise<string[]> {
  const rows = await service.database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.rows<{ role: string }>(sql`select role from standing_members where user_id = ${member_id}`),
  )
  return rows.map(({ role }) => role)
}

/** Bodies with lists nested so deep that a walk over them would end a process. */
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

test('a body nested without end is refused wherever it is nested', async () => {
  const id = await create('ana')
  const bodies: [Method, string, string][] = [
    ['POST', '/Users', `{"userName":"a","title":${deep}}`],
    ['POST', '/Users', `{"userName":"a","unknown":${deep}}`],
    ['PATCH', `/Users/${id}`, `{"Operations":[{"op":${deep}}]}`],
    ['PATCH', `/Users/${id}`, `{"Operations":[{"op":"add","path":${deep},"value":1}]}`],
    ['PATCH', `/Users/${id}`, `{"schemas":${deep},"Operations":[{"op":"add","path":"title","value":"a"}]}`],
    ['POST', '/Users/.search', `{"attributes":${deep}}`],
    ['POST', '/Bulk', `{"schemas":${deep},"Operations":[]}`],
    ['POST', '/Bulk', `{"Operations":[{"method":${deep},"bulkId":"a","path":"/Users"}]}`],
  ]
  for (const [method, path, body] of bodies) {
    assert.equal(told(await scim(method, path, body)), '400 invalidSyntax', `${path} ${body.slice(0, 60)}`)
  }
})

test('a path that is no text is refused as a path', async () => {
  const id = await create('ana')
  const Operations = [{ op: 'add', path: ['title'], value: 'x' }]
  assert.equal(told(await scim('PATCH', `/Users/${id}`, { Operations })), '400 invalidPath')
})

test('bodies are UTF-8 without packing, and name no member twice, as everywhere in this service', async () => {
  const body = '{"userName":"ana"}'
  const typed = (type: string) => scim('POST', '/Users', body, { 'content-type': type })
  for (const type of ['application/scim+json; charset=iso-8859-1', 'application/json; charset=utf-16', 'text/plain'])
    assert.equal(told(await typed(type)), '415', type)
  assert.equal(told(await scim('POST', '/Users', gzipSync(body), { 'content-encoding': 'gzip' })), '415')
  for (const text of [
    '{"userName":"a","userName":"b"}',
    `{"userName":"a","${enterprise}":{"costCenter":"1","CostCenter":"2"}}`,
    '{"userName":"a","emails":[{"value":"a@x.example","value":"b@x.example"}]}',
    '{"userName":"a","__proto__":{"active":false}}',
  ])
    assert.equal(told(await scim('POST', '/Users', text)), '400 invalidSyntax', text)
  assert.equal(
    told(await scim('POST', '/Users', Buffer.from('{"userName":"\xff\xfe"}', 'latin1'))),
    '400 invalidSyntax',
  )
  assert.equal(told(await typed('application/scim+json; charset="UTF-8"')), '201')
})

test('an extension that is no object is refused, and a blank name is none', async () => {
  for (const value of ['x', ['x'], 7])
    assert.equal(told(await scim('POST', '/Users', { userName: 'a', [enterprise]: value })), '400 invalidValue')
  assert.equal(told(await scim('POST', '/Groups', { displayName: ' \u00a0 ' })), '400 invalidValue')
  const { body } = await scim('POST', '/Users', { userName: 'a', schemas: null, [enterprise]: { department: '  ' } })
  assert.deepEqual([body.userName, body[enterprise]], ['a', undefined])
})

test('names of attributes without end are refused before they are read', async () => {
  for (const attributes of [Array(9_999).fill('x'.repeat(90)), ','.repeat(1_000_000), Array(9_999).fill('title')]) {
    assert.equal(told(await scim('POST', '/Users/.search', { attributes })), '400 invalidValue')
  }
  const id = await create('ana')
  const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`title${at}`, 'x']))
  assert.equal(told(await scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'add', value: keys }] })), '400 tooMany')
  // A refusal repeats little of what was sent.
  const long = await scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'x'.repeat(500_000) }] })
  const members = Array.from({ length: 30_000 }, (_, at) => `bulkId:${at}`)
  const Operations = [{ method: 'POST', bulkId: 'a', path: '/Groups', data: { displayName: 'G', members } }]
  const bulk = await scim('POST', '/Bulk', { Operations })
  for (const { body } of [long, bulk]) assert.ok(JSON.stringify(body).length < 1_000)
})

test('whatever is asked below /scim is answered in the words of SCIM', async () => {
  for (const path of ['/Users/%zz', '//scim/v1/Users', '//scim', '//scim/v2/%']) {
    const { status, headers, body } = await scim('GET', path)
    assert.ok(status === 400 || status === 404, path)
    assert.equal(headers['content-type'], 'application/scim+json; charset=utf-8', path)
    assert.deepEqual([body.schemas, body.status], [['urn:ietf:params:scim:api:messages:2.0:Error'], String(status)])
  }
})

test('nobody becomes their own manager, by no detour', async () => {
  const cycle = '400 invalidValue'
  const manager = (value: string) => ({ [enterprise]: { manager: { value } } })
  assert.equal(told(await scim('POST', '/Users', { userName: 'self', ...manager('SELF') })), cycle)
  assert.equal(told(await scim('POST', '/Users', { userName: 'self', externalId: 'x1', ...manager('x1') })), cycle)
  const waiting = await create('waiting', manager('boss'))
  // Two who wait for one another, or a row of them.
  assert.equal(told(await scim('POST', '/Users', { userName: 'boss', ...manager(waiting) })), cycle)
  const below = await create('below', manager(waiting))
  assert.equal(told(await scim('POST', '/Users', { userName: 'boss', ...manager(below) })), cycle)
  // By a name that is taken later, with the manager or before it.
  const other = await create('other', manager(below))
  assert.equal(told(await scim('PATCH', `/Users/${other}`, replace({ userName: 'boss' }))), cycle)
  const named = replace({ userName: 'later', [`${enterprise}:manager`]: 'later' })
  assert.equal(told(await scim('PATCH', `/Users/${other}`, named)), cycle)
  const boss = await create('boss')
  const { body } = await scim('GET', `/Users/${waiting}`)
  assert.equal(body[enterprise].manager.value, boss)
})

test('somebody for whom thousands wait becomes their manager by one statement', async () => {
  const waiting = 3_000
  const { id: organization_id } = service.organization
  await service.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      insert into people (organization_id, id, first_name, last_name, email, locale, worker_type, status, access,
        scim_created, scim_linked_at, scim_written, manager_ref, created_at, updated_at)
      select ${organization_id}, gen_random_uuid(), 'Ana', 'Alder ' || n, 'ana.' || n || '@x.example', 'en', 'contractor',
        'inactive', 'enabled', true, app_now(), '{manager}', 'The.Boss', app_now(), app_now()
      from generate_series(1, ${waiting}::int) n`),
  )
  const boss = await create('the.boss')
  const filter = encodeURIComponent(`${enterprise}:manager eq "${boss}"`)
  assert.equal((await scim('GET', `/Users?count=0&filter=${filter}`)).body.totalResults, waiting)
  const updated = (await service.takeEvents()).filter(({ event_type }) => event_type === 'person.updated')
  assert.equal(updated.flatMap(({ resource }) => resource).length, waiting)
  assert.equal(updated.length, waiting / 100)
})

test('a removed user leaves its teams, and comes back without the role that one gave', async () => {
  const owner = await addMember(service, 'owner')
  const { member_id } = await addMember(service, null)
  const ana = await create('ana@x.example')
  await linkAccount(service, ana, member_id)
  await createContract(service, { worker_id: ana, country: 'DE' })
  const { body: group } = await scim('POST', '/Groups', { displayName: 'Operations', members: [{ value: ana }] })
  const team_roles = [{ team_id: group.id, role: 'admin' }]
  await service.call('PATCH', '/provisioning', { token: owner.token, body: { team_roles } })
  assert.deepEqual(await rightsOf(member_id), ['admin'])
  await service.takeEvents()
  assert.equal(told(await scim('DELETE', `/Users/${ana}`)), '204')
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['person.updated', 'user.deprovisioned', 'api-token.revoked'],
  )
  assert.equal((await scim('GET', `/Groups/${group.id}`)).body.members, undefined)
  assert.equal(await create('ana@x.example'), ana)
  assert.deepEqual(await rightsOf(member_id), [])
})

test('a removed user who was invited and never signed in gets no access by the link', async () => {
  const { worker_id } = await createContract(service)
  assert.equal((await service.call('GET', `/people/${worker_id}`)).body.access, 'none')
  assert.equal(told(await scim('DELETE', `/Users/${worker_id}`)), '204')
  assert.equal((await service.call('GET', `/people/${worker_id}`)).body.access, 'disabled')
})

test('a closed user that takes the address of the last owner shuts nobody out', async () => {
  const owner = await addMember(service, 'owner')
  const address = `${owner.member_id}@harbour.example`
  const id = await create('mallory', { active: false })
  const named = replace({ userName: address, 'emails[type eq "work"].value': address })
  assert.equal(told(await scim('PATCH', `/Users/${id}`, named)), '200')
  assert.equal(told(await scim('PATCH', `/Users/${id}`, replace({ active: true }))), '200')
  assert.equal(told(await scim('PATCH', `/Users/${id}`, replace({ active: false }))), '400 mutability')
  assert.equal(told(await scim('DELETE', `/Users/${id}`)), '400 mutability')
  assert.deepEqual(await rightsOf(owner.member_id), ['owner'])
})

test('users of one address that are made at the same time are all made, and one of them has it', async () => {
  const emails = [{ value: 'desk@x.example', type: 'work' }]
  const names = ['one', 'two', 'three', 'four']
  const made = await Promise.all(names.map((userName) => scim('POST', '/Users', { userName, emails })))
  assert.deepEqual(made.map(told), ['201', '201', '201', '201'])
  assert.equal((await service.call('GET', '/people', { query: { email: 'desk@x.example' } })).body.total_count, 1)
})

test('a credential whose rate is used up within a bulk request is told which operations were made', async () => {
  await service.close()
  service = await startTestService({ STINT_RATE_LIMIT_SCIM: '3' })
  const Operations = ['a', 'b', 'c', 'd'].map((userName) => ({
    ...{ method: 'POST', path: '/Users', bulkId: userName, data: { userName } },
  }))
  const { status, body } = await scim('POST', '/Bulk', { Operations })
  assert.equal(status, 200)
  assert.deepEqual(
    body.Operations.map((one: { status: string }) => one.status),
    ['201', '201', '429', '429'],
  )
  const limited = await scim('GET', '/Users')
  assert.deepEqual([limited.status, limited.body.status], [429, '429'])
  assert.ok(Number(limited.headers['retry-after']) > 0)
})

test('a bulk answer says where each resource is, whether it changed or not', async () => {
  const id = await create('ana')
  const Operations = [
    { method: 'PATCH', path: `/Users/${id}`, data: replace({ title: 'Lead' }) },
    { method: 'PATCH', path: `/Users/${id}`, data: replace({ shoe: 44 }) },
    { method: 'DELETE', path: `/Users/${id}` },
    { method: 'POST', path: '/Users', bulkId: 'b', data: {} },
  ]
  const { body } = await scim('POST', '/Bulk', { Operations })
  const at = `https://stint.test/scim/v2/Users/${id}`
  assert.deepEqual(
    body.Operations.map(({ location, status }: { location?: string; status: string }) => [status, location]),
    [
      ['200', at],
      ['400', at],
      ['204', at],
      ['400', undefined],
    ],
  )
})

test('an access that was closed is opened by a true alone, and a change without a value changes nothing', async () => {
  const id = await create('omar@harbour.example', { active: false, title: 'Controller' })
  for (const [operation, refusal] of [
    [{ op: 'replace', path: 'active' }, '400 invalidValue'],
    [{ op: 'add', path: 'active' }, '400 invalidValue'],
    [{ op: 'replace', path: 'active', value: '' }, '400 mutability'],
    [{ op: 'replace', path: 'active', value: null }, '400 mutability'],
    [{ op: 'replace', value: { active: null } }, '400 mutability'],
    [{ op: 'remove', path: 'active' }, '400 mutability'],
    [{ op: 'replace', path: 'title' }, '400 invalidValue'],
    [{ op: 'add', path: 'title' }, '400 invalidValue'],
  ] as const)
    assert.equal(told(await scim('PATCH', `/Users/${id}`, { Operations: [operation] })), refusal)
  const { body } = await scim('GET', `/Users/${id}`)
  assert.deepEqual([body.active, body.title], [false, 'Controller'])
  assert.equal((await scim('PATCH', `/Users/${id}`, replace({ active: true }))).body.active, true)
})

test('members stay where an operation names none', async () => {
  const value = await create('omar@harbour.example')
  const group = (await scim('POST', '/Groups', { displayName: 'Payroll', members: [{ value }] })).body.id
  const operations = [
    [{ op: 'replace', path: 'members' }, '400 invalidValue'],
    [{ op: 'add', path: 'members' }, '400 invalidValue'],
    [{ op: 'remove', path: 'members', value: null }, '204'],
    [{ op: 'remove', path: 'members', value: [] }, '204'],
  ] as const
  for (const [operation, answer] of operations)
    assert.equal(told(await scim('PATCH', `/Groups/${group}`, { Operations: [operation] })), answer)
  assert.equal((await scim('GET', `/Groups/${group}`)).body.members.length, 1)
})

test('a name that differs by a space alone is refused, not a second person', async () => {
  await create('omar@harbour.example')
  for (const userName of [' omar@harbour.example', 'omar@harbour.example '])
    assert.equal(told(await scim('POST', '/Users', { userName })), '400 invalidValue')
})
