import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { issueToken } from '#identity/token.store.ts'
import { cases } from '#test/cases.ts'
import { createContract } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** A member of the organization with a personal token. */
async function member(email: string): Promise<{ user_id: string; token: string }> {
  const { id: organization_id } = service.organization
  const user_id = newId(service.clock.now())
  const at = new Date(service.clock.now()).toISOString()
  return service.database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await tx.run(sql`insert into users (id, email, name, created_at, updated_at)
      values (${user_id}, ${email}, 'Nora', ${at}, ${at})`)
    await tx.run(sql`insert into memberships (organization_id, user_id, role, created_at)
      values (${organization_id}, ${user_id}, 'owner', ${at})`)
    const { token } = await issueToken(tx, {
      id: newId(service.clock.now()),
      organization_id,
      kind: 'personal',
      name: 'test',
      is_sandbox: false,
      scopes: ['people:read'],
      sensitive_data: [],
      user_id,
      created_by: { kind: 'user', id: user_id, name: 'Nora' },
      expires_at: null,
    })
    return { user_id, token }
  })
}

test('the person that is linked to the calling user', async () => {
  const { worker_id } = await createContract(service)
  const { user_id, token } = await member('nora@harbour.example')
  assert.equal((await service.call('GET', '/people/me', { token })).status, 404)
  // The link comes with the sign-in of workers.
  await service.database.database.transaction({ role: 'app', organization_id: service.organization.id }, (tx) =>
    tx.run(
      sql`update people set user_id = ${user_id} where organization_id = ${service.organization.id} and id = ${worker_id}`,
    ),
  )
  const { status, body } = await service.call('GET', '/people/me', { token })
  assert.deepEqual([status, body.id], [200, worker_id])
})

test('a credential without a user is nobody', async () => {
  const { status, body } = await service.call('GET', '/people/me')
  assert.deepEqual([status, body.code], [404, 'not_found'])
})

cases('people.get_self', {
  'a token of the organization is no person': { answers: '404 not_found' },
})
