import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql, type Transaction } from '#db/database.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import {
  type DueHead,
  type DueRow,
  delivering,
  endDeliveries,
  leasesInto,
  leasing,
  lockQueues,
} from './deliver.store.ts'

const backlog = 20_000

let bench: WebhookBench
let blocked: string
let healthy: string
before(async () => {
  bench = await startWebhookBench()
  ;[blocked, healthy] = [(await bench.subscribe()).id, (await bench.subscribe()).id]
  for (let caused = 0; caused < 3; caused += 1) await bench.cause()
  await pileUp()
})
after(() => bench.close())

async function pileUp(deliveries = backlog): Promise<void> {
  await bench.service.database.database.transaction({ role: 'engine' }, (tx) =>
    tx.run(sql`
    insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation,
      rendering, origin, status, schedule_id, next_attempt_at, created_at, updated_at)
    select d.organization_id, d.event_id, gen_random_uuid(), ${blocked}, 'api-token.created', false, d.rendering,
      'redelivery', 'pending', 0, app_now() - n * interval '1 ms', app_now(), app_now()
    from (select organization_id, event_id, rendering from event_bodies limit 1) d
    cross join generate_series(1, ${deliveries}) n`),
  )
}

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
  const own = node['Relation Name']?.startsWith('webhook_open_deliveries') && node['Node Type'].includes('Scan')
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + deliveriesRead(plan), 0)
  return below + (own ? read * node['Actual Loops'] : 0)
}

const from_the_first = { due_at_ms: 0, id: '00000000-0000-0000-0000-000000000000' }
/** The facts of a new queue, without a limit of what runs at once. */
const unlimited = { ...from_the_first, window_size: 1, consecutive_failures: 0, running_max: backlog }
const lease = { token: randomUUID(), owner: 'plan' }

/** Locks the queues first, as every claim does. */
async function takeFrom(tx: Transaction, heads: readonly DueHead[]): Promise<DueRow[]> {
  await lockQueues(
    tx,
    heads.map(({ subscription_id }) => subscription_id),
  )
  return tx.rows<DueRow>(leasing(heads, lease))
}

async function readBy(claims: readonly DueHead[], plan_mode: string): Promise<number> {
  const { database } = bench.service.database
  const row = await database.transaction(delivering, async (tx) => {
    await tx.run(sql`select set_config('plan_cache_mode', ${plan_mode}, true)`)
    await lockQueues(tx, [blocked, healthy])
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
        const { database } = bench.service.database
        await database.transaction({ role: 'owner' }, (tx) => tx.run(sql`analyze webhook_open_deliveries`))
      }
      const one = { ...unlimited, subscription_id: healthy, attempt_no: 0, want: 8 }
      const probe = { ...unlimited, subscription_id: blocked, attempt_no: 0, want: 1 }
      const retries = { ...unlimited, subscription_id: blocked, attempt_no: 3, want: 8 }
      for (const claims of [[one], [probe], [retries], [one, probe, retries]]) {
        const read = await readBy(claims, plan_mode)
        assert.ok(read < 200, `${read} rows were read to take ${claims.reduce((sum, { want }) => sum + want, 0)}`)
      }
    })
  }

test('a claim takes what its queue has room for, and nothing where it is not locked or not as it was believed', async () => {
  const { database } = bench.service.database
  const undone = new Error('undone')
  const claims = async (tx: Transaction) => {
    const take = async (one: DueHead) => (await tx.rows(leasing([one], lease))).length
    const running = (await lockQueues(tx, [blocked])).get(blocked)?.leases.size ?? assert.fail()
    const head = { ...unlimited, subscription_id: blocked, attempt_no: 0, want: 3, running_max: running + 4 }
    await lockQueues(tx, [healthy])
    assert.equal(await take(head), 0, 'not locked')
    await lockQueues(tx, [blocked])
    assert.equal(await take({ ...head, window_size: 2 }), 0, 'another window')
    assert.equal(await take({ ...head, consecutive_failures: 1 }), 0, 'other failures')
    assert.equal(await take(head), 3)
    assert.equal(await take(head), 1, 'three of four run already')
    assert.equal(await take(head), 0)
    throw undone
  }
  await assert.rejects(database.transaction(delivering, claims), undone)
})

test('under an old snapshot a claim that goes on where the last one ended does not walk over what was taken', async () => {
  const { database } = bench.service.database
  const snapshot = await database.connect()
  await snapshot.query(
    'begin isolation level repeatable read read only; set local role stint_engine; select count(*) from webhook_open_deliveries',
  )
  const claim = { ...unlimited, subscription_id: blocked, attempt_no: 0, want: 2_000 }
  const last = await database.transaction(delivering, async (tx) => (await takeFrom(tx, [claim])).at(-1))
  assert.ok(last)
  const entriesWalked = (from: Pick<DueHead, 'due_at_ms' | 'id'>) =>
    database.transaction(delivering, async (tx) => {
      // The counters of a session may begin before its transaction.
      const before = await counted(tx, 'webhook_open_deliveries_due')
      await takeFrom(tx, [{ ...claim, ...from, want: 8 }])
      return (await counted(tx, 'webhook_open_deliveries_due')) - before
    })
  const walked = await entriesWalked({ due_at_ms: Date.parse(last.next_attempt_at), id: last.id })
  const all = await entriesWalked(from_the_first)
  await snapshot.query('commit')
  snapshot.release()
  assert.ok(all > 2_000, `${all} index entries from the first on: nothing is left to be walked over`)
  assert.ok(walked < 100, `${walked} index entries were walked over to take 8`)
})

test('an end reads the deliveries that end, also where the table was empty when it was analyzed', async () => {
  const { database } = bench.service.database
  await database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(sql`delete from webhook_open_deliveries`)
    await tx.run(sql`analyze webhook_open_deliveries`)
  })
  await pileUp(2_000)
  const claim = { ...unlimited, subscription_id: blocked, attempt_no: 0, want: 3 }
  const walked = await database.transaction(delivering, async (tx) => {
    const taken = await takeFrom(tx, [claim])
    const before = await counted(tx, 'webhook_open_deliveries%')
    assert.equal(await endDeliveries(tx, leasesInto('cancelled', taken)), 3)
    return (await counted(tx, 'webhook_open_deliveries%')) - before
  })
  assert.ok(walked < 100, `${walked} index entries were walked over to end 3`)
})

/** Entries of indexes with such a name that this transaction has read. */
async function counted(tx: Transaction, index: string): Promise<number> {
  const row = await tx.row<{ entries: number }>(sql`
      select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as entries from pg_index
      where indexrelid::regclass::text like ${index}`)
  return row?.entries ?? assert.fail()
}
