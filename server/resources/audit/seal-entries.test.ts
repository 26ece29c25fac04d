import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type AuditEntry as NewEntry, recordAudit } from '#core/effects.ts'
import { metrics } from '#core/metrics.ts'
import { type Database, openDatabase, type Role, raw, sql } from '#db/database.ts'
import { verifyAudit } from '#operator/verify-audit.ts'
import { openWriter } from '#test/open-writer.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'
import { createSealing } from './index.ts'

const writers_max = 20

let service: TestService
/** Every writer keeps a connection for as long as its transaction is open. */
let writing: Database
let sealing: ReturnType<typeof createSealing>
before(async () => {
  service = await startTestService()
  writing = openDatabase(service.database.connection, { connections_max: writers_max + 4 })
  sealing = createSealing(writing, service.runtime.log)
})
after(async () => {
  await writing.close()
  await service.close()
})

const lineOf = (organization_id: string, id: string): NewEntry => ({
  organization_id,
  actor: { kind: 'system', id: null, name: 'Zoë "the \u2028 tester" \u0001\\' },
  action: 'tests.write',
  subject: { kind: 'tests', id },
  changed_fields: ['b', 'ä'],
})

/** Writes lines in a transaction that stays open until it is let go. */
async function beginWriter(organization_id: string, lines: number) {
  const ids = Array.from({ length: lines }, () => crypto.randomUUID() as string)
  const end = await openWriter(writing, organization_id, async (tx) => {
    for (const id of ids) recordAudit(tx, lineOf(organization_id, id))
    await tx.row(sql`select 1`)
  })
  return { ids, end }
}

const write = async (organization_id: string, lines: number) => {
  const writer = await beginWriter(organization_id, lines)
  await writer.end()
  return writer.ids
}

/** The subjects of an organization's entries in the order of the chain, as the operations tell them. */
async function sealedSubjects(organization: { id: string; token: string }): Promise<string[]> {
  const t = inOrganization(service, organization)
  const all = async (path: string) => {
    const rows: Record<string, unknown>[] = []
    let cursor: string | null = null
    do {
      const { status, body } = await t.call('GET', path, { query: { limit: 100, ...(cursor && { cursor }) } })
      assert.equal(status, 200, JSON.stringify(body))
      rows.push(...body.data)
      cursor = body.cursor
    } while (cursor !== null)
    return rows
  }
  const subjects = new Map(
    (await all('/audit-entries')).map(({ id, subject }) => [id, Object(subject).id as string] as const),
  )
  const batches = await all('/audit-entries/batches')
  return batches.flatMap(({ entries }) => (entries as { id: string }[]).map(({ id }) => subjects.get(id) ?? 'unknown'))
}

async function assertWhole(organization_id: string) {
  const [report] = await verifyAudit(service.database.database, { organization: organization_id, seals: [] })
  assert.deepEqual(report?.findings, [])
  return report
}

const assertOnce = (seen: readonly string[], written: readonly string[]) =>
  assert.deepEqual([...seen].sort(), [...written].sort())

type Step = { kind: 'begin'; lines: number } | { kind: 'end'; which: number } | { kind: 'seal' }

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), lines: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat() }) },
    { weight: 3, arbitrary: fc.constant({ kind: 'seal' as const }) },
  ),
  { minLength: 20, maxLength: 60 },
) as fc.Arbitrary<Step[]>

test('in any order of up to 20 open transactions, commits and runs, each entry is sealed once and none is left out', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const organization = await service.createOrganization()
      const committed: string[] = []
      const open: Awaited<ReturnType<typeof beginWriter>>[] = []
      const end = async (index: number) => {
        const [writer] = open.splice(index, 1)
        if (!writer) return
        await writer.end()
        committed.push(...writer.ids)
      }
      for (const step of order) {
        if (step.kind === 'begin' && open.length < writers_max)
          open.push(await beginWriter(organization.id, step.lines))
        if (step.kind === 'end') await end(step.which % Math.max(1, open.length))
        if (step.kind === 'seal') await sealing.runDue()
      }
      while (open.length > 0) await end(0)
      await sealing.runDue()
      assertOnce(await sealedSubjects(organization), committed)
      await assertWhole(organization.id)
    }),
    { numRuns: 12 },
  )
})

