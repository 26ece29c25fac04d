import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { onServer } from '#test/server-of-run.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** Statements on the server, from outside the database, whose connections may all be gone. */
async function outside(...statements: ((name: string) => string)[]): Promise<void> {
  const { owner } = service.database
  const elsewhere = { ...owner, database: 'postgres' }
  for (const statement of statements) await onServer(elsewhere, statement(String(owner.database)))
}

const endConnections = (name: string) =>
  `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name = 'stint'`

/** Every insert of an event fails as PostgreSQL fails it, in the middle of a change. */
const failing = (code: string, message: string) => ({
  begin: () =>
    onServer(
      service.database.owner,
      `create function fail() returns trigger language plpgsql as $$ begin
         raise exception using errcode = '${code}', message = '${message}'; end $$;
       create trigger fail before insert on events for each row execute function fail()`,
    ),
  end: () => onServer(service.database.owner, 'drop function fail cascade'),
  reads: true,
})

/** The rows of the table in docs/guides/reliability.md, at the database as a caller meets them. */
const outages = {
  'a full disk': failing('53100', 'could not extend file "base/16384/16843": No space left on device'),
  'a read-only file system': failing('42501', 'could not open file "base/16384/2601": Read-only file system'),
  'a broken disk': failing('58030', 'could not read block 7 in file "base/16384/16843": Input/output error'),
  'a database that is read-only': {
    begin: () => outside((name) => `alter database ${name} set default_transaction_read_only = on`, endConnections),
    end: () => outside((name) => `alter database ${name} reset default_transaction_read_only`, endConnections),
    reads: true,
  },
  'exhausted connections': {
    begin: () => outside((name) => `alter database ${name} connection limit 0`, endConnections),
    end: () => outside((name) => `alter database ${name} connection limit -1`),
    reads: false,
  },
}

describe('a call is answered 503, leaves nothing, and succeeds under its key when it is over:', () => {
  for (const [name, { begin, end, reads }] of Object.entries(outages)) {
    test(name, async () => {
      // Connections that are left idle are noticed to be gone by their next use.
      const create = () =>
        service.call('POST', '/people', {
          headers: { 'idempotency-key': name.replaceAll(' ', '-') },
          body: { first_name: 'Ada', last_name: 'Lindqvist', email: `${name.replaceAll(' ', '.')}@harbour.example` },
        })
      const before = await service.call('GET', '/people')
      await begin()
      try {
        for (let calls = 0; calls < 8; calls += 1) {
          const { status, body, headers } = await create()
          assert.deepEqual([status, body.code], [503, 'unavailable'], JSON.stringify(body))
          assert.match(body.detail, /later with the same Idempotency-Key/)
          assert.ok(Number(headers['retry-after']) >= 1, 'Retry-After')
        }
        // Once through what was left of the former connections.
        let read = await service.call('GET', '/people')
        for (let calls = 0; calls < 8 && reads && read.status === 503; calls += 1)
          read = await service.call('GET', '/people')
        assert.equal(read.status, reads ? 200 : 503)
        if (reads) assert.equal(read.body.total_count, before.body.total_count, 'nothing of it is there')
      } finally {
        await end()
      }
      let made = await create()
      for (let calls = 0; calls < 8 && made.status === 503; calls += 1) made = await create()
      assert.equal(made.status, 201, JSON.stringify(made.body))
      assert.deepEqual((await create()).body, made.body)
      const now = await service.call('GET', '/people')
      assert.equal(now.body.total_count, before.body.total_count + 1)
    })
  }
})

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms

test('a clock that steps back and forth loses, repeats and blocks nothing: calls, deliveries, the feed in its order', async () => {
  const bench = await startWebhookBench()
  try {
    const { clock, call, dispatcher, database, runtime } = bench.service
    const sequencer = createSequencer(database.database, runtime.log)
    await bench.subscribe()
    await sequencer.runDue()
    let { cursor } = (await call('GET', '/events', { query: { start: 'latest' } })).body
    const caused: string[] = []
    for (const step_ms of [-hour_ms, hour_ms, 30 * day_ms, -30 * day_ms, -day_ms, day_ms]) {
      await clock.set(new Date(clock.now() + step_ms).toISOString())
      const ids = [await bench.cause('first'), await bench.cause('second')]
      caused.push(...ids)
      await dispatcher.runDue()
      await sequencer.runDue()
      const { status, body } = await call('GET', '/events', { query: { cursor } })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(body.data.map(tokenOf), ids)
      cursor = body.cursor
    }
    const received = bench.receiver.requests.map(({ body }) => tokenOf(JSON.parse(body.toString())))
    assert.deepEqual(received.sort(), caused.sort())
  } finally {
    await bench.close()
  }
})

// biome-ignore lint/suspicious/noExplicitAny: events of every type
const tokenOf = ({ data }: any): string => data.resource[0].credential_id
