import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role, Scope } from '#core/caller.ts'
import type { Operation } from '#core/operation.ts'
import { newId } from '#core/values.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { apiToken } from '#identity/api-tokens/api-token.ts'
import { endCredential } from '#identity/end-credentials.ts'
import { scopes } from '#identity/scopes.ts'
import { newToken } from '#identity/token-format.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'
import { everyOperation, hasBody, holdsFor, registry } from './derived/every-operation.ts'
import { emptyPath } from './derived/rows.ts'
import { issue, tokenWith } from './derived/tokens.ts'
import { writesNothing } from './derived/written-rows.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const metadata = 'https://stint.test/.well-known/oauth-protected-resource/rest/v2'

const call = (operation: Operation, token: string | null, headers: Record<string, string> = {}) =>
  service.call(operation.method, emptyPath(operation), { token, headers, ...(hasBody(operation) && { body: {} }) })

const wordsOf = ({ status, body: { request_id: _, ...body } }: TestAnswer) => ({ status, ...body })

const unchanged = (work: () => Promise<void>) => writesNothing(service, [service.organization.id], work)

test('without a credential every operation answers 401 and says where the metadata is, nothing more', () =>
  unchanged(() =>
    holdsFor(everyOperation, async (operation) => {
      const { status, body, headers } = await call(operation, null)
      verifies('4.bearer', '5.1.authentication').equal(status, 401)
      assert.equal(body.code, 'unauthenticated')
      verifies('7.missing-header').match(body.detail, /no Authorization header/)
      assert.equal(headers['www-authenticate'], `Bearer resource_metadata="${metadata}"`)
      assert.match(String(headers['content-type']), /^application\/problem\+json/)
    }),
  ))

test('malformed, unknown, expired and revoked credentials answer 401 and read alike', async () => {
  const { id } = service.organization
  const expired = await service.createToken(id, { expires_at: new Date(service.clock.now() - 1).toISOString() })
  const good = service.organization.token
  const authorizations = [
    'Bearer nonsense',
    'Bearer',
    'Bearer  ',
    `Bearer ${good} ${good}`,
    `Bearer ${good}x`,
    `Bearer ${good.toLowerCase()}`,
    `Bearer ${newToken('organization', false)}`,
    `Bearer ${expired}`,
    `Bearer ${await revokedToken()}`,
    `Bearer ${'a'.repeat(10_000)}`,
  ]
  await unchanged(() =>
    holdsFor(everyOperation, async (operation) => {
      const [first, ...others] = await Promise.all(
        authorizations.map((authorization) => call(operation, null, { authorization })),
      )
      assert.ok(first)
      assert.equal(first.status, 401)
      const challenge = `Bearer resource_metadata="${metadata}", error="invalid_token"`
      verifies('7.invalid-token').equal(first.headers['www-authenticate'], challenge)
      for (const [index, other] of others.entries()) {
        assert.deepEqual(wordsOf(other), wordsOf(first), authorizations[index + 1]?.slice(0, 40) ?? '')
        assert.equal(other.headers['www-authenticate'], first.headers['www-authenticate'])
      }
    }),
  )
})

test('another scheme than Bearer, or none, answers 401 and is told which one to send', async () => {
  const good = service.organization.token
  await holdsFor(everyOperation, async (operation) => {
    for (const authorization of [`Basic ${btoa('user:password')}`, `Token ${good}`, good]) {
      const { status, headers, body } = await call(operation, null, { authorization })
      assert.equal(status, 401)
      assert.equal(headers['www-authenticate'], `Bearer resource_metadata="${metadata}", error="invalid_token"`)
      assert.match(body.detail, /send `Authorization: Bearer <token>`/)
      assert.ok(!body.detail.includes(good.slice(20)), 'the secret is not repeated')
    }
  })
})

test('a token that holds every scope but those of an operation answers 403 and names the scopes that suffice', async () => {
  const tokens = new Map<string, string>()
  for (const operation of needingScope) {
    tokens.set(
      operation.id,
      await tokenWith(
        service,
        scopes.filter((scope) => !suffices(operation, scope)),
      ),
    )
  }
  await unchanged(() =>
    holdsFor(needingScope, async (operation) => {
      const { status, body, headers } = await call(operation, tokens.get(operation.id) ?? null)
      verifies('7.insufficient-scopes').equal(`${status} ${body.code}`, '403 insufficient_scope')
      verifies('5.1.scopes').deepEqual(body.required_scopes, operation.scopes)
      const [least] = operation.scopes.toSorted()
      const challenge = `Bearer resource_metadata="${metadata}", error="insufficient_scope", scope="${least}"`
      assert.equal(headers['www-authenticate'], challenge)
    }),
  )
})

