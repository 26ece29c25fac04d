import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '#boot/operations.ts'
import type { Role, Scope } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { rightsOf, sensitiveCategories, workerScopes } from '#identity/scopes.ts'
import { issueToken } from '#identity/token.store.ts'
import { createContract } from '#test/factories.ts'
import { useTestService } from '#test/service.ts'

const roles: readonly Role[] = ['owner', 'admin', 'developer', 'finance', 'viewer']

/**
 * Less than the scope alone would give (console design 5): a viewer sees that something was delivered, never what, and the
 * audit log is for those who administer.
 */
const exceptions: Record<string, readonly Role[]> = {
  'webhooks.get_delivery': ['owner', 'admin', 'developer'],
  'events.list': ['owner', 'admin', 'developer'],
  'events.get': ['owner', 'admin', 'developer'],
  'audit.list': ['owner', 'admin'],
  'audit.list_batches': ['owner', 'admin'],
  'audit.get_seal': ['owner', 'admin'],
}

/** These decide in their handler: what is a user's own needs no role. */
const ofTheUser = /^(api_tokens|oauth_grants)\./

const holds = (role: Role, scope: Scope) => {
  const held: readonly string[] = rightsOf[role].scopes
  return held.includes(scope) || held.includes(scope.replace(/:read$/, ':write'))
}

for (const { id, scopes, roles: listed = roles } of operations) {
  if (scopes.length === 0 || ofTheUser.test(id) || scopes.some((scope) => workerScopes.includes(scope))) continue
  test(`the roles of ${id} are those of the table of roles`, () => {
    const expected = exceptions[id] ?? roles.filter((role) => scopes.some((scope) => holds(role, scope)))
    assert.deepEqual([...listed].sort(), [...expected].sort())
  })
}

test('only what is a user’s own, the look at the own organization, and what is constant ask for no scope', () => {
  assert.deepEqual(
    operations.filter(({ id, scopes }) => scopes.length === 0 && !ofTheUser.test(id)).map(({ id }) => id),
    ['overview.get', 'organizations.list', 'lookups.countries', 'lookups.currencies', 'lookups.time_zones'],
  )
})

test('a role that is lowered counts at the next call, for what is done and for what is seen', async (t) => {
  const service = await useTestService(t)
  const organization_id = service.organization.id
  const user_id = newId(service.clock.now())
  const contract = await createContract(service)
  const setRole = (role: Role) =>
    service.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
      grantMembership(tx, organization_id, user_id, role),
    )
  const token = await service.database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await insertUser(tx, { id: user_id, email: 'nora@harbour.example', name: 'Nora', password_hash: null })
    await grantMembership(tx, organization_id, user_id, 'owner')
    const { token: value } = await issueToken(tx, {
      id: newId(service.clock.now()),
      organization_id,
      kind: 'personal',
      user_id,
      name: 'test',
      is_sandbox: false,
      scopes: ['contracts:write'],
      sensitive_data: [...sensitiveCategories],
      created_by: { kind: 'system', id: null, name: 'test' },
      expires_at: null,
    })
    return value
  })
  const rename = () => service.call('PATCH', `/contracts/${contract.id}`, { token, body: { title: 'Another title' } })
  const pay = async () => (await service.call('GET', `/contracts/${contract.id}`, { token })).body.compensation.amount
  assert.equal((await rename()).status, 200)
  assert.notEqual(await pay(), null)

  await setRole('viewer')
  const refused = await rename()
  assert.deepEqual([refused.status, refused.body.code, refused.body.required_scopes], [403, 'insufficient_scope', []])
  assert.doesNotMatch(String(refused.headers['www-authenticate'] ?? ''), /insufficient_scope/)
  assert.equal(await pay(), null)

  await service.database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`delete from memberships`),
  )
  assert.equal((await service.call('GET', `/contracts/${contract.id}`, { token })).status, 401)
})
