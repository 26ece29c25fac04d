import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { clientFor } from '#test/process.ts'

export type Client = Awaited<ReturnType<typeof clientFor>>

const writers = 4
const progress_limit_ms = 60_000
/** While the service or its database is away a call is refused or cut; its outcome is what the key finds out. */
const repeated_statuses = [409, 500, 503]

export interface Load {
  /** Waits until so many more contracts were acknowledged. */
  progress(contracts: number): Promise<void>
  /** Ends the load; answers the ids of the contracts that were acknowledged. */
  stop(): Promise<Set<string>>
}

/** Creates contracts without pause; a call that was cut is repeated under its key until it is answered. */
export function writeContracts(client: Client, base: string, pause_ms = 0): Load {
  const acknowledged = new Set<string>()
  let running = true
  const create = async (key: string): Promise<void> => {
    for (;;) {
      const answer = await client
        .call('POST', `${base}/contracts`, contract(key), { 'idempotency-key': key })
        .catch(() => null)
      if (answer?.status === 201) {
        acknowledged.add(answer.body.id)
        return
      }
      if (answer) assert.ok(repeated_statuses.includes(answer.status), JSON.stringify(answer.body))
      await delay(20)
    }
  }
  const writer = async () => {
    while (running) {
      await create(randomUUID())
      await delay(pause_ms)
    }
  }
  const all = Promise.all(Array.from({ length: writers }, writer))
  return {
    async progress(contracts) {
      const wanted = acknowledged.size + contracts
      const until = Date.now() + progress_limit_ms
      while (acknowledged.size < wanted) {
        assert.ok(Date.now() < until, `${acknowledged.size} of ${wanted} contracts after ${progress_limit_ms} ms`)
        await delay(10)
      }
    },
    async stop() {
      running = false
      await all
      return acknowledged
    },
  }
}

/** The body of a new contract. */
export function contract(key: string) {
  return {
    type: 'fixed_rate',
    title: `Contract ${key}`,
    external_id: key,
    worker: { first_name: 'Mira', last_name: 'Sato', email: `${key}@example.org`, country: 'DE' },
    start_date: new Date().toISOString().slice(0, 10),
    compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
  }
}

export async function readAllContracts(
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  client: { call(method: 'GET', url: string): Promise<{ status: number; body: any }> },
  base: string,
): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await client.call('GET', `${base}/contracts?limit=100${cursor && `&cursor=${cursor}`}`)
    assert.equal(page.status, 200, JSON.stringify(page.body))
    for (const { id } of page.body.data) ids.add(id)
    cursor = page.body.cursor
  }
  return ids
}
