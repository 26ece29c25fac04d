import { randomBytes } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { newClientId } from '#authorization/clients/client.ts'
import { newId } from '#core/values.ts'

interface Sent {
  /** The connection, counted from the first that this work took. */
  connection: number
  statement: string | { name?: string; text: string; values: unknown[] }
  /** Sent before the one ahead of it was answered. */
  is_pipelined: boolean
}

/** Statements as one piece of work sent them, in their order. */
export type Recording = Sent[]

/** Records the statements of the service to the database during some work; nothing else may use the pool meanwhile. */
export async function record(pool: Pool, work: () => Promise<unknown>): Promise<Recording> {
  const sent: Recording = []
  const connect = pool.connect.bind(pool)
  let connections = 0
  const watched = async () => {
    const client = await connect()
    const connection = connections
    connections += 1
    return watch(client, connection, sent)
  }
  pool.connect = watched as typeof pool.connect
  try {
    await work()
  } finally {
    pool.connect = connect
  }
  return sent
}

function watch(client: PoolClient, connection: number, sent: Recording): PoolClient {
  const { query, release } = client
  let waiting = 0
  client.query = (async (given: Sent['statement']) => {
    const statement = typeof given === 'string' ? given : { ...given, values: given.values ?? [] }
    sent.push({ connection, statement: plain(statement), is_pipelined: waiting > 0 })
    waiting += 1
    try {
      return await Reflect.apply(query, client, [given])
    } finally {
      waiting -= 1
    }
  }) as typeof client.query
  client.release = (error) => {
    Object.assign(client, { query, release })
    client.release(error)
  }
  return client
}

/** Without the way in which the service has rows built, which is its own affair. */
function plain(statement: Sent['statement']): Sent['statement'] {
  if (typeof statement === 'string') return statement
  const { name, text, values } = statement
  return { text, values, ...(name && { name }) }
}

/** Values of a recording that are another one's in every run, by their text: old to new. */
export type Renewal = Map<string, Buffer | string>

const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|cli_[0-9A-Za-z]{22}/g

/** New digests and ids for those that two recordings of the same work do not have in common. */
export function renewing(recording: Recording, other: Recording): () => Renewal {
  const common = new Set(namesIn(other))
  const own = [...new Set(namesIn(recording))].filter((name) => !common.has(name))
  return () => new Map(own.map((name) => [name, renewedName(name)]))
}

function renewedName(name: string): Buffer | string {
  if (name.startsWith('cli_')) return newClientId()
  return name.includes('-') ? newId(Date.now()) : randomBytes(32)
}

function namesIn(recording: Recording): string[] {
  return recording.flatMap(({ statement }) => {
    if (typeof statement === 'string') return []
    return statement.values.flat().flatMap((value) => {
      if (Buffer.isBuffer(value)) return [value.toString('hex')]
      return typeof value === 'string' ? (value.match(ids) ?? []) : []
    })
  })
}

/** Sends a recording again, straight to the pool, with the same waits and with what the renewal puts in other values' place. */
export async function replay(pool: Pool, recording: Recording, renewal: Renewal): Promise<void> {
  for (let start = 0; start < recording.length; ) {
    const connection = recording[start]?.connection
    const rest = recording.slice(start).findIndex((sent) => sent.connection !== connection)
    const end = rest < 0 ? recording.length : start + rest
    await replayOn(pool, recording.slice(start, end), renewal)
    start = end
  }
}

async function replayOn(pool: Pool, part: Recording, renewal: Renewal): Promise<void> {
  const client = await pool.connect()
  try {
    let pending: Promise<unknown>[] = []
    for (const { statement, is_pipelined } of part) {
      if (!is_pipelined) {
        await Promise.all(pending)
        pending = []
      }
      pending.push(client.query(renewed(statement, renewal)))
    }
    await Promise.all(pending)
  } finally {
    client.release()
  }
}

function renewed(statement: Sent['statement'], renewal: Renewal) {
  if (typeof statement === 'string') return statement
  return { ...statement, values: statement.values.map((value) => renewedValue(value, renewal)) }
}

function renewedValue(value: unknown, renewal: Renewal): unknown {
  if (Array.isArray(value)) return value.map((item) => renewedValue(item, renewal))
  if (Buffer.isBuffer(value)) return renewal.get(value.toString('hex')) ?? value
  if (typeof value !== 'string') return value
  return value.replace(ids, (id) => String(renewal.get(id) ?? id))
}
