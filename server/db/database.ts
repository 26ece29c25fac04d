import net from 'node:net'
import pg from 'pg'
import { DatabaseUnavailable, explain } from './errors.ts'
import { besideFirst, rowTypes } from './rows.ts'
import { createShares } from './shares.ts'

/**
 * `app` sees the rows of one organization, `engine` the webhook rows and timers of all; `lookup` reads credentials and
 * organizations, proves clients and keeps sessions; `operator` makes organizations, owners and their credentials. None
 * owns a table, so row-level security binds them. `owner` is the connecting user itself, which owns the tables only where
 * tests and benchmarks connect so: nothing in the service runs as it.
 */
export type Role = 'app' | 'engine' | 'lookup' | 'operator' | 'owner'

export interface TransactionOptions {
  role: Role
  organization_id?: string
  read_only?: boolean
  /** Database time that is known already: work begins without waiting for the opening, and both travel together; a read ends so too. */
  now?: string | undefined
  /** The work begins without waiting for the opening, as with `now`; time is told with the answer to its first statement. */
  begins_at_once?: boolean
  /** Ends with a rollback, after the checks that a commit makes; nothing is signalled. */
  is_dry?: boolean
  /** Of the server, for this transaction; the program's own words, since SET takes no parameters. */
  settings?: Record<string, string>
  /** The longest wait for the answer to one statement, where that of the role is not right. */
  answer_ms_max?: number
}

/** The way to a database. */
export interface Connection extends pg.PoolConfig {
  /** `unnamed` behind a pooler that hands connections on without their prepared statements: each is planned anew. */
  statements?: 'named' | 'unnamed'
}

/** Of each connection: what comes out of the database is read as it is written under these. */
export const session_settings = { timezone: 'UTC', intervalstyle: 'iso_8601' }

export type Database = ReturnType<typeof openDatabase>

export function openDatabase({ statements, ...connection }: Connection, options: { connections_max: number }) {
  const write = statements === 'unnamed' ? unnamed : prepared
  const sockets = new Set<net.Socket>()
  const pool = new pg.Pool({
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...withSettings(connection),
    max: options.connections_max,
    types: rowTypes,
    pipeline: true,
    stream: () => {
      const socket = holdingSocket()
      sockets.add(socket.once('close', () => sockets.delete(socket)))
      return socket
    },
    application_name: 'stint',
  })
  // An idle connection that the server closes must not end the process; the next query opens another one.
  pool.on('error', () => undefined)
  // Nor may one that is lost inside a transaction, between two statements: the next statement fails and says so.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const withinShare = createShares(options.connections_max)
  return {
    pool,
    /** One connection outside any transaction, for migrations, LISTEN and benchmarks. */
    connect: () => pool.connect(),
    close: () => pool.end(),
    /** Breaks every connection: what runs on one fails at once, and the next statement opens another. */
    cut: () => sockets.forEach((socket) => void socket.destroy()),
    /** One statement in its own transaction as the connecting user: the look-up of a credential. */
    row: <Row extends object>(statement: Sql) => lookUp<Row>(pool, write(statement)),
    /** Runs `work` in one transaction; an error rolls everything back. Serialization failures are repeated. */
    transaction: <Result>(settings: TransactionOptions, work: (tx: Transaction) => Promise<Result>) => {
      const { role, organization_id } = settings
      const run = () => repeatOnConflict(() => runTransaction(pool, settings, write, work))
      return role === 'app' && organization_id !== undefined ? withinShare(organization_id, run) : run()
    },
  }
}

/**
 * Sends what is written until the program waits as one packet. The driver writes each statement by itself, and every
 * write would be a system call here and wake the server there.
 */
function holdingSocket(): net.Socket {
  const socket = new net.Socket()
  let is_held = false
  const write = (...written: Parameters<net.Socket['write']>) => {
    if (!is_held) {
      is_held = true
      socket.cork()
      process.nextTick(() => {
        is_held = false
        socket.uncork()
      })
    }
    return net.Socket.prototype.write.apply(socket, written)
  }
  // Not before: `connect` of Node puts its own `write` in the place of any other.
  return socket.once('connect', () => Object.assign(socket, { write }))
}

/** The driver lets the options of a connection string replace those beside it; taken out of it, ours join them. */
export function withSettings(connection: pg.PoolConfig): pg.PoolConfig {
  const { connectionString, options: beside = '' } = connection
  const ours = Object.entries(session_settings).map(([name, value]) => `-c ${name}=${value}`)
  const url = connectionString === undefined ? null : URL.parse(connectionString)
  const options = [url?.searchParams.get('options') ?? beside, ...ours].join(' ').trim()
  if (!url?.searchParams.has('options')) return { ...connection, options }
  url.searchParams.delete('options')
  return { ...connection, connectionString: url.href, options }
}

