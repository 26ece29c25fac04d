import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { openDatabase, sql, type Transaction } from './database.ts'
import { DatabaseUnavailable, explain, violatedConstraint } from './errors.ts'

let own: TestDatabase
before(async () => {
  own = await createTestDatabase()
  await inOperator((tx) =>
    tx.run(sql`create table counters (id int primary key, value int not null check (value < 100))`),
  )
  await inOperator((tx) => tx.run(sql`insert into counters values (1, 0), (2, 0)`))
})
after(() => own.drop())

const inOperator = <Result>(work: (tx: Transaction) => Promise<Result>, read_only = false) =>
  own.database.transaction({ role: 'owner', read_only }, work)

const counter = async (id: number) =>
  (await inOperator((tx) => tx.row<{ value: number }>(sql`select value from counters where id = ${id}`)))?.value

const add = (tx: Transaction, id: number) => tx.run(sql`update counters set value = value + 1 where id = ${id}`)

test('an error undoes everything that the transaction did', async () => {
  const broken = inOperator(async (tx) => {
    await add(tx, 1)
    throw new Error('later')
  })
  await assert.rejects(broken, /later/)
  assert.equal(await counter(1), 0)
})

test('a read-only transaction cannot write', async () => {
  await assert.rejects(
    inOperator((tx) => add(tx, 1), true),
    /read-only transaction/,
  )
})

test('work that begins at once is bound by its opening, and knows the time when its first statement has answered', async () => {
  const seen = await own.database.transaction({ role: 'engine', begins_at_once: true }, async (tx) => {
    assert.throws(() => tx.now, /known when its first statement has answered/)
    const row = await tx.row<{ role: string; now: string }>(
      sql`select current_user::text as role, app_now()::timestamptz(3) as now`,
    )
    return { ...row, told: tx.now }
  })
  assert.equal(seen.role, 'stint_engine')
  assert.equal(seen.told, seen.now)
})

test('regression: what is written until the program waits is held back for one packet', async () => {
  const client = await own.database.connect()
  try {
    const { stream } = Reflect.get(client, 'connection')
    const answers = [client.query('select 1'), client.query('select $1::int', [2])]
    assert.equal(stream.writableCorked, 1)
    await Promise.all(answers)
    assert.equal(stream.writableCorked, 0)
  } finally {
    client.release()
  }
})

test('each statement of a read that knows the time is a transaction of its own, with its opening', async () => {
  const organization_id = '019cadc6-9a80-70df-929e-750f1228d11d'
  const options = { role: 'app', organization_id, read_only: true, now: '2026-03-01T00:00:00.000Z' } as const
  const look = sql`select now()::text as began, current_user::text as role, current_organization() as organization`
  type Seen = { began: string; role: string; organization: string }
  const [one, other] = await own.database.transaction(options, async (tx) => [
    await tx.row<Seen>(look),
    await tx.row<Seen>(look),
  ])
  assert.notEqual(one?.began, other?.began)
  for (const seen of [one, other]) {
    assert.equal(seen?.role, 'stint_app')
    assert.equal(seen?.organization, organization_id)
  }
})

test('a read that fails leaves its connection to others', async () => {
  const options = { role: 'owner', read_only: true, now: '2026-03-01T00:00:00.000Z' } as const
  await assert.rejects(
    own.database.transaction(options, (tx) => add(tx, 1)),
    /read-only transaction/,
  )
  await assert.rejects(
    own.database.transaction(options, async (tx) => {
      await tx.row(sql`select 1`)
      throw new Error('later')
    }),
    /later/,
  )
  assert.equal(await counter(1), 0)
})

test('a read that knows the time travels with its opening and is bound by it', async () => {
  const now = '2026-03-01T00:00:00.000Z'
  const organization_id = '019cadc6-9a80-70df-929e-750f1228d11d'
  const options = { role: 'app', organization_id, read_only: true, now } as const
  const seen = await own.database.transaction(options, async (tx) => ({
    now: tx.now,
    ...(await tx.row<object>(sql`
      select current_user as role, current_organization() as organization, current_setting('transaction_read_only') as read_only`)),
  }))
  assert.deepEqual(seen, { now, role: 'stint_app', organization: organization_id, read_only: 'on' })
  await assert.rejects(
    own.database.transaction({ role: 'owner', read_only: true, now }, (tx) => add(tx, 1)),
    /read-only transaction/,
  )
})