test('each single scope of an operation suffices for it', () =>
  holdsFor(needingScope, async (operation) => {
    for (const scope of operation.scopes)
      assertAdmitted(operation, await call(operation, await tokenWith(service, [scope])))
  }))

test('a write scope includes the read scope of its resource', () =>
  holdsFor(needingScope, async (operation) => {
    for (const scope of operation.scopes.filter((name) => name.endsWith(':read'))) {
      const writes = scope.replace(/:read$/, ':write') as Scope
      assertAdmitted(operation, await call(operation, await tokenWith(service, [writes])))
    }
  }))

/** Without a scope they show a user the own rows, and an organization's token has none. */
const ownRows = new Set(['api_tokens.list', 'api_tokens.get', 'oauth_grants.list'])

test('an operation that asks for no scope admits any valid token', () =>
  holdsFor(
    everyOperation.filter(
      ({ id, scopes: needed, method }) => needed.length === 0 && method === 'GET' && !ownRows.has(id),
    ),
    async (operation) => {
      const { status } = await call(operation, await tokenWith(service, ['timesheets:read']))
      assert.ok(status === 200 || status === 404, `answered ${status}`)
    },
  ))

test('a read scope never suffices for a change', () =>
  holdsFor(
    needingScope.filter(({ method }) => method !== 'GET'),
    ({ scopes: needed }) => {
      assert.deepEqual(
        needed.filter((scope) => scope.endsWith(':read')),
        [],
      )
    },
  ))

test('a user whose role an operation does not list answers 403 whatever scopes the token holds', async () => {
  const tokens = new Map<Role, string>()
  for (const role of roles) tokens.set(role, await tokenOfRole(role))
  await holdsFor(
    everyOperation.filter((operation) => operation.roles),
    async (operation) => {
      for (const role of roles) {
        const answer = await call(operation, tokens.get(role) ?? null)
        const isListed = operation.roles?.includes(role)
        if (isListed) assertAdmitted(operation, answer)
        else assert.equal(`${answer.status} ${answer.body.code}`, '403 insufficient_scope', role)
      }
    },
  )
})

test('an operation of users refuses a token of the organization, whatever scopes it holds', () =>
  holdsFor(
    everyOperation.filter(({ only_users }) => only_users),
    async (operation) => {
      const { status, body } = await call(operation, await tokenWith(service, scopes))
      assert.equal(`${status} ${body.code}`, '403 user_required')
    },
  ))

test('the scopes are named {resource}:read and {resource}:write, and the contract’s seven are among them', () => {
  for (const scope of scopes) verifies('5.1.scope-names').match(scope, /^[a-z]+(-[a-z]+)*:(read|write)$/)
  const named = ['contracts:read', 'contracts:write', 'people:read', 'timesheets:read', 'timesheets:write']
  for (const scope of [...named, 'invoice-adjustments:read', 'invoice-adjustments:write']) {
    verifies('5.2.scope-names').ok((scopes as readonly string[]).includes(scope), scope)
  }
})

test('every operation names known scopes only', () => {
  for (const { definition } of registry.operations) {
    assert.deepEqual(
      definition.scopes.filter((scope) => !scopes.includes(scope)),
      [],
      definition.id,
    )
  }
})

const needingScope = everyOperation.filter((operation) => operation.scopes.length > 0)

const roles: readonly Role[] = ['owner', 'admin', 'developer', 'finance', 'viewer']

function suffices({ scopes: needed }: Operation, scope: string): boolean {
  return needed.some((name) => name === scope || name.replace(/:read$/, ':write') === scope)
}

/** Not refused for want of a scope of the operation; a refusal about something in the input is another matter. */
function assertAdmitted(operation: Operation, { status, body }: TestAnswer): void {
  const isRefused = status === 403 && body?.code === 'insufficient_scope'
  if (isRefused) assert.notDeepEqual(body.required_scopes, operation.scopes, JSON.stringify(body))
  assert.ok(status !== 401 && status < 500, `answered ${status}`)
}

async function revokedToken(): Promise<string> {
  const organization_id = service.organization.id
  const { id, token } = await issue(service, organization_id, { scopes })
  await service.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    assert.ok(await apiToken.find(tx, { organization_id, id }))
    const by = { kind: 'system', id: null, name: 'test' } as const
    await endCredential({ tx, emit: () => undefined }, { token_id: id }, { organization_id, by, reason: 'revoked' })
  })
  return token
}

/** A personal token of a member with this role. */
async function tokenOfRole(role: Role): Promise<string> {
  const organization_id = service.organization.id
  const user_id = newId(service.clock.now())
  await service.database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await insertUser(tx, { id: user_id, email: `${role}@harbour.example`, name: role, password_hash: null })
    await grantMembership(tx, organization_id, user_id, role)
  })
  return (await issue(service, organization_id, { scopes, user_id })).token
}
