import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { createContract } from '#test/factories.ts'
import {
  authorize,
  connect,
  consent,
  obtainCode,
  pageHeaders,
  pkce,
  redeem,
  register,
  requestIdOf,
  type SignedIn,
  signIn,
} from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

const rest = { resource: 'https://stint.test/rest/v2' }
const everything =
  'contracts:read contracts:write people:read people:write accounting:read accounting:write webhooks:write tokens:write scim:write worker:read worker:write'

let service: TestService
let user: SignedIn
let client_id: string
before(async () => {
  service = await startTestService()
  user = await signIn(service)
  client_id = (await register(service)).client_id
})
after(() => service.close())

const newRequest = async (scope = 'contracts:read people:read') =>
  requestIdOf(await authorize(service, client_id, pkce().challenge, { scope, ...rest }))

/** The request as it is shown, with the decision that the page would send. */
async function shown(cookie = user.cookie, scope?: string) {
  const request_id = await newRequest(scope)
  const { status, body } = await consent(service, 'GET', request_id, { cookie })
  assert.equal(status, 200, JSON.stringify(body))
  const { csrf_token, organizations } = body
  const decision = {
    csrf_token,
    decision: 'approve',
    organization_id: organizations[0]?.organization_id,
    scopes: ['contracts:read'],
    sensitive_data: [],
  }
  return { request_id, page: body, decision }
}
const decide = (
  request_id: string,
  body: object,
  cookie: string | undefined = user.cookie,
  headers: Record<string, string | null> = {},
) => consent(service, 'POST', request_id, { ...(cookie && { cookie }), body, headers })
const grants = () =>
  service.database.database.transaction({ role: 'owner' }, async (tx) => {
    const row = await tx.row<{ rows: number }>(sql`select count(*)::int as rows from oauth_grants`)
    return row?.rows ?? 0
  })

test('the page is told who asks, where the answer goes, and what each right means', async () => {
  const { page, request_id } = await shown()
  assert.equal(page.request_id, request_id)
  assert.deepEqual(page.client, {
    client_id,
    name: 'Desk Assistant',
    mixed_scripts: [],
    kind: 'dynamic',
    document_host: null,
    description: null,
    client_uri: null,
    managed_by: null,
  })
  assert.deepEqual(page.redirect, {
    host: '127.0.0.1:49152',
    unicode_host: '127.0.0.1:49152',
    mixed_scripts: [],
    is_loopback: true,
    is_private_scheme: false,
  })
  assert.equal(page.resource, 'rest')
  assert.equal(page.expires_at, new Date(service.clock.now() + 600_000).toISOString())
  const [place] = page.organizations
  assert.deepEqual(
    [place.name, place.role, place.as, place.person_id, place.client_verdict],
    ['Harbour Pine', 'owner', 'member', null, null],
  )
  assert.deepEqual(place.scopes[0], {
    name: 'contracts:read',
    words: 'See contracts, terms, amendments and payment periods',
    state: 'offered',
    was_granted: false,
    is_needed: false,
  })
  assert.equal(place.sensitive_data.length, 5)
})

test('consent.html: markup in names reaches the page as it is, which shows it as text', async () => {
  const client_name = '<img src=x onerror=alert(1)>'
  const { client_id: hostile } = await register(service, { client_name })
  const request_id = requestIdOf(await authorize(service, hostile, pkce().challenge))
  const answer = await consent(service, 'GET', request_id, user)
  assert.equal(answer.body.client.name, client_name)
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
})

