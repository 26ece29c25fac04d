import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Sql, sql } from '#db/database.ts'
import { holdInvariants } from '#test/invariants.ts'
import { faultsOfLedger } from '#test/ledger.ts'
import { fillContracts } from '../../bench/support/contracts.ts'
import { fillCycles, makeDue } from '../../bench/support/cycles.ts'
import { startFaultBench } from './support/fault-bench.ts'

/** The full size is that of the fault run. */
const kills = Number(process.env.KILLS ?? 2)
const contracts = process.env.KILLS === undefined ? 1_000 : 10_000
/** One transaction closes at most so many: `together_max` of `fire-timers.ts`. */
const batch_max = 100

test(`of ${contracts} cycles due at once each closes once, though workers are killed ${kills} times meanwhile`, async (t) => {
  const { database, workers, openOrganization } = await startFaultBench(t, { workers: 2, is_cut: false })
  await openOrganization('due-at-once')
  const organization = await database.transaction({ role: 'owner' }, (tx) =>
    tx.row<{ id: string }>(sql`select id from organizations where name = 'due-at-once'`),
  )
  assert.ok(organization)
  const { id } = organization
  const rows = <Row extends object>(query: Sql) =>
    database.transaction({ role: 'app', organization_id: id, read_only: true }, (tx) => tx.rows<Row>(query))
  const closed = async () => {
    const query = sql`select count(*)::int as count from timers where organization_id = ${id} and kind = 'cycle_close' and fired_at is not null`
    return (await rows<{ count: number }>(query))[0]?.count ?? 0
  }
  await fillContracts({ database }, id, contracts)
  await fillCycles({ database }, id)
  // Their first cycle: nothing went before it.
  await database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.run(sql`
      update contracts c set start_date = p.start_date from payment_cycles p
      where c.organization_id = ${id} and p.organization_id = c.organization_id and p.contract_id = c.id and p.status = 'active'`),
  )
  await makeDue({ database }, id, contracts)

  const killed_at: number[] = []
  while (killed_at.length < kills) {
    // Each time some have closed since, and some are left.
    const target = Math.floor((contracts * (killed_at.length + 0.5)) / (kills + 1))
    while ((await closed()) < target) await delay(5)
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')))
    killed_at.push(await closed())
    await Promise.all(workers.map((worker) => worker.start()))
  }
  while ((await closed()) < contracts) await delay(50)
  assert.ok(
    killed_at.every((count) => count < contracts),
    `killed in the middle: ${killed_at}`,
  )

  const all = { contracts, active: contracts, upcoming: contracts, invoiced: contracts, invoices: contracts }
  assert.deepEqual(
    await rows(sql`
      select count(distinct contract_id)::int as contracts, count(*) filter (where status = 'active')::int as active,
             count(*) filter (where status = 'upcoming')::int as upcoming, count(*) filter (where status = 'invoiced')::int as invoiced,
             count(distinct invoice_id)::int as invoices
      from payment_cycles where organization_id = ${id}`),
    [all],
  )
  assert.deepEqual(
    await rows(sql`
      select count(*)::int as invoices, count(distinct payment_cycle_id)::int as cycles, min(right(number, 6))::int as first,
             max(right(number, 6))::int as last from invoices where organization_id = ${id}`),
    [{ invoices: contracts, cycles: contracts, first: 1, last: contracts }],
  )
  assert.deepEqual(await faultsOfLedger({ database: { database }, organization } as never), [])
  await holdInvariants({ database: { database } } as never, id)

  // Each contract: its cycle closed, then its invoice was created, in the order of the numbers, which is that of booking.
  const told = await rows<{ event_type: string; number: string | null; cycle: string }>(sql`
    select e.event_type, i.number, coalesce(i.payment_cycle_id::text, e.resource->0->>'payment_cycle_id') as cycle
    from events e
    left join invoices i on i.organization_id = e.organization_id and i.id = (e.resource->0->>'invoice_id')::uuid
      and e.event_type = 'invoice.created'
    where e.organization_id = ${id} and e.event_type in ('payment-cycle.closed', 'invoice.created') order by e.event_id`)
  assert.equal(told.length, 2 * contracts)
  const pairs = Map.groupBy(told, ({ cycle }) => cycle)
  assert.equal(pairs.size, contracts)
  for (const [cycle, pair] of pairs) {
    assert.deepEqual(
      pair.map(({ event_type }) => event_type),
      ['payment-cycle.closed', 'invoice.created'],
      cycle,
    )
  }
  const numbers = told.flatMap(({ number }) => number ?? [])
  assert.deepEqual(numbers, numbers.toSorted())
  const [lines] = await rows<{ count: number }>(sql`
    select count(*)::int as count from audit_entries where organization_id = ${id} and action = 'cycle_close'`)
  assert.equal(lines?.count, contracts, 'each close has one line in the audit log')
  // By the invoices, which nothing has changed since: lines of the audit log are sealed in other batches.
  const [batches] = await rows<{ largest: number; count: number }>(sql`
    select max(closed)::int as largest, count(*)::int as count from (
      select count(*) as closed from invoices where organization_id = ${id} group by xmin::text) b`)
  assert.ok(batches)
  assert.ok(batches.largest <= batch_max, `a transaction closed ${batches.largest} cycles`)
  t.diagnostic(
    `killed when ${killed_at.join(', ')} had closed; ${batches.count} transactions, the largest of ${batches.largest}`,
  )
})
