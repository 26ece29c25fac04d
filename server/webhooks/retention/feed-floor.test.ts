import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import type { TestService } from '#test/service.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'
import { dropWeeks, makePartitions } from './partitions.ts'

test('a feed cursor older than the dropped week is told that events are gone, never skipping them', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service } = bench
  const { database } = service.database
  await service.clock.set('2031-01-06T12:00:00Z')
  await makePartitions(database, service.runtime.log)
  // The last event is of the organization in the middle: each one's own last event counts.
  const organizations = [service.organization, await service.createOrganization(), await service.createOrganization()]
  const highest = await number(
    service,
    [0, 2, 1, 1].map((place) => organizations[place]?.token),
  )
  await service.clock.set('2031-02-19T00:00:00Z')
  await dropWeeks({ database, log: service.runtime.log, retention_days: 30 })
  const floor = await database.transaction({ role: 'owner' }, (tx) =>
    tx.row<{ feed_seq: string }>(sql`select feed_seq from event_feed_floor`),
  )
  assert.equal(floor?.feed_seq, highest)
})

/** Causes an event with each of these tokens, and gives them the next numbers in this order; answers the last one. */
async function number(service: TestService, tokens: readonly (string | undefined)[]): Promise<string | undefined> {
  const { database } = service.database
  for (const token of tokens) {
    const body = { name: 'Payroll export', scopes: ['contracts:read'] }
    assert.equal((await service.call('POST', '/api-tokens', { ...(token && { token }), body })).status, 201)
  }
  return database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(sql`update events e set feed_seq = n.place
                     from (select event_id, row_number() over (order by event_id) as place from events) n
                     where n.event_id = e.event_id`)
    const row = await tx.row<{ highest: string }>(sql`select max(feed_seq) as highest from events`)
    return row?.highest
  })
}
