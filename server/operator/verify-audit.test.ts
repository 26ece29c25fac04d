import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordAudit } from '#core/effects.ts'
import { newId } from '#core/values.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import { nextBatches } from '#resources/audit/chain.ts'
import { insertBatches } from '#resources/audit/seal.store.ts'
import { createContract, createPerson } from '#test/factories.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'
import { verifyAudit } from './verify-audit.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  // The owner of the tables does on every server what a superuser can do.
  for (const table of ['audit_entries', 'audit_batches'])
    await bend(sql`alter table ${raw(table)} no force row level security`)
})
after(() => service.close())

/** As one whom no grant and no policy binds. */
const bend = (statement: Sql) => service.database.database.transaction({ role: 'owner' }, (tx) => tx.run(statement))

interface Entry {
  id: string
  batch: number
  position: number
}

/** An organization with three batches of four entries, a second apart. */
async function sealedLog() {
  const t = inOrganization(service, await service.createOrganization())
  const { id: organization_id } = t.organization
  const actor = { kind: 'user', id: newId(0), name: 'Eve' } as const
  for (let batch = 0; batch < 3; batch += 1) {
    for (let position = 0; position < 4; position += 1) {
      await t.clock.advance(1_000)
      await t.database.database.transaction({ role: 'app', organization_id }, async (tx) =>
        recordAudit(tx, {
          ...{
            organization_id,
            actor,
            credential_id: newId(0),
            request_id: 'r-1',
            address: '192.0.2.7',
            surface: 'rest',
          },
          ...{
            action: 'contracts.update',
            subject: { kind: 'contracts', id: newId(0) },
            changed_fields: ['title', 'rate'],
          },
        }),
      )
    }
    await t.sealing.runDue()
  }
  const { body } = await t.call('GET', '/audit-entries', { query: { limit: 100 } })
  const entries: Entry[] = body.data
  /** By batch and position, `2.3`. */
  const entry = (place: string) => {
    const found = entries.find(({ batch, position }) => `${batch}.${position}` === place)
    assert.ok(found)
    return found
  }
  const { body: seal } = await t.call('GET', '/audit-entries/seal')
  return { t, organization_id, entry, seal }
}

type Log = Awaited<ReturnType<typeof sealedLog>>

async function verified(log: Pick<Log, 'organization_id'>, seals: Parameters<typeof verifyAudit>[1]['seals'] = []) {
  const [report] = await verifyAudit(service.database.database, { organization: log.organization_id, seals })
  assert.ok(report)
  assert.equal(report.is_whole, report.findings_count === 0)
  return report
}

/** The findings, each with its batch, position and entry. */
const found = async (log: Log, seals: Parameters<typeof verified>[1] = []) =>
  (await verified(log, seals)).findings.map(({ kind, batch, position, entry_id }) => [kind, batch, position, entry_id])

const at = ({ organization_id }: Log, { id }: Entry) => sql`organization_id = ${organization_id} and id = ${id}`
const named = ({ batch, position, id }: Entry) => [batch, position, id]

test('a log that nobody bent is whole, up to the newest seal', async () => {
  const log = await sealedLog()
  const report = await verified(log, [log.seal])
  assert.deepEqual(
    [report.is_whole, report.first_batch, report.entries_checked, report.seals_compared, report.unsealed.count],
    [true, 1, 12, 1, 0],
  )
  assert.deepEqual({ organization_id: log.organization_id, ...report.seal }, log.seal)
})

const other = sql`'{"kind": "user", "id": "019bb16e-fe80-7b02-b1c4-90aa3e5d7f62", "name": "Bob"}'`
const changes: Record<string, Sql> = {
  'who did it': sql`actor = ${other}`,
  'the name of who did it': sql`actor = jsonb_set(actor, '{name}', '"Bob"')`,
  'what was done': sql`action = 'contracts.get'`,
  'what it was done to': sql`subject_id = '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62'`,
  'the kind of what it was done to': sql`subject_kind = 'people'`,
  'the time': sql`occurred_at = occurred_at - interval '1 millisecond'`,
  'a field that was changed': sql`changed_fields = array['title']`,
  'the order of the fields': sql`changed_fields = array['rate', 'title']`,
  'the address': sql`address = '192.0.2.8'`,
  'the request': sql`request_id = null`,
  'the credential': sql`credential_id = null`,
  'the surface': sql`surface = 'mcp'`,
}
for (const [what, change] of Object.entries(changes)) {
  test(`one entry of which ${what} was changed is found by name`, async () => {
    const log = await sealedLog()
    const entry = log.entry('2.3')
    await bend(sql`update audit_entries set ${change} where ${at(log, entry)}`)
    assert.deepEqual(await found(log), [['entry_changed', ...named(entry)]])
    assert.match(
      (await verified(log)).findings[0]?.words ?? '',
      new RegExp(`^entry ${entry.id} \\(batch 2, position 3\\) was changed`),
    )
  })
}

