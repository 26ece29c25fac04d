import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { recordEvents } from '#core/effects.ts'
import { newId } from '#core/values.ts'
import { type Database, openDatabase, sql } from '#db/database.ts'
import { apiTokenCreated as type } from '#identity/end-credentials.ts'
import { openWriter } from '#test/open-writer.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { createSequencer } from './sequencer.ts'

const writers_max = 20

let service: TestService
/** Every writer keeps a connection for as long as its transaction is open. */
let writing: Database
let sequencer: ReturnType<typeof createSequencer>
before(async () => {
  service = await startTestService()
  writing = openDatabase(service.database.connection, { connections_max: writers_max + 4 })
  sequencer = createSequencer(writing, service.runtime.log)
})
after(async () => {
  await writing.close()
  await service.close()
})

const nextId = () => newId(service.clock.now())

/** Records events in a transaction that stays open until it is let go. */
async function beginWriter(organization_id: string, events: number) {
  const ids = Array.from({ length: events }, nextId)
  const end = await openWriter(writing, organization_id, (tx) => {
    const facts = ids.map((event_id) => ({ event_id, type, occurred_at: tx.now, entries: [{ ...type.example }] }))
    return recordEvents(tx, { organization_id, request_id: null, trace_id: null }, facts, async () => undefined)
  })
  return { ids, end }
}

/** Reads on from where it stopped, a page at a time, over the REST API. */
function createReader(token: string, limit: number) {
  const seen: string[] = []
  let cursor: string | undefined
  const readPage = async () => {
    const { status, body } = await service.call('GET', '/events', {
      token,
      query: { limit, ...(cursor && { cursor }) },
    })
    assert.equal(status, 200, JSON.stringify(body))
    for (const { data } of body.data) seen.push(data.meta.event_id)
    cursor = body.cursor
    return body
  }
  const readOn = async () => {
    while ((await readPage()).has_more);
  }
  return { seen, readPage, readOn }
}

const assertOnce = (seen: readonly string[], written: readonly string[]) =>
  assert.deepEqual([...seen].sort(), [...written].sort())

type Step = { kind: 'begin'; events: number } | { kind: 'end'; which: number } | { kind: 'number' } | { kind: 'read' }

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('begin' as const), events: fc.integer({ min: 1, max: 4 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat() }) },
    { weight: 3, arbitrary: fc.constant({ kind: 'number' as const }) },
    { weight: 3, arbitrary: fc.constant({ kind: 'read' as const }) },
  ),
  { minLength: 20, maxLength: 80 },
) as fc.Arbitrary<Step[]>

test('P13: in any order of up to 20 open transactions, commits and reads, each event is read once and none is skipped', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 7 }), async (order, limit) => {
      const { id, token } = await service.createOrganization()
      const reader = createReader(token, limit)
      const committed: string[] = []
      const open: Awaited<ReturnType<typeof beginWriter>>[] = []
      const end = async (index: number) => {
        const [writer] = open.splice(index, 1)
        if (!writer) return
        await writer.end()
        committed.push(...writer.ids)
      }
      const take: Record<Step['kind'], (step: Step) => Promise<unknown>> = {
        begin: async (step) => {
          if (open.length < writers_max && step.kind === 'begin') open.push(await beginWriter(id, step.events))
        },
        end: (step) => (step.kind === 'end' ? end(step.which % Math.max(1, open.length)) : Promise.resolve()),
        number: () => sequencer.runDue(),
        read: () => reader.readPage(),
      }
      for (const step of order) await take[step.kind](step)
      while (open.length > 0) await end(0)
      await sequencer.runDue()
      await reader.readOn()
      assertOnce(reader.seen, committed)
    }),
    { numRuns: 15 },
  )
})

test('T11: 20 writers at once beside two sequencers and three readers: 0 skipped, 0 repeated, one order for all', async () => {
  const { id, token } = await service.createOrganization()
  const other = createSequencer(writing, service.runtime.log)
  const readers = [1, 3, 100].map((limit) => createReader(token, limit))
  const written: string[] = []
  let is_over = false
  const write = async (writer: number) => {
    for (let turn = 0; turn < 12; turn += 1) {
      const { ids, end } = await beginWriter(id, 1 + ((writer + turn) % 3))
      // Some stay open while others, begun later, are committed, numbered and read.
      for (let runs = 0; runs < (writer * turn) % 5; runs += 1) await sequencer.runDue()
      await end()
      written.push(...ids)
    }
  }
  const goOn = async (work: () => Promise<unknown>) => {
    while (!is_over) await work()
  }
  const beside = [sequencer, other].map((each) => goOn(() => each.runDue()))
  const reading = readers.map((reader) => goOn(() => reader.readOn()))
  try {
    await Promise.all(Array.from({ length: writers_max }, (_, writer) => write(writer)))
  } finally {
    is_over = true
  }
  await Promise.all([...beside, ...reading])
  await sequencer.runDue()
  for (const reader of readers) {
    await reader.readOn()
    assertOnce(reader.seen, written)
    assert.deepEqual(reader.seen, readers[0]?.seen)
  }
})

test('numbers are given without gaps, and a batch that is rolled back leaves none', async () => {
  const { id } = await service.createOrganization()
  const head = async () => {
    const row = await writing.transaction({ role: 'engine' }, (tx) =>
      tx.row<{ feed_seq: string }>(sql`select feed_seq from event_feed_head`),
    )
    return Number(row?.feed_seq)
  }
  const from = await head()
  const writer = await beginWriter(id, 3)
  assert.equal(await sequencer.runDue(), 0)
  await writer.end()
  const failing: Database = {
    ...writing,
    transaction: (options, work) =>
      writing.transaction(options, async (tx) => {
        await work(tx)
        throw new Error('lost before the commit')
      }),
  }
  await assert.rejects(createSequencer(failing, service.runtime.log).runDue(), /lost before the commit/)
  assert.equal(await head(), from)
  assert.equal(await sequencer.runDue(), 3)
  assert.equal(await head(), from + 3)
})

test('more than one batch is numbered in one run, and simulations get no number', async () => {
  const { id, token } = await service.createOrganization()
  const events = 2_300
  await writing.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.run(sql`
      insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource)
      select ${id}::uuid, gen_random_uuid(), ${type.type}::text, app_now(), app_now(), n > ${events}, '[]'
      from generate_series(1, ${events} + 5) n`),
  )
  assert.equal(await sequencer.runDue(), events)
  const { body } = await service.call('GET', '/events', { token, query: { limit: 1 } })
  assert.equal(body.total_count, events)
})
