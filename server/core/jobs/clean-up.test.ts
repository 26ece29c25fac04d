import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { useTestService } from '#test/service.ts'
import { createCleanUp, type ExpiredRows } from './clean-up.ts'

const hour_ms = 3_600_000

test('answers kept for idempotent repeats are forgotten after 24 hours, of every organization, and no sooner', async (t) => {
  const service = await useTestService(t)
  const other = await service.createOrganization()
  const create = async (key: string, token = service.organization.token) => {
    const { status, body } = await service.call('POST', '/api-tokens', {
      token,
      headers: { 'idempotency-key': key },
      body: { name: 'Payroll export', scopes: ['contracts:read'] },
    })
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const kept = () =>
    service.database.database.transaction({ role: 'owner' }, async (tx) => {
      const row = await tx.row<{ rows: number }>(sql`select count(*)::int as rows from idempotent_answers`)
      return row?.rows
    })
  const first = await create('first')
  await create('first', other.token)
  await service.clock.advance(24 * hour_ms - 1)
  assert.equal(await create('first'), first)
  await create('second')
  assert.equal(await service.cleanUp.run(), 2, 'their secrets are forgotten after an hour')
  await service.clock.advance(1)
  assert.equal(await service.cleanUp.run(), 2)
  assert.equal(await kept(), 1)
  assert.notEqual(await create('first'), first)
})

test('many old answers go in batches', async (t) => {
  const service = await useTestService(t)
  await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      insert into idempotent_answers (organization_id, key_digest, body_digest, status, created_at)
      select ${service.organization.id}, int4send(n), '', 204, app_now() - interval '25 hours'
      from generate_series(1, 2500) n`),
  )
  assert.equal(await service.cleanUp.run(), 2_500)
  assert.equal(await service.cleanUp.run(), 0)
})

test('what cannot be removed is logged by its name and holds up no other', async (t) => {
  const service = await useTestService(t)
  const done: string[] = []
  const rows = (name: string, work: () => number): ExpiredRows => ({ name, removeBatch: async () => work() })
  const cleanUp = createCleanUp(service.runtime.log, [
    rows('broken', () => assert.fail('cannot end a grant')),
    rows('whole', () => done.push('whole')),
  ])
  assert.equal(await cleanUp.run(), 1)
  assert.deepEqual(done, ['whole'])
  assert.ok(service.logged.some((line) => line.includes('clean_up_failed') && line.includes('"name":"broken"')))
})