test('one entry that was removed is found by name, wherever it was', async () => {
  for (const place of ['1.1', '2.3', '3.4']) {
    const log = await sealedLog()
    const entry = log.entry(place)
    await bend(sql`delete from audit_entries where ${at(log, entry)}`)
    assert.deepEqual(await found(log), [['entry_missing', ...named(entry)]])
  }
})

test('two entries that changed places are found by name, in one batch and across two', async () => {
  for (const [one, two] of [
    ['2.1', '2.4'],
    ['1.2', '3.2'],
    ['1.1', '2.3'],
  ] as const) {
    const log = await sealedLog()
    const [a, b] = [log.entry(one), log.entry(two)]
    await bend(sql`update audit_entries set batch = ${b.batch}, position = ${b.position} where ${at(log, a)}`)
    await bend(sql`update audit_entries set batch = ${a.batch}, position = ${a.position} where ${at(log, b)}`)
    assert.deepEqual(
      new Set((await found(log)).map((each) => each.join())),
      new Set([a, b].map((each) => ['entry_moved', ...named(each)].join())),
    )
  }
})

test('two entries that swapped what they say are both found by name', async () => {
  const log = await sealedLog()
  const [a, b] = [log.entry('1.2'), log.entry('3.2')]
  await bend(sql`
    update audit_entries e set subject_id = o.subject_id, occurred_at = o.occurred_at from audit_entries o
    where e.organization_id = ${log.organization_id} and o.organization_id = e.organization_id
      and (e.id, o.id) in ((${a.id}::uuid, ${b.id}::uuid), (${b.id}::uuid, ${a.id}::uuid))`)
  assert.deepEqual(await found(log), [
    ['entry_changed', ...named(a)],
    ['entry_changed', ...named(b)],
  ])
})

/** A copy of an entry under another id. */
const copied = (log: Log, entry: Entry, id: string, values: Sql) => sql`
  insert into audit_entries (organization_id, id, occurred_at, actor, action, subject_kind, changed_fields, batch, position)
  select organization_id, ${id}, occurred_at, actor, action, subject_kind, changed_fields, ${values} from audit_entries
  where ${at(log, entry)}`

test('one entry that was added to a sealed batch is found by name', async () => {
  const log = await sealedLog()
  for (const [batch, position] of [
    [2, 5],
    [1, 2],
    [9, 1],
  ]) {
    const id = newId(service.clock.now())
    await bend(copied(log, log.entry('2.2'), id, sql`${batch}::int, ${position}::int`))
    assert.deepEqual(await found(log), [['entry_added', batch, position, id]])
    await bend(sql`delete from audit_entries where id = ${id}`)
  }
})

test('one entry that was added as if it were older is sealed with those of its day, and found by name', async () => {
  const log = await sealedLog()
  await log.t.clock.advance(2 * 3_600_000)
  await createContract(log.t)
  await log.t.sealing.runDue()
  assert.deepEqual(await found(log), [])
  const id = newId(0)
  await bend(copied(log, log.entry('1.1'), id, sql`null::int, null::int`))
  await log.t.sealing.runDue()
  assert.deepEqual(await found(log), [['entry_backdated', 5, 1, id]])
})

test('an entry that was freed of its batch is missed there, although it is sealed anew', async () => {
  const log = await sealedLog()
  const entry = log.entry('2.2')
  await bend(sql`update audit_entries set batch = null, position = null, action = 'x' where ${at(log, entry)}`)
  assert.equal((await verified(log)).unsealed.count, 1)
  await log.t.sealing.runDue()
  assert.deepEqual(await found(log), [['entry_missing', ...named(entry)]])
})

