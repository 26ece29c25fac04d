import assert from 'node:assert/strict'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { beginSession } from '#identity/session.store.ts'
import { issueToken } from '#identity/token.store.ts'
import { pageHeaders } from '#test/console-caller.ts'
import { connect, type OAuthService, refresh, type SignedIn } from '#test/oauth.ts'

/** A credential in somebody's hands, and one use of it at a process of the service: true when it worked. */
export interface Held {
  name: string
  use(service: OAuthService): Promise<boolean>
}

/** One credential of every kind that acts for a member who is a person of the organization as well. */
export async function holdCredentials(
  service: OAuthService,
  user: SignedIn,
  person_id: string,
  resource: string,
): Promise<Held[]> {
  const { organization } = service
  const { database } = service.database
  await database.transaction({ role: 'owner', organization_id: organization.id }, (tx) =>
    tx.run(
      sql`update people set user_id = ${user.user_id} where organization_id = ${organization.id} and id = ${person_id}`,
    ),
  )
  const second = await database.transaction({ role: 'lookup' }, (tx) =>
    beginSession(tx, { headers: {} }, { user_id: user.user_id, address: '127.0.0.1' }),
  )
  const worker_cookie = second.slice(0, second.indexOf(';'))
  const { token } = await database.transaction({ role: 'owner', organization_id: organization.id }, (tx) =>
    issueToken(tx, {
      ...{ id: newId(service.clock.now()), organization_id: organization.id, kind: 'personal', name: 'held' },
      ...{ user_id: user.user_id, scopes: [...organizationScopes], sensitive_data: [...sensitiveCategories] },
      ...{ created_by: { kind: 'system', id: null, name: 'test' }, is_sandbox: false, expires_at: null },
    }),
  )
  const app = await connect(service, user, { resource })
  let kept = await connect(service, user, { resource })
  const place = { ...pageHeaders, 'stint-organization': organization.id }
  const get = (name: string, url: string, headers: Record<string, string>): Held => ({
    name,
    use: async (at) => (await at.app.inject({ method: 'GET', url, headers })).statusCode === 200,
  })
  return [
    get('console session', '/console/rest/v2/contracts', { ...place, cookie: user.cookie }),
    get('worker session', '/console/rest/v2/worker/me', { ...place, cookie: worker_cookie, 'stint-person': person_id }),
    get('personal token', '/rest/v2/contracts', { authorization: `Bearer ${token}` }),
    get('OAuth access token', '/rest/v2/contracts', { authorization: `Bearer ${app.access_token}` }),
    {
      name: 'refresh token',
      async use(at) {
        const { status, body } = await refresh(at, kept.client_id, kept.refresh_token)
        if (status === 200) kept = { ...kept, ...body }
        return status === 200
      },
    },
  ]
}

/**
 * Uses each credential without pause at all processes in turn, closes the access meanwhile, and asserts that every use that
 * began before any of it worked and none that began after the answer did.
 */
export async function closeWhileUsed(
  services: readonly OAuthService[],
  credentials: readonly Held[],
  close: () => Promise<unknown>,
): Promise<void> {
  const uses_each = 2 * services.length
  let is_closing = false
  let is_closed = false
  const used = Promise.withResolvers<void>()
  const counts = credentials.map(() => ({ before: 0, after: 0 }))
  const loops = credentials.map(async ({ name, use }, at) => {
    const counted = counts[at]
    for (let turn = 0; counted && counted.after < uses_each; turn += 1) {
      const service = services[turn % services.length]
      const began_after = is_closed
      const worked = service !== undefined && (await use(service))
      if (began_after) assert.equal(worked, false, `${name} worked after the access was closed`)
      if (began_after) counted.after += 1
      else if (worked) counted.before += 1
      else assert.ok(is_closing, `${name} did not work`)
      if (counts.every(({ before }) => before >= uses_each)) used.resolve()
    }
  })
  const running = Promise.all(loops)
  await Promise.race([used.promise, running])
  is_closing = true
  await close()
  is_closed = true
  await running
}
