import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { createAdministrator, createOperatorToken } from './administration.ts'

let own: TestDatabase
before(async () => {
  own = await createTestDatabase()
})
after(() => own.drop())

const administer = (email: string, name: string) =>
  createAdministrator(own.database, {
    email,
    name: 'Nora',
    password: 'correct horse battery',
    organization: { name, country: 'DE', default_currency: 'EUR', timezone: 'UTC', is_sandbox: false },
  })

test('what the operator makes leaves its lines in the audit log', async () => {
  const { organization_id, user_id } = await administer('nora@harbour.example', 'Harbour Pine')
  const { id } = await createOperatorToken(own.database, {
    organization: 'Harbour Pine',
    name: 'ci',
    scopes: ['contracts:read'],
    sensitive_data: [],
    expires_at: null,
  })
  const lines = await own.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.rows(sql`select action, subject_kind, subject_id, actor->>'name' as actor from audit_entries
      where organization_id = ${organization_id} order by action`),
  )
  assert.deepEqual(lines, [
    { action: 'api_tokens.create', subject_kind: 'api_tokens', subject_id: id, actor: 'operator' },
    { action: 'members.create', subject_kind: 'members', subject_id: user_id, actor: 'operator' },
    { action: 'organizations.create', subject_kind: 'organizations', subject_id: organization_id, actor: 'operator' },
  ])
})

test('a person who is known already becomes owner of one organization more, and keeps the password', async () => {
  const first = await administer('ada@harbour.example', 'First')
  const second = await administer('ADA@harbour.example', 'Second')
  assert.deepEqual([second.user_id, second.user_created, second.organization_created], [first.user_id, false, true])
})

test('a name that several organizations have makes nobody their owner', async () => {
  for (let made = 0; made < 2; made += 1) {
    const id = newId(Date.now())
    await own.database.transaction({ role: 'owner', organization_id: id }, (tx) =>
      insertOrganization(tx, {
        id,
        name: 'Twins',
        country: 'DE',
        default_currency: 'EUR',
        timezone: 'UTC',
        is_sandbox: false,
      }),
    )
  }
  await assert.rejects(administer('eve@harbour.example', 'Twins'), /several organizations are called "Twins"/)
})