test('no statement runs behind an opening that failed, and its fault is told', async () => {
  await inOperator((tx) => tx.run(sql`create role stint_stranger login`))
  const stranger = openDatabase({ ...own.connection, user: 'stint_stranger' }, { connections_max: 1 })
  const read = stranger.transaction({ role: 'app', read_only: true, now: '2026-03-01T00:00:00.000Z' }, (tx) =>
    tx.row(sql`select 1 as one`),
  )
  await assert.rejects(read, /permission denied to set role/)
  await stranger.close()
  await inOperator((tx) => tx.run(sql`drop role stint_stranger`))
})

test('signals run after the commit, and never for what was undone', async () => {
  const seen: (number | undefined)[] = []
  await inOperator(async (tx) => {
    tx.afterCommit(() => void seen.push(1))
    assert.deepEqual(seen, [])
  })
  const broken = inOperator(async (tx) => {
    tx.afterCommit(() => void seen.push(2))
    throw new Error('later')
  })
  await assert.rejects(broken)
  assert.deepEqual(seen, [1])
})

// The loser's second try can reach its first row before the winner wakes up, and lock it out once more: three tries is
// the least, and the bound on retries the most.
test('two transactions that lock each other out both succeed, because the loser is tried again', async () => {
  let [tries, arrived] = [0, 0]
  const both = Promise.withResolvers<void>()
  const crossing = (first: number, second: number) =>
    inOperator(async (tx) => {
      tries += 1
      await add(tx, first)
      arrived += 1
      if (arrived === 2) both.resolve()
      await both.promise
      await add(tx, second)
    })
  await Promise.all([crossing(1, 2), crossing(2, 1)])
  assert.deepEqual([await counter(1), await counter(2)], [2, 2])
  assert.ok(tries >= 3, `${tries} tries`)
})

test('an error that the work swallowed fails the transaction instead of losing it without a word', async () => {
  const before = await counter(1)
  const swallowing = inOperator(async (tx) => {
    await add(tx, 1)
    await tx.run(sql`select 1 / 0`).catch(() => undefined)
  })
  await assert.rejects(swallowing, /rolled back/)
  assert.equal(await counter(1), before)
})

test('a branch left behind by an error writes nothing: not here, and not on the connection of the next transaction', async () => {
  const before = await counter(1)
  const release = Promise.withResolvers<void>()
  let branch: Promise<unknown> | undefined
  const failing = inOperator(async (tx) => {
    branch = release.promise.then(() => add(tx, 1))
    throw new Error('the other branch')
  })
  await assert.rejects(failing, /the other branch/)
  await inOperator(async () => {
    release.resolve()
    await assert.rejects(branch ?? Promise.resolve(), /after the end of its transaction/)
  })
  assert.equal(await counter(1), before)
})

test('a request has an end: its statements time out, and its locks are free when its process hangs', async () => {
  const timeouts = await own.database.transaction({ role: 'app' }, (tx) =>
    tx.row(sql`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`),
  )
  assert.deepEqual(timeouts, { statement: '30s', idle: '1min' })
  const late = inOperator(async (tx) => {
    await tx.run(sql`set local statement_timeout = 20`)
    await tx.run(sql`select pg_sleep(30)`)
  })
  await assert.rejects(late, DatabaseUnavailable)
})

test('a server that cannot be found or refuses the user is the database being away, for look-ups too', async () => {
  for (const connection of [{ host: '/nonexistent' }, { ...own.connection, database: 'nowhere' }]) {
    const database = openDatabase(connection, { connections_max: 1 })
    await assert.rejects(database.row(sql`select 1`), DatabaseUnavailable)
    await assert.rejects(
      database.transaction({ role: 'app' }, async () => null),
      DatabaseUnavailable,
    )
    await database.close()
  }
})

test('the time of a transaction is the database’s, in RFC 3339 with milliseconds', async () => {
  await own.clock.set('2026-05-01T12:00:00.5Z')
  assert.equal(await inOperator(async (tx) => tx.now), '2026-05-01T12:00:00.500Z')
})

