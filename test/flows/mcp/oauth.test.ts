import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createContract } from '#test/factories.ts'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { refresh, signIn, signInAgain } from '#test/oauth.ts'
import { createMember, post, request } from '#test/tool-client.ts'
import { verifies } from '#test/verifies.ts'
import { withStepUp } from '../../../docs/guides/step-up.mjs'
import { Desk } from './desk.ts'
import { officialClients, type ToolClient } from './official-clients.ts'

let service: HttpsService
before(async () => {
  service = await startHttpsService()
  await createContract(service)
})
after(() => service.close())

const hour_ms = 3_600_000

/** The call fails, and the browser was sent to ask the user. */
async function sendsBrowser(desk: Desk, call: () => Promise<unknown>): Promise<URL> {
  desk.sent_to = undefined
  await assert.rejects(call(), /[Uu]nauthorized/)
  const { sent_to } = desk as { sent_to: URL | undefined }
  assert.ok(sent_to, 'the browser was not sent anywhere')
  return sent_to
}

const listContracts = async (client: ToolClient) =>
  (await client.callTool('list_contracts', { limit: 5 })).structuredContent.total_count

for (const [name, { make }] of Object.entries(officialClients)) {
  test(`${name}: from nothing to a call, refresh, step-up and the end of the connection`, async (t) => {
    const user = await signIn(service)
    const desk = new Desk(service)
    // Its own way to step up is the subject of another test.
    const client = make(service, name === 'sdk.v1' ? withStepUp(desk, service.fetch) : { authProvider: desk })
    t.after(() => client.close())
    await client.connect()
    await client.listTools()

    const url = await sendsBrowser(desk, () => client.callTool('list_contracts'))
    assert.equal(url.origin + url.pathname, `${service.origin}/oauth/authorize`)
    assert.equal(url.searchParams.get('resource'), `${service.origin}/mcp`)
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
    assert.match(String(desk.client?.client_id), /^cli_/)
    await client.finishAuth(await desk.allow(user, { scopes: ['contracts:read'] }))
    assert.equal(desk.held?.scope, 'contracts:read')
    verifies('5.2.flow', '9.mcp').equal(await listContracts(client), 1)

    await service.clock.advance(hour_ms + 1_000)
    const before = desk.seen.length
    assert.equal(await listContracts(client), 1)
    assert.equal(desk.seen.length, before + 1, 'the client refreshed')
    const [first, second] = desk.seen
    assert.notEqual(first?.access_token, second?.access_token)

    const wider = await sendsBrowser(desk, () => client.callTool('create_contract', {}))
    assert.match(String(wider.searchParams.get('scope')), /contracts:write/)
    await client.finishAuth(await desk.allow(await signInAgain(service, user)))
    const refused = await client.callTool('create_contract', {})
    assert.match(refused.content[0].text, /^validation_failed: /)

    await endEveryConnection(user.user_id)
    await sendsBrowser(desk, () => client.callTool('list_contracts'))
    for (const tokens of desk.seen) {
      const call = request('tools/call', { name: 'list_organizations', arguments: {} })
      const { status, headers } = await post(service, call, {
        token: tokens.access_token,
        headers: { host: 'localhost' },
      })
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /error="invalid_token"$/)
    }
  })
}

for (const [name, { make }] of Object.entries(officialClients)) {
  test(`${name}: resource.slash, an address typed with a slash at its end, leads from nothing to a call too`, async (t) => {
    const user = await signIn(service)
    const desk = new Desk(service)
    const client = make(service, { authProvider: desk, path: '/mcp/' })
    t.after(() => client.close())
    await client.connect()
    await sendsBrowser(desk, () => client.callTool('list_contracts'))
    await client.finishAuth(await desk.allow(user))
    assert.equal(await listContracts(client), 1)
  })
}

test('sdk.v1 by itself answers a challenge by a refresh and gives up; it keeps its tokens and goes on with them', async (t) => {
  const user = await signIn(service)
  const desk = new Desk(service)
  const client = officialClients['sdk.v1']?.make(service, { authProvider: desk })
  assert.ok(client)
  t.after(() => client.close())
  await client.connect()
  await sendsBrowser(desk, () => client.callTool('list_contracts'))
  await client.finishAuth(await desk.allow(user, { scopes: ['contracts:read'] }))
  desk.sent_to = undefined
  await assert.rejects(client.callTool('create_contract', {}), /Server returned 403 after trying upscoping/)
  assert.equal(desk.sent_to, undefined)
  assert.equal(await listContracts(client), 1)
})

test('step-up.mjs: sdk.v1 asks for the scope without deleting its tokens; a user who says no goes on with what there is', async (t) => {
  const user = await signIn(service)
  const desk = new Desk(service)
  const client = officialClients['sdk.v1']?.make(service, withStepUp(desk, service.fetch))
  assert.ok(client)
  t.after(() => client.close())
  await client.connect()
  await sendsBrowser(desk, () => client.callTool('list_contracts'))
  await client.finishAuth(await desk.allow(user, { scopes: ['contracts:read'] }))
  const held = desk.held
  assert.ok(held?.refresh_token)
  const url = await sendsBrowser(desk, () => client.callTool('create_contract', {}))
  assert.equal(url.searchParams.get('scope'), 'contracts:read contracts:write')
  assert.equal(desk.held, held)
  assert.equal(await listContracts(client), 1)
  await service.clock.advance(hour_ms + 1_000)
  assert.equal(await listContracts(client), 1)
  assert.equal(desk.seen.length, 2, 'the client refreshed')
})

test('a refresh token that was used is refused, and once the window is over it ends the whole connection', async () => {
  const user = await signIn(service)
  const desk = new Desk(service)
  const client = officialClients['sdk.v2-modern']?.make(service, { authProvider: desk })
  assert.ok(client)
  await client.connect()
  await sendsBrowser(desk, () => client.callTool('list_contracts'))
  await client.finishAuth(await desk.allow(user))
  await service.clock.advance(hour_ms + 1_000)
  assert.equal(await listContracts(client), 1)
  await service.clock.advance(11_000)
  const reused = await refresh(service, String(desk.client?.client_id), String(desk.seen[0]?.refresh_token))
  verifies('3.2.refresh').deepEqual([reused.status, reused.body.error], [400, 'invalid_grant'])
  await sendsBrowser(desk, () => client.callTool('list_contracts'))
  await client.close()
})

test('a connection that the user ends among the connected apps is refused with the next call', async () => {
  const user = await signIn(service)
  const desk = new Desk(service)
  const client = officialClients['sdk.v2-modern']?.make(service, { authProvider: desk })
  assert.ok(client)
  await client.connect()
  await sendsBrowser(desk, () => client.callTool('list_contracts'))
  await client.finishAuth(await desk.allow(user))
  assert.equal(await listContracts(client), 1)
  await endEveryConnection(user.user_id)
  await sendsBrowser(desk, () => client.callTool('list_contracts'))
  await client.close()
})

/** The steps of the page of connected apps: an administrator lists the grants and ends those of a user. */
async function endEveryConnection(user_id: string): Promise<void> {
  const { token } = await createMember(service)
  const { body } = await service.call('GET', '/oauth-grants', { token, query: { limit: 100 } })
  const own = body.data.filter((grant: { user_id: string | null }) => grant.user_id === user_id)
  assert.ok(own.length > 0)
  for (const { id } of own) {
    assert.equal((await service.call('DELETE', `/oauth-grants/${id}`, { token })).status, 204)
  }
}