async function connectedFrom(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (cause) {
    // The database does not serve us, whatever the reason (no such host, wrong password, all connections taken).
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DatabaseUnavailable(`the database cannot be reached: ${reason}`, { cause })
  }
}

async function lookUp<Row extends object>(pool: pg.Pool, statement: pg.QueryConfig): Promise<Row | undefined> {
  // Not pool.query, which drops its connection on every SQL error (338 against 6,657 unique violations/s).
  const client = await connectedFrom(pool)
  let broken: unknown
  try {
    return (await client.query<Row>(within({ role: 'lookup' }, statement))).rows[0]
  } catch (cause) {
    broken = explain(cause)
    throw broken
  } finally {
    client.release(broken instanceof DatabaseUnavailable ? broken : undefined)
  }
}

const repeats_max = 3

/** Deadlocks and serialization failures are the server asking to try again; nothing of the try remains. */
async function repeatOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await attempt()
    } catch (error) {
      const is_conflict = error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')
      if (repeats >= repeats_max || !is_conflict) throw error
    }
  }
}

async function runTransaction<Result>(
  pool: pg.Pool,
  options: TransactionOptions,
  write: typeof prepared,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await connectedFrom(pool)
  const signals: (() => void)[] = []
  const sent: Promise<unknown>[] = []
  let broken: Error | undefined
  let result: Result
  let { now } = options
  const is_read = options.read_only === true && now !== undefined
  const opening = is_read
    ? undefined
    : openOn(client, options).then((told) => {
        now ??= told
      })
  // Looked at where it is waited for, or when something behind it failed.
  opening?.catch(() => undefined)
  const timeOf = () => {
    if (now === undefined) throw new Error('the time of a transaction is known when its first statement has answered')
    return now
  }
  const before = is_read ? framesOf(client, options, sent) : () => undefined
  const bound = (statement: Sql) => within(options, write(statement))
  const { tx, end } = statementsOn(client, timeOf, { signals, sent, before, bound })
  try {
    if (options.now === undefined && !options.begins_at_once) await opening
    result = await work(tx)
    end({ is_done: true })
    // The commit follows what was sent without waiting: where one of those failed, it does nothing.
    const ended = is_read
      ? { command: 'COMMIT' }
      : options.is_dry
        ? rollBack(client, options)
        : client.query(within(options, { text: 'commit' }))
    const [{ command }] = await Promise.all([ended, ...sent])
    // The server answers ROLLBACK, and no error, where a statement had failed and the work went on all the same.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: an error inside it was swallowed')
  } catch (cause) {
    end({ is_done: false })
    // A failed rollback means a dead connection: it leaves the pool, and the server rolls back by itself.
    if (!is_read)
      await client.query(within(options, { text: 'rollback' })).catch((error: Error) => {
        broken = error
      })
    // Behind one that failed every statement fails; the first fault is the one to tell.
    const answers = await Promise.allSettled([opening, ...sent])
    const faults = [...answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])), cause]
    throw explain(faults.find((fault) => !isFollowing(fault)) ?? cause)
  } finally {
    client.release(broken)
  }
  if (!options.is_dry) for (const signal of signals) signal()
  return result
}

/**
 * The refusal of a statement behind one that failed: that the transaction is aborted, or, where the statement was sent
 * twice for the first time, that it was never prepared.
 */
const isFollowing = (fault: unknown) =>
  fault instanceof pg.DatabaseError && ['25P02', '26000'].includes(fault.code ?? '')

/** Ends a dry run: what a commit would refuse is refused, and an error that was swallowed is one here too. */
async function rollBack(client: pg.PoolClient, options: TransactionOptions): Promise<{ command: string }> {
  await client.query(within(options, { text: 'set constraints all immediate; rollback' }))
  return { command: 'COMMIT' }
}

/**
 * Opens a transaction before the first statement of a read, and ends it behind those that are sent with it: all travel as
 * one packet. The next statement opens another one, and sees what it would see in the same, since each reads what is
 * committed when it begins. A list takes 0.86 of the processor time of the service and 0.93 of the database's so.
 */
function framesOf(client: pg.PoolClient, options: TransactionOptions, sent: Promise<unknown>[]): () => void {
  const send = (text: string) => {
    const answer = client.query(within(options, { text }))
    answer.catch(() => undefined)
    sent.push(answer)
  }
  let is_open = false
  return () => {
    if (is_open) return
    is_open = true
    // Asked for ahead of the socket's own: what is held back leaves with it.
    process.nextTick(() => {
      is_open = false
      send('commit')
    })
    send(openingOf(options))
  }
}

/** Opens the transaction and answers database time, unless that is known already. */
async function openOn(client: pg.PoolClient, options: TransactionOptions): Promise<string> {
  // A message of several statements has several results, which the types of the driver do not say.
  const message = within(options, { text: openingOf(options) })
  const opened: pg.QueryResult<{ now: string }>[] = [await client.query<{ now: string }>(message)].flat()
  return opened.at(-1)?.rows[0]?.now ?? ''
}