test('writers of two organizations beside two processes that seal: none is left out, none is sealed twice', async () => {
  const organizations = [await service.createOrganization(), await service.createOrganization()] as const
  const other = createSealing(writing, service.runtime.log)
  const written = organizations.map((): string[] => [])
  let is_over = false
  const beside = [sealing, other].map(async (each) => {
    while (!is_over) await each.runDue()
  })
  try {
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        for (let turn = 0; turn < 10; turn += 1) {
          const which = (writer + turn) % 2
          const { ids, end } = await beginWriter(organizations[which]?.id ?? '', 1 + (turn % 3))
          // Some stay open while others, begun later, are committed and sealed.
          for (let runs = 0; runs < (writer * turn) % 4; runs += 1) await sealing.runDue()
          await end()
          written[which]?.push(...ids)
        }
      }),
    )
  } finally {
    is_over = true
  }
  await Promise.all(beside)
  await sealing.runDue()
  for (const [which, organization] of organizations.entries()) {
    assertOnce(await sealedSubjects(organization), written[which] ?? [])
    await assertWhole(organization.id)
  }
})

test('many entries go into batches of 100, in several transactions, each chained to the one before', async () => {
  const { id, token } = await service.createOrganization()
  for (let times = 0; times < 5; times += 1) await write(id, 250)
  const t = inOrganization(service, { id, token })
  assert.equal(await sealing.runDue(), 1_250)
  assert.equal(await sealing.runDue(), 0)
  const { body: seal } = await t.call('GET', '/audit-entries/seal')
  const { body } = await t.call('GET', '/audit-entries/batches', { query: { limit: 100 } })
  const sizes = body.data.map(({ entries }: { entries: object[] }) => entries.length)
  assert.deepEqual(sizes, [...Array(10).fill(100), 100, 100, 50])
  assert.deepEqual([seal.batch, seal.entries_total, seal.hash], [13, 1_250, body.data[12].hash])
  assert.equal((await assertWhole(id))?.entries_checked, 1_250)
})

test('entries are not compared one by one with those that wait, in a table that the planner knows nothing of', async () => {
  const { id } = await service.createOrganization()
  const plans: string[] = []
  const explaining: Database = {
    ...writing,
    transaction: (options, work) =>
      writing.transaction(options, (tx) =>
        work({
          ...tx,
          run: async (statement) => {
            plans.push(JSON.stringify(await tx.rows(sql`explain (format json) ${statement}`)))
            return tx.run(statement)
          },
        }),
      ),
  }
  const many = 20_000
  await service.database.database.transaction({ role: 'owner', organization_id: id }, (tx) =>
    tx.run(sql`
      insert into audit_entries (id, organization_id, occurred_at, actor, action, subject_kind, subject_id, changed_fields)
      select gen_random_uuid(), ${id}, now(), '{"kind": "system", "id": null, "name": "Stint"}', 'tests.write', 'tests',
        gen_random_uuid(), '{}' from generate_series(1, ${many}::int)`),
  )
  assert.equal(await createSealing(explaining, service.runtime.log).runDue(), many)
  assert.deepEqual([plans.length, plans.filter((plan) => plan.includes('Nested Loop'))], [many / 1_000, []])
})

test('a run that ends before its commit leaves nothing, and the next one seals the same', async () => {
  const { id, token } = await service.createOrganization()
  const ids = await write(id, 3)
  const failing: Database = {
    ...writing,
    transaction: (options, work) =>
      writing.transaction(options, async (tx) => {
        await work(tx)
        throw new Error('lost before the commit')
      }),
  }
  await assert.rejects(createSealing(failing, service.runtime.log).runDue(), /lost before the commit/)
  const { body } = await inOrganization(service, { id, token }).call('GET', '/audit-entries/seal')
  assert.deepEqual(body, { organization_id: id, batch: 0, hash: null, entries_total: 0, sealed_at: null })
  assert.equal(await sealing.runDue(), 3)
  assertOnce(await sealedSubjects({ id, token }), ids)
})

test('while a process holds the seal no other seals, and requests wait for neither', async () => {
  const { id } = await service.createOrganization()
  const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow: Database = {
    ...writing,
    transaction: (options, work) =>
      writing.transaction(options, async (tx) => {
        const result = await work(tx)
        held.resolve()
        await gate.promise
        return result
      }),
  }
  await write(id, 1)
  const running = createSealing(slow, service.runtime.log).runDue()
  await held.promise
  await write(id, 2)
  assert.equal(await sealing.runDue(), 0)
  gate.resolve()
  assert.equal(await running, 1)
  assert.equal(await sealing.runDue(), 2)
})

