import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import type { Role } from '#core/caller.ts'
import { sql } from '#db/database.ts'
import { grantMembership } from '#identity/account.store.ts'
import { serviceOfCases } from '#test/cases.ts'
import { addUser, callConsole, pageHeaders } from '#test/console-caller.ts'
import { setApproval } from '#test/payments.ts'
import { noteSecret } from '#test/secrets.ts'
import type { TestAnswer, TestService } from '#test/service.ts'

const password = noteSecret('seven quiet herons')
let service: TestService
let people = 0
before(async () => {
  service = await serviceOfCases()
})

/** Somebody signed in with this role in the first organization. */
async function member(role: Role) {
  people += 1
  const email = `member-${people}@harbour.example`
  const user_id = await addUser(service, { email, password })
  await setRole(user_id, role)
  const { cookie = '' } = await callConsole(service, 'POST', '/session', { body: { email, password } })
  return { user_id, email, cookie }
}

const setRole = (user_id: string, role: Role, organization_id = service.organization.id) =>
  service.database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await tx.run(sql`delete from memberships where organization_id = ${organization_id} and user_id = ${user_id}`)
    await grantMembership(tx, organization_id, user_id, role)
  })

async function callAs(
  cookie: string,
  method: NonNullable<InjectOptions['method']>,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string | undefined> } = {},
): Promise<TestAnswer> {
  const all = { ...pageHeaders, cookie, 'stint-organization': service.organization.id, ...headers }
  const answer = await service.app.inject({
    method,
    url: `/console/rest/v2${path}`,
    headers: {
      ...Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? null : answer.json() }
}

test('what a page asks is the operation that a token calls: same answer, same event, same audit line', async () => {
  const { cookie, user_id } = await member('developer')
  const made = await callAs(cookie, 'POST', '/api-tokens', { body: { name: 'From a page', scopes: ['people:read'] } })
  assert.deepEqual([made.status, made.headers['cache-control']], [201, 'no-store'])
  const { token, ...shown } = made.body
  noteSecret(token)
  assert.deepEqual((await service.call('GET', `/api-tokens/${shown.id}`)).body, shown)
  assert.deepEqual([shown.created_by, shown.created_with], [{ kind: 'user', id: user_id, name: 'Nora Pine' }, null])
  const audited = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`select action, surface, actor ->> 'id' as user_id from audit_entries where subject_id = ${shown.id}`),
  )
  assert.deepEqual(audited, [{ action: 'api_tokens.create', surface: 'console', user_id }])
})

test('a token that was made at a page lives on when its maker signs out', async () => {
  const { cookie } = await member('owner')
  const { body } = await callAs(cookie, 'POST', '/api-tokens', { body: { name: 'Stays', scopes: ['people:read'] } })
  assert.equal((await callConsole(service, 'DELETE', '/session', { cookie })).status, 204)
  assert.equal((await service.call('GET', '/organizations', { token: noteSecret(body.token) })).status, 200)
  assert.equal((await callAs(cookie, 'GET', '/organizations')).status, 401)
})

const refused: [name: string, headers: Record<string, string | undefined>, status: number, code: string][] = [
  ['without a session', { cookie: undefined }, 401, 'unauthenticated'],
  ['without the header of the console', { 'stint-console': undefined }, 403, 'foreign_origin'],
  ['from another site', { 'sec-fetch-site': 'cross-site' }, 403, 'foreign_origin'],
  ['from another host of the same site', { 'sec-fetch-site': 'same-site' }, 403, 'foreign_origin'],
  [
    'by an older browser from elsewhere',
    { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
    403,
    'foreign_origin',
  ],
  ['with a token', { authorization: 'Bearer x' }, 400, 'malformed_request'],
  ['without an organization', { 'stint-organization': undefined }, 400, 'validation_failed'],
  [
    'for a foreign organization',
    { 'stint-organization': '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3' },
    403,
    'insufficient_scope',
  ],
]

test('every operation is refused there to whoever is no page of the console, or nobody’s', async () => {
  const { cookie } = await member('owner')
  for (const { definition } of service.runtime.registry.operations) {
    const { method, path } = definition
    const url = path.replaceAll(/:[a-z_]+/g, '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3')
    for (const [name, headers, status, code] of refused) {
      const answer = await callAs(cookie, method, url, { headers })
      assert.deepEqual([answer.status, answer.body.code], [status, code], `${definition.id} ${name}`)
    }
  }
})

test('the cookie opens nothing where tokens do', async () => {
  const { cookie } = await member('owner')
  const headers = { ...pageHeaders, cookie, 'stint-organization': service.organization.id }
  assert.equal((await service.call('GET', '/organizations', { token: null, headers })).status, 401)
})

test('a page has the rights of the role, and those of a lower one from the next call on', async () => {
  const { cookie, user_id } = await member('developer')
  const url = 'https://127.0.0.1:8444/hook'
  const subscribe = () => callAs(cookie, 'POST', '/webhooks', { body: { url, events: ['person.created'] } })
  assert.equal((await callAs(cookie, 'GET', '/webhooks')).status, 200)
  assert.equal((await callAs(cookie, 'GET', '/invoices')).status, 403)
  assert.equal((await callAs(cookie, 'POST', '/contracts', { body: {} })).status, 403)
  await setRole(user_id, 'viewer')
  assert.equal((await callAs(cookie, 'GET', '/webhooks')).status, 200)
  assert.equal((await subscribe()).status, 403)
  await setRole(user_id, 'finance')
  assert.equal((await callAs(cookie, 'GET', '/webhooks')).status, 403)
  assert.equal((await callAs(cookie, 'GET', '/invoices')).status, 200)
})

test('a developer’s page shows no field of a sensitive category, an owner’s does', async () => {
  const [developer, owner] = [await member('developer'), await member('owner')]
  const person = {
    first_name: 'Ada',
    last_name: 'Lindqvist',
    email: 'ada.pages@harbour.example',
    date_of_birth: '1990-02-03',
  }
  const { body } = await callAs(owner.cookie, 'POST', '/people', { body: person })
  const seen = await Promise.all(
    [owner, developer].map(
      async ({ cookie }) => (await callAs(cookie, 'GET', `/people/${body.id}`)).body.date_of_birth,
    ),
  )
  assert.deepEqual(seen, ['1990-02-03', null])
})

test('every role makes, sees and ends own personal tokens, and none of the organization’s without a role for it', async () => {
  const { cookie, user_id } = await member('viewer')
  const create = (body: object) => callAs(cookie, 'POST', '/api-tokens', { body: { name: 'Mine', ...body } })
  const made = await create({ type: 'personal', scopes: ['people:read'] })
  assert.deepEqual([made.status, made.body.user_id], [201, user_id])
  noteSecret(made.body.token)
  assert.equal((await create({ type: 'personal', scopes: ['people:write'] })).status, 403)
  assert.equal((await create({ type: 'personal', scopes: ['tokens:write'] })).status, 403)
  assert.equal((await create({ scopes: ['people:read'] })).status, 403)
  const { data } = (await callAs(cookie, 'GET', '/api-tokens')).body
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [made.body.id],
  )
  const others = (await service.call('GET', '/api-tokens', { query: { types: 'organization' } })).body.data[0]
  assert.equal((await callAs(cookie, 'DELETE', `/api-tokens/${others.id}`)).status, 403)
  assert.equal((await callAs(cookie, 'GET', '/oauth-clients')).status, 403)
  assert.equal((await callAs(cookie, 'DELETE', `/api-tokens/${made.body.id}`)).status, 204)
})