/** A statement of a request ends with it: authorization design 5.4 promises that calls end within 30 s. */
const statement_timeout_ms = 30_000

/** Row locks of a process that hung, or whose host is gone without a word, are free after this. */
const idle_timeout_ms = 60_000

// Two `set local` cost 5 µs, `set_config` in the select 13 µs.
const idle_timeout = `set local idle_in_transaction_session_timeout = ${idle_timeout_ms}`
const timeouts = [`set local statement_timeout = ${statement_timeout_ms}`, idle_timeout]

/** The role that the login of the service takes on for a transaction; `none` is the login itself. */
export const roleNames: Record<Role, string> = {
  app: 'stint_app',
  engine: 'stint_engine',
  lookup: 'stint_lookup',
  operator: 'stint_operator',
  owner: 'none',
}

const settingsOfRole: Record<Role, readonly string[]> = {
  app: timeouts,
  engine: [idle_timeout],
  lookup: timeouts,
  operator: [],
  owner: [],
}

/**
 * The longest wait for an answer; 0 is none. The server ends a statement of a request before; those of the engine are
 * batches, as short as a lease; what an operator starts may take as long as it does.
 */
const answer_ms_max: Record<Role, number> = {
  app: statement_timeout_ms + 5_000,
  lookup: statement_timeout_ms + 5_000,
  engine: 60_000,
  operator: 0,
  owner: 0,
}

/**
 * Gives up on an answer that stays away, and on the connection: from a host that is gone without a word none ever comes,
 * and TCP repeats what was sent to it for a quarter of an hour.
 */
const within = <Message extends pg.QueryConfig>(
  { role, answer_ms_max: given = answer_ms_max[role] }: Pick<TransactionOptions, 'role' | 'answer_ms_max'>,
  message: Message,
): Message => Object.assign(message, { query_timeout: given })

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The one message that opens a transaction: role, organization, timeouts and clock in a single round trip. `SET LOCAL`
 * ends with the transaction, so this also holds behind a transaction-mode pooler.
 */
export function openingOf({ role, organization_id, read_only, now, settings = {} }: TransactionOptions): string {
  // The level is named, because a statement that waited for a lock reads again what the holder changed, whatever the
  // server's default is.
  const parts = [`begin isolation level read committed${read_only ? ' read only' : ''}`]
  if (role !== 'owner') parts.push(`set local role ${roleNames[role]}`)
  parts.push(...settingsOfRole[role])
  for (const [name, value] of Object.entries(settings)) parts.push(`set local ${name} = ${value}`)
  if (organization_id !== undefined) {
    // SET takes no parameters, hence the exact check of what is written into the text.
    if (!uuid.test(organization_id)) throw new TypeError('organization_id is not a lower-case UUID')
    parts.push(`set local app.organization_id = '${organization_id}'`)
  }
  if (now === undefined) parts.push('select app_now()::timestamptz(3) as now')
  return parts.join(';')
}

/** The queries of one transaction. All its statements share one connection. */
export type Transaction = ReturnType<typeof statementsOn>['tx']

interface Surroundings {
  signals: (() => void)[]
  sent: Promise<unknown>[]
  before(): void
  bound(statement: Sql): pg.QueryConfig
}

/**
 * The statements of a transaction until its work has ended. A branch that a failed `Promise.all` left behind must write
 * neither after the rollback nor into the transaction that the connection carries next.
 */