test('the name of a violated constraint is told, other errors have none', async () => {
  const violation = async (statement: ReturnType<typeof sql>) =>
    violatedConstraint(await inOperator((tx) => tx.run(statement)).catch((error: unknown) => error))
  assert.equal(await violation(sql`insert into counters values (1, 0)`), 'counters_pkey')
  assert.equal(await violation(sql`update counters set value = 100`), 'counters_value_check')
  assert.equal(await violation(sql`select 1 / 0`), null)
})

const unavailable = [
  'connect ECONNREFUSED 127.0.0.1:1',
  'Connection terminated unexpectedly',
  'timeout exceeded when trying to connect',
]
for (const message of unavailable) {
  test(`the database is away: ${message}`, () => {
    const error = Object.assign(new Error(message), /ECONN/.test(message) && { code: 'ECONNREFUSED' })
    assert.ok(explain(error) instanceof DatabaseUnavailable)
  })
}

test('an error that is not the database being away stays itself', () => {
  const error = new Error('x is not a function')
  assert.equal(explain(error), error)
})

test('statements that were only sent are committed, and who wants their rows has them then', async () => {
  const { made } = await inOperator(async (tx) => {
    tx.send(sql`insert into counters values (11, 0)`)
    return { made: tx.send<{ id: number }>(sql`insert into counters values (12, 0) returning id`) }
  })
  assert.deepEqual([await made, await counter(11), await counter(12)], [[{ id: 12 }], 0, 0])
})

test('inserts between two other statements travel as one, and every statement but one that reads before them sees them', async (t) => {
  const { query } = pg.Client.prototype
  const texts: string[] = []
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, asked: string | { text: string }) {
    texts.push(typeof asked === 'string' ? asked : asked.text)
    return Reflect.apply(query, this, [asked])
  })
  const counted = sql`select count(*)::int as rows from counters where id in (14, 15, 16)`
  const seen = await inOperator(async (tx) => {
    tx.insert(sql`insert into counters values (${14}, ${0})`)
    tx.insert(sql`insert into counters select id, 0 from unnest(${[15]}::int[]) id`)
    const before = await tx.rowsBefore<{ rows: number }>(counted)
    const after = await tx.row<{ rows: number }>(counted)
    tx.insert(sql`insert into counters values (${16}, ${0})`)
    return [before[0]?.rows, after?.rows]
  })
  assert.deepEqual(seen, [0, 2])
  assert.equal(await counter(16), 0)
  assert.equal(texts.filter((text) => text.includes('insert into counters')).length, 2)
})

test('an insert after the end of its transaction is refused', async () => {
  let late: Transaction | undefined
  await inOperator(async (tx) => {
    late = tx
  })
  assert.throws(() => late?.insert(sql`insert into counters values (19, 0)`), /after the end of its transaction/)
})

test('an insert that violates a constraint fails its transaction, and one of a transaction that failed is not sent', async () => {
  const violating = inOperator(async (tx) => {
    tx.insert(sql`insert into counters values (17, 0)`)
    tx.insert(sql`insert into counters values (1, 0)`)
  })
  await assert.rejects(violating, { constraint: 'counters_pkey' })
  const failed = inOperator(async (tx) => {
    tx.insert(sql`insert into counters values (18, 0)`)
    throw new Error('no')
  })
  await assert.rejects(failed, { message: 'no' })
  assert.deepEqual([await counter(17), await counter(18)], [undefined, undefined])
})

test('the fault told is the first one, also where a new statement is sent twice behind it', async () => {
  const failed = inOperator(async (tx) => {
    const violating = tx.run(sql`insert into counters values (1, 0)`)
    for (let times = 0; times < 2; times += 1) void tx.send(sql`select 'sent twice' as words`)
    await violating
  })
  await assert.rejects(failed, { constraint: 'counters_pkey' })
})

test('a statement that was only sent fails its transaction by itself, whatever came after it', async () => {
  const violating = sql`insert into counters values (1, 0)`
  const alone = inOperator(async (tx) => void tx.send(violating))
  await assert.rejects(alone, { constraint: 'counters_pkey' })
  const before_others = inOperator(async (tx) => {
    tx.send(violating)
    tx.send(sql`insert into counters values (13, 0)`)
    await add(tx, 2)
  })
  await assert.rejects(before_others, { constraint: 'counters_pkey' })
  assert.equal(await counter(13), undefined)
})
