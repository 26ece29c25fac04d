import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { startWebhookBench, type WebhookBench } from '../testing/webhook-bench.ts'
import { leasing } from './claim.store.ts'
import { prepareTurn } from './turn.store.ts'

const backlog = 20_000

let bench: WebhookBench
let blocked: string
let healthy: string
before(async () => {
  bench = await startWebhookBench()
  ;[blocked, healthy] = [(await bench.subscribe()).id, (await bench.subscribe()).id]
  for (let caused = 0; caused < 3; caused += 1) await bench.cause()
  await bench.service.database.database.transaction({ role: 'engine' }, (tx) =>
    tx.run(sql`
    insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
      origin, status, schedule_id, next_attempt_at, created_at, updated_at)
    select d.organization_id, d.event_id, gen_random_uuid(), d.subscription_id, d.event_type, false, d.rendering,
      'redelivery', 'pending', d.schedule_id, app_now() - n * interval '1 ms', app_now(), app_now()
    from (select * from webhook_deliveries where subscription_id = ${blocked} limit 1) d
    cross join generate_series(1, ${backlog}) n`),
  )
})
after(() => bench.close())

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

/** Rows of deliveries that the plan has read, whether it kept them or not. */
function deliveriesRead(node: Node): number {
  const read =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = node['Relation Name']?.startsWith('webhook_deliveries') && node['Node Type'].includes('Scan')
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + deliveriesRead(plan), 0)
  return below + (own ? read * node['Actual Loops'] : 0)
}

type Claim = { subscription_id: string; attempt_no: number; room: number }

async function readBy(claims: readonly Claim[], plan_mode: string): Promise<number> {
  const lease = { token: randomUUID(), owner: 'plan' }
  const { database } = bench.service.database
  const row = await database.transaction({ role: 'engine' }, async (tx) => {
    await prepareTurn(tx)
    await tx.run(sql`select set_config('plan_cache_mode', ${plan_mode}, true)`)
    return tx.row<{ 'QUERY PLAN': [{ Plan: Node }] }>(sql`explain (analyze, format json) ${leasing(claims, lease)}`)
  })
  assert.ok(row)
  return deliveriesRead(row['QUERY PLAN'][0].Plan)
}

// As PostgreSQL knows the table before it was first analyzed, and after; planned for these values and for any.
for (const known of ['unknown', 'analyzed'])
  for (const plan_mode of ['force_custom_plan', 'force_generic_plan']) {
    test(`a claim reads what it takes and not the backlog of a subscription (${known}, ${plan_mode})`, async () => {
      if (known === 'analyzed') {
        const client = await bench.service.database.database.connect()
        await client.query(`analyze webhook_deliveries`)
        client.release()
      }
      const one = { subscription_id: healthy, attempt_no: 0, room: 8 }
      const probe = { subscription_id: blocked, attempt_no: 0, room: 1 }
      const retries = { subscription_id: blocked, attempt_no: 3, room: 8 }
      for (const claims of [[one], [probe], [retries], [one, probe, retries]]) {
        const read = await readBy(claims, plan_mode)
        assert.ok(read < 200, `${read} rows were read to take ${claims.reduce((sum, { room }) => sum + room, 0)}`)
      }
    })
  }