function statementsOn(client: pg.PoolClient, now: () => string, { signals, sent, before, bound }: Surroundings) {
  let ended = false
  let kept_time: string | null = null
  /** Inserts that leave together. */
  const waiting: Sql[] = []
  const refuseLate = () => {
    if (ended) throw new Error('a statement came after the end of its transaction')
  }
  const open = () => {
    refuseLate()
    before()
    return client
  }
  const send = <Row extends object>(statement: Sql): Promise<Row[]> => {
    const answer = open()
      .query<Row>(bound(statement))
      .then(({ rows }) => rows)
    // Looked at with the commit, or when something before it failed.
    answer.catch(() => undefined)
    sent.push(answer)
    return answer
  }
  const sendInserts = () => {
    if (waiting.length > 0) send(together(waiting.splice(0)))
  }
  const inserted = () => {
    sendInserts()
    return open()
  }
  const tx = {
    /** Business time, RFC 3339 with milliseconds: database time, but where the organization has a clock of its own. */
    get now(): string {
      return kept_time ?? now()
    },
    /** Database time at the start of the transaction: of credentials, deliveries and the audit log, also in a sandbox. */
    get real_now(): string {
      return now()
    },
    /** Says what business time is from here on; null: database time. */
    keepTime(at: string | null): void {
      kept_time = at
    },
    rows: async <Row extends object>(statement: Sql): Promise<Row[]> =>
      (await inserted().query<Row>(bound(statement))).rows,
    /** The first row, or undefined. */
    row: async <Row extends object>(statement: Sql): Promise<Row | undefined> =>
      (await inserted().query<Row>(bound(statement))).rows[0],
    /** Rows as they are before what `insert` still holds: of tables that none of it is about. */
    rowsBefore: async <Row extends object>(statement: Sql): Promise<Row[]> =>
      (await open().query<Row>(bound(statement))).rows,
    /** Rows without their first column, which stands beside each: what a list reads for itself is no part of its rows. */
    rowsBeside: async <First, Row extends object>(statement: Sql) =>
      besideFirst<First, Row>(await inserted().query({ ...bound(statement), rowMode: 'array' })),
    /** Runs a statement and answers the number of rows it touched. */
    run: async (statement: Sql): Promise<number> => (await inserted().query(bound(statement))).rowCount ?? 0,
    /**
     * Sends a statement for which the work need not wait: the commit follows it at once, and its failure is that of the
     * transaction. Whoever wants its rows has them when the transaction has committed.
     */
    send: <Row extends object>(statement: Sql): Promise<Row[]> => {
      sendInserts()
      return send<Row>(statement)
    },
    /** An insert for which the work need not wait; those between two other statements travel as one, in no order. */
    insert: (statement: Sql): void => {
      refuseLate()
      waiting.push(statement)
    },
    /** Called after the commit, for signals only: nothing that must not be lost. */
    afterCommit: (signal: () => void) => void signals.push(signal),
  }
  const end = ({ is_done }: { is_done: boolean }) => {
    if (is_done) sendInserts()
    ended = true
  }
  return { tx, end }
}

/** One SQL statement: text with `$n` places and the values bound to them. Values never become text. */
export interface Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

/**
 * Tagged template for SQL. A value becomes a bound parameter; a nested fragment is spliced in:
 * `` sql`select * from contracts where ${sql`status = ${status}`}` ``.
 */
export function sql(strings: readonly string[], ...places: readonly unknown[]): Sql {
  const texts: string[] = [strings[0] ?? '']
  const values: unknown[] = []
  places.forEach((place, index) => {
    const tail = strings[index + 1] ?? ''
    if (!isSql(place)) {
      values.push(place)
      texts.push(tail)
      return
    }
    texts.push(`${texts.pop() ?? ''}${place.strings[0] ?? ''}`, ...place.strings.slice(1))
    values.push(...place.values)
    texts.push(`${texts.pop() ?? ''}${tail}`)
  })
  return { strings: texts, values }
}

/** Joins fragments, e.g. the conditions of a filter with `' and '`; nothing to join gives the `empty` text. */
export function join(fragments: readonly Sql[], separator: string, empty = ''): Sql {
  if (fragments.length === 0) return raw(empty)
  return sql(['', ...fragments.slice(1).map(() => separator), ''], ...fragments)
}

/** Text that the program wrote itself (a column, a direction); never anything a caller sent. */
export function raw(text: string): Sql {
  return { strings: [text], values: [] }
}

/** Writes a row, each column with its value or a fragment; columns that are left out have their defaults. */
export function insertInto(table: string, row: object): Sql {
  const values = Object.values(row).map((value) => sql`${value}`)
  return sql`insert into ${raw(table)} (${raw(Object.keys(row).join(', '))}) values (${join(values, ', ')})`
}

/** Inserts as one statement, all but the last of them in its `with`. */
function together(inserts: readonly Sql[]): Sql {
  const [last = raw(''), ...others] = inserts.toReversed()
  const parts = others.map((insert, place) => sql`part_${raw(String(place))} as (${insert})`)
  return parts.length === 0 ? last : sql`with ${join(parts, ', ')} ${last}`
}

export function textOf(statement: Sql): string {
  let text = statement.strings[0] ?? ''
  for (let place = 1; place < statement.strings.length; place += 1) text += `$${place}${statement.strings[place]}`
  return text
}

function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'strings' in value && 'values' in value
}

const names = new Map<string, string>()

/** Filters combine into many texts; beyond this many, a statement is sent unnamed and parsed anew each time. */
const names_max = 1_000

/**
 * The statement as the driver takes it. The same text has the same name on every connection, so PostgreSQL parses and
 * plans it once per connection.
 */
function prepared(statement: Sql): pg.QueryConfig {
  const { text, values } = unnamed(statement)
  const known = names.get(text)
  if (known === undefined && names.size >= names_max) return { text, values }
  const name = known ?? `s${names.size}`
  names.set(text, name)
  return { text, values, name }
}

const unnamed = (statement: Sql) => ({ text: textOf(statement), values: [...statement.values] })