test('an entry that was given to another organization is missed in the one and found in the other', async () => {
  const [log, another] = [await sealedLog(), await sealedLog()]
  const entry = log.entry('3.1')
  await bend(sql`update audit_entries set organization_id = ${another.organization_id} where ${at(log, entry)}`)
  assert.deepEqual(await found(log), [['entry_missing', ...named(entry)]])
  assert.deepEqual(await found(another), [['entry_added', ...named(entry)]])
})

const inBatch = ({ organization_id }: Log, batch: number) =>
  sql`organization_id = ${organization_id} and batch = ${batch}`

test('whatever of a batch was changed is found: its time, its counts, what it lists and in which order', async () => {
  for (const change of [
    ...[sql`sealed_at = sealed_at - interval '1 day'`, sql`entries_total = 9`, sql`format = 2`],
    ...[sql`hash = sha256('x')`, sql`previous_hash = null`, sql`entry_hashes[2] = sha256('x')`],
    sql`entry_ids = entry_ids[3:4] || entry_ids[1:2], entry_hashes = entry_hashes[3:4] || entry_hashes[1:2]`,
  ]) {
    const log = await sealedLog()
    await bend(sql`update audit_batches set ${change} where ${inBatch(log, 2)}`)
    const [first] = await found(log)
    assert.deepEqual(first?.slice(0, 2), ['batch_changed', 2], change.strings.join(''))
  }
})

test('an entry that was removed together with its place in the batch, and a batch with its entries, are found', async () => {
  const log = await sealedLog()
  await bend(sql`delete from audit_entries where ${at(log, log.entry('2.4'))}`)
  await bend(sql`
    update audit_batches set entry_ids = entry_ids[1:3], entry_hashes = entry_hashes[1:3] where ${inBatch(log, 2)}`)
  assert.deepEqual((await found(log))[0]?.slice(0, 2), ['batch_changed', 2])
  const another = await sealedLog()
  await bend(sql`delete from audit_entries where ${inBatch(another, 2)}`)
  await bend(sql`delete from audit_batches where ${inBatch(another, 2)}`)
  assert.deepEqual(await found(another), [['batch_missing', 2, null, null]])
})

/** Writes the chain anew over what its entries say now: the work of somebody who may write everything, and knows how. */
async function forge({ t, organization_id }: Log): Promise<void> {
  const { body } = await t.call('GET', '/audit-entries', { query: { limit: 100 } })
  const { body: batches } = await t.call('GET', '/audit-entries/batches')
  await bend(sql`delete from audit_batches where organization_id = ${organization_id}`)
  await bend(sql`update audit_entries set batch = null, position = null where organization_id = ${organization_id}`)
  let end: ReturnType<typeof nextBatches>[number] | undefined
  for (const { batch, sealed_at } of batches.data) {
    const entries = body.data.filter((entry: Entry) => entry.batch === batch)
    const made = nextBatches(organization_id, end, entries.toReversed(), sealed_at)
    await t.database.database.transaction({ role: 'owner' }, (tx) => insertBatches(tx, made))
    end = made.at(-1)
  }
}

test('one batch that was written anew with a right hash is not the one that the next follows', async () => {
  const log = await sealedLog()
  const entry = log.entry('2.3')
  await bend(sql`update audit_entries set actor = ${other} where ${at(log, entry)}`)
  const { body } = await log.t.call('GET', '/audit-entries', { query: { batch_from: 2, batch_to: 2 } })
  const { body: batches } = await log.t.call('GET', '/audit-entries/batches')
  const [first, second] = batches.data
  const [made] = nextBatches(log.organization_id, first, body.data.toReversed(), second.sealed_at)
  assert.ok(made)
  const hashes = made.entries.map(({ hash }) => Buffer.from(hash, 'hex'))
  await bend(sql`
    update audit_batches set hash = ${Buffer.from(made.hash, 'hex')}, entry_hashes = ${hashes} where ${inBatch(log, 2)}`)
  assert.deepEqual(await found(log), [['chain_broken', 2, null, null]])
})