test('whatever makes a credential asks for a proof of ten minutes at most, taking one away for none', async () => {
  const { cookie, email } = await member('owner')
  const create = (type: string, by = cookie) =>
    callAs(by, 'POST', '/api-tokens', { body: { name: 'x', type, scopes: ['people:read'] } })
  const { body: first } = await create('organization')
  const { body: own } = await create('personal')
  const machine = { name: 'x', grant_types: ['client_credentials'], scopes: ['people:write'] }
  const { body: client } = await callAs(cookie, 'POST', '/oauth-clients', { body: machine })
  await service.clock.advance(600_000)
  assert.equal((await create('organization')).status, 201)
  await service.clock.advance(1)
  const late = await create('organization')
  assert.deepEqual([late.status, late.body.code], [403, 'reauthentication_required'])
  const rotated = await callAs(cookie, 'POST', `/api-tokens/${first.id}/rotate`, { body: {} })
  assert.equal(rotated.body.code, 'reauthentication_required')
  const path = `/oauth-clients/${client.client_id}`
  for (const late of [
    await create('personal'),
    await callAs(cookie, 'POST', `/api-tokens/${own.id}/rotate`, { body: {} }),
    await callAs(cookie, 'POST', '/oauth-clients', { body: machine }),
    await callAs(cookie, 'POST', `${path}/secret`, { body: {} }),
    await callAs(cookie, 'PATCH', path, { body: { scopes: ['people:read'] } }),
  ]) {
    assert.deepEqual([late.status, late.body.code], [403, 'reauthentication_required'])
  }
  assert.equal((await callAs(cookie, 'PATCH', path, { body: { name: 'y' } })).status, 200)
  assert.equal((await callAs(cookie, 'DELETE', path)).status, 204)
  assert.equal((await callAs(cookie, 'DELETE', `/api-tokens/${first.id}`)).status, 204)
  const again = await callConsole(service, 'POST', '/session', { body: { email, password }, cookie })
  assert.equal((await create('organization', again.cookie)).status, 201)
})

test('money is sent on its way with a proof of ten minutes at most', async () => {
  const [{ cookie }, owner] = [await member('finance'), await member('owner')]
  const nothing = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'
  const codes = async () => {
    const paid = await callAs(cookie, 'POST', '/payments', { body: { invoice_ids: [nothing] } })
    const approved = await callAs(cookie, 'POST', `/payments/${nothing}/approve`, { body: {} })
    const body = { holder_name: 'Mallory', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' }
    const redirected = await callAs(owner.cookie, 'PUT', `/people/${nothing}/bank-account`, { body })
    const removed = await callAs(owner.cookie, 'DELETE', `/people/${nothing}/bank-account`)
    const settings = { payment_approval: 'none' }
    const path = `/organizations/${service.organization.id}`
    const lowered = await callAs(owner.cookie, 'PATCH', path, { body: { settings } })
    return [paid, approved, redirected, removed, lowered].map((one) => one.body.code)
  }
  const before = await codes()
  assert.deepEqual(before, ['reference_not_found', 'not_found', 'not_found', 'not_found', undefined])
  await setApproval(service, 'second_person')
  await service.clock.advance(600_001)
  assert.deepEqual(new Set(await codes()), new Set(['reauthentication_required']))
  await setApproval(service, 'none')
})