const refusals: [
  name: string,
  sent: (it: Awaited<ReturnType<typeof shown>>) => ReturnType<typeof decide>,
  status: number,
][] = [
  ['consent.csrf.cookie', ({ request_id, decision }) => consent(service, 'POST', request_id, { body: decision }), 401],
  [
    'consent.csrf.token: none',
    ({ request_id, decision }) => decide(request_id, { ...decision, csrf_token: undefined }),
    400,
  ],
  [
    'consent.csrf.token: wrong',
    ({ request_id, decision }) => decide(request_id, { ...decision, csrf_token: 'x' }),
    403,
  ],
  [
    'consent.csrf.token: of another request',
    async ({ request_id, decision }) =>
      decide(request_id, { ...decision, csrf_token: (await shown()).page.csrf_token }),
    403,
  ],
  [
    'consent.csrf.origin',
    ({ request_id, decision }) =>
      decide(request_id, decision, user.cookie, { 'sec-fetch-site': null, origin: 'https://evil.example' }),
    403,
  ],
  [
    'consent.csrf.cross-site',
    ({ request_id, decision }) => decide(request_id, decision, user.cookie, { 'sec-fetch-site': 'cross-site' }),
    403,
  ],
  [
    'consent.csrf.same-site',
    ({ request_id, decision }) => decide(request_id, decision, user.cookie, { 'sec-fetch-site': 'same-site' }),
    403,
  ],
  [
    'consent.csrf.header',
    ({ request_id, decision }) => decide(request_id, decision, user.cookie, { 'stint-console': '0' }),
    403,
  ],
  [
    'consent.session',
    async ({ request_id, decision }) => decide(request_id, decision, (await signIn(service)).cookie),
    403,
  ],
  ['consent.unknown', ({ decision }) => decide('x'.repeat(43), decision), 403],
  ['consent.malformed', ({ decision }) => decide('nonsense', decision), 404],
  [
    'consent.beyond: a scope that was not asked for',
    ({ request_id, decision }) => decide(request_id, { ...decision, scopes: ['contracts:write'] }),
    422,
  ],
  [
    'consent.beyond: an organization that is not the user’s',
    ({ request_id, decision }) => decide(request_id, { ...decision, organization_id: newId(0) }),
    422,
  ],
  [
    'consent.beyond: no organization',
    ({ request_id, decision }) => decide(request_id, { ...decision, organization_id: undefined }),
    422,
  ],
  [
    'consent.beyond: a person who is not the user',
    ({ request_id, decision }) => decide(request_id, { ...decision, person_id: newId(0) }),
    422,
  ],
  ['an unknown decision', ({ request_id, decision }) => decide(request_id, { ...decision, decision: 'maybe' }), 400],
]
for (const [name, send, status] of refusals) {
  test(`${name} answers ${status}, changes nothing, and the right decision still counts`, async () => {
    const it = await shown()
    const before_ = await grants()
    const answer = await send(it)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(await grants(), before_)
    assert.equal((await decide(it.request_id, it.decision)).status, 200)
    assert.equal(await grants(), before_ + 1)
  })
}

test('consent.session: a request belongs to the first session that opens it', async () => {
  const { request_id } = await shown()
  const other = await signIn(service)
  assert.equal((await consent(service, 'GET', request_id, other)).status, 404)
  assert.equal((await consent(service, 'GET', request_id, user)).status, 200)
  const unopened = await newRequest()
  assert.equal((await consent(service, 'GET', unopened)).status, 401)
  assert.equal((await consent(service, 'GET', unopened, other)).status, 200)
})

