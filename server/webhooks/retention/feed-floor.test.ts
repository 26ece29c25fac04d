import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/sql.ts'
import { keepPartitions } from '../dispatch/keeper.ts'
import { startWebhookBench } from '../testing/webhook-bench.ts'
import { dropWeeks } from './drop-weeks.ts'

test('a feed cursor older than the dropped week is told that events are gone, never skipping them', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service } = bench
  const { database } = service.database
  await service.clock.set('2031-01-06T12:00:00Z')
  await keepPartitions(database, service.runtime.log)
  await bench.cause()
  await bench.cause()
  // What the sequencer does.
  const highest = await database.transaction({ role: 'operator' }, async (tx) => {
    await tx.run(sql`update events e set feed_seq = n.place
                     from (select event_id, row_number() over (order by event_id) as place from events) n
                     where n.event_id = e.event_id`)
    const row = await tx.row<{ highest: string }>(sql`select max(feed_seq) as highest from events`)
    return row?.highest
  })
  await service.clock.set('2031-02-19T00:00:00Z')
  await dropWeeks({ database, log: service.runtime.log, retention_days: 30 })
  const floor = await database.transaction({ role: 'operator' }, (tx) =>
    tx.row<{ feed_seq: string }>(sql`select feed_seq from event_feed_floor`),
  )
  assert.equal(floor?.feed_seq, highest)
})