test('a chain that was written anew as a whole differs from a seal that was kept elsewhere, from the change on', async () => {
  const log = await sealedLog()
  const { body } = await log.t.call('GET', '/audit-entries/batches')
  const seals = body.data.map(({ batch, hash, sealed_at }: Log['seal']) => ({ batch, hash, sealed_at }))
  await bend(sql`update audit_entries set actor = ${other} where ${at(log, log.entry('2.3'))}`)
  assert.equal((await found(log))[0]?.[0], 'entry_changed')
  await forge(log)
  assert.deepEqual(await found(log), [], 'by itself it is whole')
  assert.deepEqual(await found(log, seals), [
    ['seal_differs', 2, null, null],
    ['seal_differs', 3, null, null],
  ])
  assert.deepEqual(await found(log, [{ hash: seals[2].hash }]), [['seal_missing', null, null, null]])
  assert.deepEqual(await found(log, [{ hash: seals[0].hash }]), [])
})

test('the end of a chain that was cut off is found by the entries that stay, and without them by a kept seal', async () => {
  const log = await sealedLog()
  await bend(sql`delete from audit_batches where ${inBatch(log, 3)}`)
  assert.deepEqual(
    (await found(log)).map(([kind, batch]) => [kind, batch]),
    Array(4).fill(['entry_added', 3]),
  )
  await bend(sql`delete from audit_entries where ${inBatch(log, 3)}`)
  assert.deepEqual(await found(log), [], 'by itself it is whole')
  assert.deepEqual(await found(log, [log.seal]), [['seal_missing', 3, null, null]])
  await bend(sql`delete from audit_entries where organization_id = ${log.organization_id}`)
  await bend(sql`delete from audit_batches where organization_id = ${log.organization_id}`)
  assert.deepEqual(await found(log, [log.seal]), [['seal_missing', 3, null, null]])
})

test('the beginning of a chain that was cut off is found, also where it looks like a removal at the end of its time', async () => {
  const log = await sealedLog()
  await bend(sql`delete from audit_entries where ${inBatch(log, 1)}`)
  await bend(sql`update audit_batches set entries_removed_at = app_now() where ${inBatch(log, 1)}`)
  assert.deepEqual((await found(log))[0]?.slice(0, 2), ['start_missing', 1])
  await bend(sql`delete from audit_batches where ${inBatch(log, 1)}`)
  assert.deepEqual(await found(log), [['start_missing', 1, null, null]])
})

test('an entry that is there again after its time was removed is found', async () => {
  const log = await sealedLog()
  const entry = log.entry('1.3')
  await bend(sql`create table kept_aside as select * from audit_entries where ${at(log, entry)}`)
  await service.clock.advance(3_000 * 86_400_000)
  await service.cleanUp.run()
  assert.deepEqual(await found(log), [])
  await bend(sql`
    insert into audit_entries (organization_id, id, occurred_at, actor, action, subject_kind, changed_fields, batch, position)
    select organization_id, id, occurred_at, actor, action, subject_kind, changed_fields, batch, position from kept_aside`)
  assert.deepEqual(await found(log), [['entry_added', ...named(entry)]])
})

test('the removal of a person, whatever it takes with it, leaves the chain valid', async () => {
  const t = inOrganization(service, await service.createOrganization())
  const { id } = await createPerson(t)
  await t.call('PATCH', `/people/${id}`, { body: { first_name: 'Somebody', email: 'other@example.org' } })
  await t.sealing.runDue()
  const { status } = await t.call('DELETE', `/people/${id}`)
  assert.equal(status, 204)
  await t.sealing.runDue()
  const { is_whole, entries_checked } = await verified({ organization_id: t.organization.id })
  assert.deepEqual([is_whole, entries_checked], [true, 3])
})

test('a seal of an organization that is not there any more is told, and a hash alone asks for the organization', async () => {
  const { database } = service.database
  const lost = { organization_id: newId(0), batch: 4, hash: 'ab'.repeat(32) }
  const reports = await verifyAudit(database, { seals: [lost] })
  assert.deepEqual(
    reports.filter(({ is_whole, name }) => !is_whole && name === null).map(({ findings }) => findings[0]?.kind),
    ['seal_missing'],
  )
  await assert.rejects(verifyAudit(database, { seals: [{ hash: lost.hash }] }), /name that by --organization/)
  await assert.rejects(verifyAudit(database, { organization: 'Nowhere', seals: [] }), /no organization "Nowhere"/)
})