test('consent.replay: a decision counts once, also of ten at the same moment', async () => {
  const { request_id, decision } = await shown()
  const before_ = await grants()
  const answers = await Promise.all(Array.from({ length: 10 }, () => decide(request_id, decision)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  assert.equal(await grants(), before_ + 1)
  assert.equal((await decide(request_id, { ...decision, decision: 'deny' })).status, 409)
  assert.equal((await consent(service, 'GET', request_id, user)).status, 409)
})

test('a request is over after ten minutes', async () => {
  const { request_id, decision } = await shown()
  await service.clock.advance(600_000 - 1)
  assert.equal((await consent(service, 'GET', request_id, user)).status, 200)
  await service.clock.advance(1)
  assert.equal((await consent(service, 'GET', request_id, user)).status, 404)
  assert.equal((await decide(request_id, decision)).status, 404)
})

test('Deny and an empty choice come back as access_denied, and give nothing', async () => {
  const before_ = await grants()
  for (const change of [{ decision: 'deny' }, { scopes: [] }, { decision: 'deny', organization_id: undefined }]) {
    const { request_id, decision } = await shown()
    const { status, body } = await decide(request_id, { ...decision, ...change })
    assert.equal(status, 200, JSON.stringify(body))
    const url = new URL(body.redirect_to)
    assert.equal(url.searchParams.get('error'), 'access_denied')
    assert.equal(url.searchParams.has('code'), false)
  }
  assert.equal(await grants(), before_)
})

const roles: Record<Role, { ticked: string; unticked: string; categories: number }> = {
  owner: {
    ticked: 'contracts:read people:read accounting:read webhooks:read',
    unticked: 'contracts:write people:write accounting:write webhooks:write tokens:read tokens:write',
    categories: 5,
  },
  admin: {
    ticked: 'contracts:read people:read accounting:read webhooks:read',
    unticked: 'contracts:write people:write webhooks:write tokens:read tokens:write',
    categories: 5,
  },
  developer: {
    ticked: 'contracts:read people:read webhooks:read',
    unticked: 'webhooks:write tokens:read tokens:write',
    categories: 0,
  },
  finance: { ticked: 'contracts:read people:read accounting:read', unticked: 'accounting:write', categories: 2 },
  viewer: { ticked: 'contracts:read people:read', unticked: '', categories: 0 },
}
type Shown = { name: string; state: string; was_granted: boolean; is_needed: boolean }
const inState = (place: { scopes: Shown[] }, state: string) =>
  place.scopes
    .filter((scope) => scope.state === state)
    .map(({ name }) => name)
    .join(' ')

for (const [role, { ticked, unticked, categories }] of Object.entries(roles) as [Role, (typeof roles)[Role]][]) {
  test(`rights.role: ${role} is offered what the role may do, reading ticked; provisioning and workers’ rights never are`, async () => {
    const { cookie } = await signIn(service, { role })
    const { page, request_id, decision } = await shown(cookie, everything)
    const [place] = page.organizations
    assert.deepEqual([inState(place, 'offered'), inState(place, 'unticked')], [ticked, unticked])
    assert.equal(place.sensitive_data.length, categories)
    for (const scope of ['scim:write', 'worker:read']) {
      assert.equal((await decide(request_id, { ...decision, scopes: [scope] }, cookie)).status, 422)
    }
    assert.equal((await decide(request_id, decision, cookie)).status, 200)
  })
}

test('money and tokens are never ticked beforehand: not alone, not asked again, not when they are needed', async () => {
  const some = await signIn(service)
  const asked = 'tokens:read tokens:write accounting:write'
  const first = await shown(some.cookie, asked)
  assert.equal(inState(first.page.organizations[0], 'offered'), 'accounting:read')
  const scopes = asked.split(' ')
  assert.equal((await decide(first.request_id, { ...first.decision, scopes }, some.cookie)).status, 200)
  const again = await shown(some.cookie, asked)
  assert.equal(inState(again.page.organizations[0], 'offered'), 'accounting:read')
})

test('writing includes reading, which is shown once, and can be given without it', async () => {
  const names = async (scope: string) => {
    const { page } = await shown(user.cookie, scope)
    return page.organizations[0].scopes.map(({ name }: Shown) => name).join(' ')
  }
  assert.equal(await names('contracts:write'), 'contracts:read contracts:write')
  assert.equal(await names('contracts:write contracts:read'), 'contracts:read contracts:write')
  const granted = async (scopes: string[]) => {
    const code = await obtainCode(service, client_id, user, { ...rest, scope: 'contracts:write' }, { scopes })
    return (await redeem(service, code)).body.scope
  }
  assert.equal(await granted(['contracts:read']), 'contracts:read')
  assert.equal(await granted(['contracts:read', 'contracts:write']), 'contracts:write')
})

test('asked again, only what was granted before is ticked, and what the client was refused a call for want of', async () => {
  const some = await signIn(service)
  const scope = 'contracts:write people:read webhooks:read webhooks:write'
  const code = await obtainCode(service, client_id, some, { ...rest, scope }, { scopes: ['contracts:read'] })
  const { access_token } = (await redeem(service, code)).body
  const again = (await shown(some.cookie, scope)).page.organizations[0]
  assert.equal(inState(again, 'offered'), 'contracts:read')
  assert.equal(inState(again, 'unticked'), 'contracts:write people:read webhooks:read webhooks:write')

  // Each refused for want of one scope; a tool call is refused alike.
  for (const [method, path] of [
    ['POST', '/contracts'],
    ['GET', '/webhooks'],
  ] as const) {
    const refused = await service.call(method, path, { token: access_token, ...(method === 'POST' && { body: {} }) })
    assert.equal(refused.body.code, 'insufficient_scope')
  }
  const stepUp = (await shown(some.cookie, scope)).page.organizations[0]
  assert.equal(inState(stepUp, 'offered'), 'contracts:read contracts:write webhooks:read')
  assert.deepEqual(
    stepUp.scopes.filter(({ is_needed }: Shown) => is_needed).map(({ name }: Shown) => name),
    ['contracts:read', 'contracts:write', 'webhooks:read'],
  )
  await service.clock.advance(3_600_000)
  const later = (await shown(some.cookie, scope)).page.organizations[0]
  assert.equal(inState(later, 'offered'), 'contracts:read')
})

test('a tool call refused for want of a scope is what the consent page ticks next', async () => {
  const some = await signIn(service)
  const mcp = { resource: 'https://stint.test/mcp', scope: 'contracts:read contracts:write' }
  const code = await obtainCode(service, client_id, some, mcp, { scopes: ['contracts:read'] })
  const { access_token } = (await redeem(service, code)).body
  const refused = await service.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_contract', arguments: {} } },
  })
  assert.match(String(refused.headers['www-authenticate']), /scope="contracts:write"$/)
  const { page } = await shown(some.cookie, 'contracts:read contracts:write people:read')
  assert.equal(inState(page.organizations[0], 'offered'), 'contracts:read contracts:write')
})

