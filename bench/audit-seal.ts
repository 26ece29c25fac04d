import { createLog } from '#core/log.ts'
import { newId } from '#core/values.ts'
import { type Database, raw, sql, type Transaction } from '#db/database.ts'
import { createSealing } from '#resources/audit/index.ts'
import type { Benchmark, Extent, Result } from './support/benchmark.ts'
import { install } from './support/installation.ts'
import { madeIdAt } from './support/made-id.ts'
import { cpuSpent, cpuTimes } from './support/process-usage.ts'
import { interleave, ratioOf } from './support/rounds.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const rounds_max = 7
const entries_per_round = 10_000
const entries_per_transaction = 100
const organizations = 20

/** The cost of the seal of the audit log: in the transaction of an entry, and behind it. */
export const auditSeal: Benchmark = {
  name: 'audit-seal',
  summary: 'the seal of the audit log: its part of an insert, and of the background',
  async run({ rounds: wanted, rows }: Extent): Promise<Result> {
    const rounds = Math.min(wanted, rounds_max)
    await using installation = await install({ STINT_ROLES: 'api' })
    const { database, server } = installation
    const ids = Array.from({ length: organizations }, () => newId(Date.now()))
    const sealing = createSealing(database, createLog('silent'))
    await fill(database, ids, rows)
    await sealing.runDue()
    await makeUnsealable(database)
    const before = {
      name: 'insert into a table that is never sealed',
      work: () => insert(database, ids, 'audit_entries_before'),
    }
    const now = { name: 'insert', work: () => insert(database, ids, 'audit_entries') }
    const behind = {
      name: 'sealing',
      work: () => sealing.runDue(),
      prepare: () => fill(database, ids, entries_per_round),
    }
    const contenders: readonly Contender[] = [before, now, behind]
    const samples = await interleave(contenders, rounds, async ({ work, prepare }) => {
      // Entries of the round before are sealed first.
      await sealing.runDue()
      await prepare?.()
      const times = { own: cpuTimes([process.pid]), database: cpuTimes(server.pids()) }
      const began_ms = performance.now()
      await work()
      const seconds = (performance.now() - began_ms) / 1_000
      const own_us = cpuSpent(times.own, cpuTimes([process.pid])) / entries_per_round
      const database_us = cpuSpent(times.database, cpuTimes(server.pids())) / entries_per_round
      return { per_s: entries_per_round / seconds, own_us, database_us, cpu_us: own_us + database_us }
    })
    const median = (values: readonly number[]) => rounded(spreadOf(values).median)
    return {
      method: `CPU per entry of this process and of the database: ${entries_per_round} entries of ${organizations} organizations, one statement each, ${entries_per_transaction} to a transaction, on ${rows} entries that are sealed; and the job over as many that wait; ${rounds} interleaved rounds`,
      storage: server.description,
      rows: [...samples].map(([{ name }, taken]) => ({
        what: name,
        'entries per s': median(taken.map(({ per_s }) => per_s)),
        'program µs': median(taken.map(({ own_us }) => own_us)),
        'database µs': median(taken.map(({ database_us }) => database_us)),
      })),
      outcomes: [
        {
          goal: 'seal',
          what: 'database CPU of an insert against one that is never sealed',
          measured: ratioOf<Contender, 'database_us'>(samples, now, before, 'database_us'),
          unit: '×',
        },
      ],
    }
  },
}

interface Contender {
  name: string
  work(): Promise<unknown>
  prepare?(): Promise<unknown>
}

const columns = raw(
  'id, organization_id, occurred_at, actor, credential_id, action, subject_kind, subject_id, changed_fields, request_id, address, surface',
)
const actor = JSON.stringify({ kind: 'user', id: newId(0), name: 'Nora Pine' })

async function insert(database: Database, ids: readonly string[], table: string): Promise<void> {
  for (let at = 0; at < entries_per_round; at += entries_per_transaction) {
    const organization_id = ids[(at / entries_per_transaction) % organizations] ?? ''
    await database.transaction({ role: 'app', organization_id }, async (tx) => {
      for (let n = 0; n < entries_per_transaction; n += 1) tx.send(entryInto(tx, table, organization_id))
    })
  }
}

const entryInto = (tx: Transaction, table: string, organization_id: string) => sql`
  insert into ${raw(table)} (${columns})
  values (${newId(Date.now())}, ${organization_id}, ${tx.real_now}, ${actor}, ${newId(0)}, 'contracts.update', 'contracts',
          ${newId(Date.now())}, ${['title', 'notice_period_days']}, ${newId(Date.now())}, '192.0.2.17', 'rest')`

/** Entries of this hour, of all organizations in turn. */
function fill(database: Database, ids: readonly string[], entries: number): Promise<number> {
  return database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      insert into audit_entries (${columns})
      select ${madeIdAt(sql`now() - (${entries}::int - n) * interval '1 millisecond'`)}, (${ids}::uuid[])[1 + n % ${organizations}::int], now(),
        ${actor}::jsonb, gen_random_uuid(), 'contracts.update', 'contracts', gen_random_uuid()::text,
        array['title', 'notice_period_days'], gen_random_uuid()::text, '192.0.2.17', 'rest'
      from generate_series(1, ${entries}::int) n`),
  )
}

/** The same table with the same rows, and without what the seal needs. */
async function makeUnsealable(database: Database): Promise<void> {
  await database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(raw('create table audit_entries_before (like audit_entries including all)'))
    const indexes = await tx.rows<{ name: string }>(sql`
      select indexrelid::regclass::text as name from pg_index
      where indrelid = 'audit_entries_before'::regclass and pg_get_indexdef(indexrelid) ~ 'batch'`)
    for (const { name } of indexes) await tx.run(raw(`drop index ${name}`))
    await tx.run(raw('alter table audit_entries_before drop column batch, drop column position'))
    await tx.run(raw('call protect_tenant_table($$audit_entries_before$$)'))
    await tx.run(raw('grant select, insert on audit_entries_before to stint_app'))
    await tx.run(sql`insert into audit_entries_before (${columns}) select ${columns} from audit_entries`)
  })
}
