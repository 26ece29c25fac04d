import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { isWaitingForLock } from '#test/lock-wait.ts'
import { authorize, consent, pkce, redirect_uri, requestIdOf, type SignedIn, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

const asked = { resource: 'https://stint.test/rest/v2', scope: 'contracts:read contracts:write' }

let service: TestService
let user: SignedIn
before(async () => {
  service = await startTestService()
  user = await signIn(service)
})
after(() => service.close())

const patch = (client_id: string, body: object) => service.call('PATCH', `/oauth-clients/${client_id}`, { body })

/** A client of the organization and a request of it that a user looks at, with the decision that the page would send. */
async function shown() {
  const body = { name: 'Payroll bridge', redirect_uris: [redirect_uri], scopes: ['contracts:write', 'people:read'] }
  const { client_id } = (await service.call('POST', '/oauth-clients', { body })).body
  const request_id = requestIdOf(await authorize(service, client_id, pkce().challenge, asked))
  const page = await consent(service, 'GET', request_id, user)
  assert.equal(page.status, 200, JSON.stringify(page.body))
  const decide = (decision: 'approve' | 'deny') => {
    const organization_id = service.organization.id
    const sent = { csrf_token: page.body.csrf_token, decision, organization_id, scopes: ['contracts:write'] }
    return consent(service, 'POST', request_id, { ...user, body: sent })
  }
  return { client_id, request_id, decide }
}

test('an app gets rights to write, or sensitive data, by a proof of the last ten minutes only', async () => {
  const fresh = await signIn(service)
  const ask = async (chosen: object) => {
    const body = { name: 'Payroll bridge', redirect_uris: [redirect_uri], scopes: ['contracts:write'] }
    const { client_id } = (await service.call('POST', '/oauth-clients', { body })).body
    const request_id = requestIdOf(await authorize(service, client_id, pkce().challenge, asked))
    const { csrf_token } = (await consent(service, 'GET', request_id, fresh)).body
    const sent = { csrf_token, decision: 'approve', organization_id: service.organization.id, ...chosen }
    const { status, body: answer } = await consent(service, 'POST', request_id, { ...fresh, body: sent })
    return [status, answer.code]
  }
  const writing = { scopes: ['contracts:write'] }
  assert.deepEqual(await ask(writing), [200, undefined])
  await service.clock.advance(600_001)
  assert.deepEqual(await ask(writing), [403, 'reauthentication_required'])
  const seeing = { scopes: ['contracts:read'], sensitive_data: ['compensation'] }
  assert.deepEqual(await ask(seeing), [403, 'reauthentication_required'])
  assert.deepEqual(await ask({ scopes: ['contracts:read'] }), [200, undefined])
  assert.deepEqual(await ask({ ...writing, decision: 'deny' }), [200, undefined])
  user = await signIn(service)
})

async function grantsOf(client_id: string): Promise<number> {
  const { data } = (await service.call('GET', '/oauth-grants?limit=100')).body
  return data.filter((grant: { client_id: string }) => grant.client_id === client_id).length
}

const takings: [name: string, changes: object][] = [
  ['a scope', { scopes: ['contracts:read'] }],
  ['the resource', { resources: ['mcp'] }],
  ['the redirect URI', { redirect_uris: ['https://app.example/cb'] }],
]
for (const [name, changes] of takings) {
  test(`what is taken from a client is taken from its open requests: ${name}`, async () => {
    const { client_id, request_id, decide } = await shown()
    assert.equal((await patch(client_id, changes)).status, 200)
    for (const answer of [
      await decide('approve'),
      await decide('deny'),
      await consent(service, 'GET', request_id, user),
    ]) {
      assert.equal(`${answer.status} ${answer.body.code}`, '404 not_found')
      assert.match(answer.body.detail, /Start again from the application/)
    }
    assert.equal(await grantsOf(client_id), 0)
  })
}

test('a client that is changed in what a request does not ask for is answered', async () => {
  const { client_id, decide } = await shown()
  const changes = { name: 'Renamed', scopes: ['contracts:write'], resources: ['rest'] }
  assert.equal((await patch(client_id, changes)).status, 200)
  const { status, body } = await decide('approve')
  assert.equal(status, 200, JSON.stringify(body))
  assert.match(body.redirect_to, /^http:\/\/127\.0\.0\.1:49152\/callback\?code=/)
})

test('a client that is narrowed while Allow is being written is given nothing', async () => {
  const { client_id, decide } = await shown()
  const { id: organization_id } = service.organization
  let decision: ReturnType<typeof decide> | undefined
  await service.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    await tx.run(sql`update oauth_clients set scopes = '{people:read}' where client_id = ${client_id}`)
    decision = decide('approve')
    await isWaitingForLock(service)
  })
  assert.equal((await decision)?.status, 404)
  assert.equal(await grantsOf(client_id), 0)
})
