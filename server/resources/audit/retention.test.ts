import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAudit } from '#core/effects.ts'
import { verifyAudit } from '#operator/verify-audit.ts'
import { type TestService, useTestService } from '#test/service.ts'
import { forgottenEntries } from './index.ts'

const day_ms = 86_400_000

/** One batch of so many entries. */
async function seal(
  { database: { database }, organization: { id: organization_id }, sealing }: TestService,
  entries: number,
) {
  const actor = { kind: 'system', id: null, name: 'test' } as const
  await database.transaction({ role: 'app', organization_id }, async (tx) => {
    for (let made = 0; made < entries; made += 1)
      recordAudit(tx, { organization_id, actor, action: 'tests.write', subject: { kind: 'tests', id: null } })
  })
  assert.equal(await sealing.runDue(), entries)
}

/** Cleans up, and answers how many entries went. */
async function cleanUp({ cleanUp, logged }: TestService): Promise<number> {
  const before = logged.length
  await cleanUp.run()
  const told = logged.slice(before).find((line) => line.includes('"name":"audit_entries"'))
  return told === undefined ? 0 : JSON.parse(told).rows
}

async function verified(
  { database: { database } }: TestService,
  seals: Parameters<typeof verifyAudit>[1]['seals'] = [],
) {
  const [report] = await verifyAudit(database, { seals })
  assert.ok(report)
  return report
}

test('entries are removed with their batches seven years after they were sealed, and the rest of the chain stays whole', async (t) => {
  const service = await useTestService(t)
  const numbers = async () =>
    (await service.call('GET', '/audit-entries/batches')).body.data.map(
      ({ batch, entries_removed_at }: Record<string, unknown>) => [batch, entries_removed_at !== null],
    )
  const seals = []
  for (let year = 0; year < 4; year += 1) {
    await seal(service, 2)
    seals.push((await service.call('GET', '/audit-entries/seal')).body)
    await service.clock.advance(365 * day_ms)
  }
  await service.clock.advance((2_557 - 4 * 365) * day_ms)
  assert.equal(await cleanUp(service), 0, 'to the millisecond')
  await service.clock.advance(1)
  assert.equal(await cleanUp(service), 2)
  assert.deepEqual(await numbers(), [
    [1, true],
    [2, false],
    [3, false],
    [4, false],
  ])
  await service.clock.advance(365 * day_ms)
  assert.equal(await cleanUp(service), 2)
  assert.deepEqual(await numbers(), [
    [2, true],
    [3, false],
    [4, false],
  ])
  assert.equal((await service.call('GET', '/audit-entries')).body.total_count, 4)
  const { findings, first_batch, begins_after_removal, entries_checked, seals_compared, seals_before } = await verified(
    service,
    seals,
  )
  assert.deepEqual(findings, [])
  assert.deepEqual([first_batch, begins_after_removal, entries_checked], [2, true, 4])
  assert.deepEqual(
    [seals_compared, seals_before],
    [3, 1],
    'a seal from before the beginning is told, and compared with nothing',
  )
  await seal(service, 1)
  assert.deepEqual((await verified(service, seals)).findings, [])
})

test('an organization whose entries are all removed goes on with its chain', async (t) => {
  const service = await useTestService(t)
  await seal(service, 3)
  await service.clock.advance(3_000 * day_ms)
  assert.equal(await cleanUp(service), 3)
  await seal(service, 2)
  const { findings, first_batch, seal: newest } = await verified(service)
  assert.deepEqual([findings, first_batch, newest.batch, newest.entries_total], [[], 1, 2, 5])
})

test('removal takes as many entries as it may and a part of a batch, begins with the oldest, and goes on until none is due', async (t) => {
  const service = await useTestService(t)
  for (let batch = 0; batch < 5; batch += 1) {
    await seal(service, 3)
    await service.clock.advance(1_000)
  }
  await service.clock.advance(3_000 * day_ms)
  await seal(service, 1)
  const [expired] = forgottenEntries(service.database.database, 2_557)
  const removed: (number | undefined)[] = []
  for (let run = 0; run < 4; run += 1) removed.push(await expired?.removeBatch(5))
  assert.deepEqual(removed, [6, 6, 3, 0])
  const { findings, first_batch, entries_checked } = await verified(service)
  assert.deepEqual([findings, first_batch, entries_checked], [[], 5, 1])
})

test('whatever the setting says, nothing that was sealed within a year is removed', async (t) => {
  const service = await useTestService(t)
  await seal(service, 2)
  await service.clock.advance(364 * day_ms)
  const [expired] = forgottenEntries(service.database.database, 1)
  assert.equal(await expired?.removeBatch(100), 0)
  const { findings, begins_after_removal, entries_checked } = await verified(service)
  assert.deepEqual([findings, begins_after_removal, entries_checked], [[], false, 2])
})
