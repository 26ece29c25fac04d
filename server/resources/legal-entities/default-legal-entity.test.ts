import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#core/values.ts'
import { type Sql, sql } from '#db/database.ts'
import { insertNamed } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const change = (statements: readonly Sql[], organization_id = service.organization.id) =>
  service.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    for (const statement of statements) await tx.run(statement)
  })

test('a new organization has one default legal entity that bears its name', async () => {
  const { id } = await service.createOrganization({ name: 'Seven Sails' })
  const rows = await service.database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.rows(sql`select name, country, kind, is_default from legal_entities where organization_id = ${id}`),
  )
  assert.deepEqual(rows, [{ name: 'Seven Sails', country: 'DE', kind: 'company', is_default: true }])
})

test('the database refuses an organization without a default legal entity', async () => {
  const id = newId(service.clock.now())
  const insert = sql`
    insert into organizations (id, name, default_currency, timezone, is_sandbox, created_at, updated_at)
    values (${id}, 'x', 'EUR', 'UTC', false, app_now(), app_now())`
  await assert.rejects(change([insert], id), /needs a default legal entity/)
})

test('the database refuses a second default, and to take the mark from the only one', async () => {
  const { id: organization_id } = service.organization
  const other = await insertNamed(service, 'legal_entities', 'Other')
  const unmark = sql`update legal_entities set is_default = false where organization_id = ${organization_id} and is_default`
  const mark = sql`update legal_entities set is_default = true where organization_id = ${organization_id} and id = ${other}`
  await assert.rejects(change([mark]), /legal_entities_default/)
  await assert.rejects(change([unmark]), /needs a default legal entity/)
  await change([unmark, mark])
})

test('the default legal entity cannot be deleted', async () => {
  const { id: organization_id } = service.organization
  const remove = sql`update legal_entities set deleted_at = app_now() where organization_id = ${organization_id} and is_default`
  await assert.rejects(change([remove]), /violates check constraint/)
})