test('names that look like others are shown in ASCII, with their readable form and the scripts that they mix', async () => {
  const client_name = '\u0421laude Desktop'
  const { client_id: hostile } = await register(service, {
    client_name,
    redirect_uris: ['https://xn--pple-43d.example/cb'],
  })
  const asked = await authorize(service, hostile, pkce().challenge, { redirect_uri: 'https://xn--pple-43d.example/cb' })
  const { body } = await consent(service, 'GET', requestIdOf(asked), user)
  assert.deepEqual(body.client.mixed_scripts, ['Cyrillic', 'Latin'])
  assert.deepEqual(body.redirect, {
    host: 'xn--pple-43d.example',
    unicode_host: '\u0430pple.example',
    mixed_scripts: ['Cyrillic', 'Latin'],
    is_loopback: false,
    is_private_scheme: false,
  })
})

test('what was granted before is marked, and what was chosen is what the client gets', async () => {
  const some = await signIn(service)
  const first = await obtainCode(
    service,
    client_id,
    some,
    { ...rest, scope: 'contracts:read people:read' },
    {
      scopes: ['people:read'],
      sensitive_data: ['home_address'],
    },
  )
  const { body } = await redeem(service, first)
  assert.equal(body.scope, 'people:read')
  const caller = await service.authenticate(`Bearer ${body.access_token}`, null)
  assert.deepEqual([...caller.sensitive_data], ['home_address'])
  const { page } = await shown(some.cookie)
  assert.deepEqual(
    page.organizations[0].scopes.map(({ name, was_granted }: { name: string; was_granted: boolean }) => [
      name,
      was_granted,
    ]),
    [
      ['contracts:read', false],
      ['people:read', true],
    ],
  )
})

test('a worker is offered worker:* for the own rows, and the grant acts as that person', async () => {
  const { worker_id } = await createContract(service)
  const worker = await signIn(service, { role: null })
  await service.database.database.transaction({ role: 'owner', organization_id: service.organization.id }, (tx) =>
    tx.run(sql`update people set user_id = ${worker.user_id}, access = 'enabled' where id = ${worker_id}`),
  )
  const { page } = await shown(worker.cookie, everything)
  const [place, ...more] = page.organizations
  assert.deepEqual([more.length, place.as, place.person_id, place.role], [0, 'worker', worker_id, null])
  const { access_token, client_id: connected } = await connect(service, worker, { ...rest, scope: everything })
  const { body, status } = await service.call('GET', '/worker/contracts', { token: access_token })
  assert.deepEqual([status, body.data?.length], [200, 1], JSON.stringify(body))
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 403)
  const { body: grants } = await service.call('GET', '/oauth-grants')
  assert.deepEqual(
    grants.data
      .filter(({ client_id }: { client_id: string }) => client_id === connected)
      .map(({ person_id }: { person_id: string }) => person_id),
    [worker_id],
  )
  await service.database.database.transaction({ role: 'owner', organization_id: service.organization.id }, (tx) =>
    tx.run(sql`update people set access = 'disabled' where id = ${worker_id}`),
  )
  assert.equal((await service.call('GET', '/worker/contracts', { token: access_token })).status, 401)
})

test('no token opens the page, and the page opens no REST operation', async () => {
  const { access_token } = await connect(service, user, rest)
  const request_id = await newRequest()
  const answer = await consent(service, 'GET', request_id, { headers: { authorization: `Bearer ${access_token}` } })
  assert.equal(answer.status, 401)
  const { statusCode } = await service.app.inject({
    url: '/rest/v2/contracts',
    headers: { ...pageHeaders, cookie: user.cookie },
  })
  assert.equal(statusCode, 401)
})