test('a clock that goes back lets no batch be older than the one before', async () => {
  const { id, token } = await service.createOrganization()
  await write(id, 1)
  await sealing.runDue()
  await service.clock.advance(-60_000)
  await write(id, 1)
  await sealing.runDue()
  await service.clock.advance(60_000)
  const { body } = await inOrganization(service, { id, token }).call('GET', '/audit-entries/batches')
  assert.equal(body.data[1].sealed_at, body.data[0].sealed_at)
  await assertWhole(id)
})

test('the job seals an entry within a minute of its commit', async (t) => {
  const { id, token } = await service.createOrganization()
  const isSealed = async (batch: number) => {
    const { body } = await inOrganization(service, { id, token }).call('GET', '/audit-entries/seal')
    return body.batch === batch
  }
  // The clock of the job stands between the ticks, so all that is waited for is the database.
  const waitFor = async (batch: number) => {
    const until_ms = performance.now() + 20_000
    while (!(await isSealed(batch))) assert.ok(performance.now() < until_ms, `batch ${batch} is not there`)
  }
  await write(id, 1)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const own = createSealing(service.database.database, service.runtime.log)
  own.start()
  try {
    await waitFor(1)
    await write(id, 1)
    for (let second = 0; second < 60 && !(await isSealed(2)); second += 1) t.mock.timers.tick(1_000)
    await waitFor(2)
  } finally {
    // The job waits by a clock that stands still; a stop ends that.
    await own.stop()
    t.mock.timers.reset()
  }
})

test('how long the oldest entry waits is told by a metric, the number that was sealed by the log', async () => {
  const { id } = await service.createOrganization()
  await sealing.runDue()
  const own = createSealing(service.database.database, service.runtime.log)
  const lag = async () => (await metrics.getSingleMetric('audit_seal_lag_seconds')?.get())?.values
  await write(id, 2)
  await service.clock.advance(90_000)
  // While this transaction holds the lock the job seals nothing.
  await writing.transaction({ role: 'engine' }, async (tx) => {
    await tx.row(sql`select pg_advisory_xact_lock(7316414)`)
    own.start()
    assert.deepEqual(await lag(), [{ labels: {}, value: 90 }])
    await own.stop()
  })
  assert.equal(await sealing.runDue(), 2)
  own.start()
  assert.deepEqual(await lag(), [{ labels: {}, value: 0 }])
  await own.stop()
  assert.deepEqual(await lag(), [], 'where nobody seals it is absent, which the alert looks at')
  assert.ok(service.logged.some((line) => line.includes('"entries":2') && line.includes('"msg":"audit_sealed"')))
})

const as = (organization_id: string, role: Role, statement: string) =>
  writing.transaction({ role, organization_id }, (tx) => tx.run(raw(statement)))

test('what is sealed can neither be changed nor removed by any role of the service before its time', async () => {
  const { id } = await service.createOrganization()
  await write(id, 2)
  await sealing.runDue()
  const before = await assertWhole(id)
  const refused = [
    ...["update audit_entries set action = 'x'", "update audit_entries set actor = '{}'", 'truncate audit_entries'],
    ...[
      "update audit_batches set hash = ''",
      'update audit_batches set sealed_at = app_now()',
      'truncate audit_batches',
    ],
  ]
  for (const role of ['app', 'engine', 'lookup', 'operator'] as const) {
    for (const statement of refused)
      await assert.rejects(as(id, role, statement), /permission denied/, `${role}: ${statement}`)
    if (role === 'engine') continue
    for (const statement of [
      'delete from audit_entries',
      'delete from audit_batches',
      'update audit_entries set batch = 1',
    ])
      await assert.rejects(as(id, role, statement), /permission denied/, `${role}: ${statement}`)
    await assert.rejects(
      as(id, role, `insert into audit_batches (organization_id) values ('${id}')`),
      /permission denied/,
    )
  }
  for (const statement of [
    ...[
      'delete from audit_entries',
      'delete from audit_batches',
      'update audit_entries set batch = null, position = null',
    ],
    'update audit_batches set entries_removed_at = app_now()',
  ])
    assert.equal(await as(id, 'engine', statement), 0, statement)
  assert.deepEqual(await assertWhole(id), before)
})

test('nobody adds an entry that says of itself that it is sealed', async () => {
  const { id } = await service.createOrganization()
  for (const role of ['app', 'engine', 'lookup', 'operator'] as const) {
    const added = writing.transaction({ role, organization_id: id }, (tx) =>
      tx.run(sql`
        insert into audit_entries (id, organization_id, occurred_at, actor, action, subject_kind, changed_fields, batch, position)
        values (gen_random_uuid(), ${id}, app_now(), '{}', 'x', 'x', '{}', 1, 1)`),
    )
    await assert.rejects(added, /row-level security/, role)
  }
})
