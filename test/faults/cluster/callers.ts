import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { contract } from '../support/load.ts'

/** As many as this call at once, each one call after the other. */
const callers = 6
const pause_ms = 250
/** A try that is not answered within this is given up, and made at the other address. */
const patience_ms = 5_000
const connect_ms = 2_000
const again_ms = 100
/** An address that failed is passed over for this long while another one is there, as a balancer does. */
const passed_over_ms = 2_000
/** The outcome of these is what the key finds out. */
const repeated_statuses = [409, 500, 502, 503]

export interface Acknowledged {
  at_ms: number
  /** From the first try to the acknowledgement. */
  waited_ms: number
}

export interface Calls {
  /** By the id of the contract. */
  acknowledged: Map<string, Acknowledged>
  /** Tries that failed, by what the caller saw. */
  failed: { at_ms: number; why: string }[]
  /** Contracts that were acknowledged and then not found. */
  missing: string[]
  stop(): Promise<void>
}

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  body: any
}

export type Caller = ReturnType<typeof createCaller>

/** A client that knows all addresses of the service, as a name with several addresses gives them. */
export function createCaller(
  addresses: readonly string[],
  { host, ca, token }: { host: string; ca: string; token: string },
) {
  const agent = new Agent({
    connect: { ca, servername: host, timeout: connect_ms },
    ...{ headersTimeout: patience_ms, bodyTimeout: patience_ms, connections: callers },
  })
  const failed: Calls['failed'] = []
  const passed_over = new Map<string, number>()
  const isPassedOver = (address: string) => (passed_over.get(address) ?? 0) > performance.now()
  const next = (tries: number) => {
    const open = addresses.filter((address) => !isPassedOver(address))
    const among = open.length > 0 ? open : addresses
    return among[tries % among.length] ?? ''
  }
  async function once(
    address: string,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    key?: string,
  ): Promise<Answer> {
    const answer = await request(`https://${address}:8443/rest/v2${path}`, {
      ...{ method, dispatcher: agent },
      headers: {
        host: `${host}:8443`,
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: await answer.body.json() }
  }
  return {
    failed,
    /** Goes on, from one address to the next, until it is answered; the key makes repeats harmless. */
    async call(method: 'GET' | 'POST', path: string, body?: object, key?: string): Promise<Answer> {
      for (let tries = Math.floor(Math.random() * addresses.length); ; tries += 1) {
        const address = next(tries)
        try {
          const answer = await once(address, method, path, body, key)
          if (!repeated_statuses.includes(answer.status)) return answer
          failed.push({ at_ms: performance.now(), why: `${answer.status} ${answer.body.code ?? ''}`.trim() })
        } catch (error) {
          failed.push({ at_ms: performance.now(), why: wordOf(error) })
          passed_over.set(address, performance.now() + passed_over_ms)
        }
        await delay(again_ms)
      }
    },
    close: () => agent.destroy(),
  }
}

function wordOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'no answer'
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(code)) return 'no connection'
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code)) return 'connection broken'
  throw error
}

/** Creates contracts without pause and reads each of them back. */
export function keepCalling(caller: Caller): Calls {
  const acknowledged: Calls['acknowledged'] = new Map()
  const missing: string[] = []
  let running = true
  const work = async () => {
    while (running) {
      const [key, began_ms] = [randomUUID(), performance.now()]
      const { status, body } = await caller.call('POST', '/contracts', contract(key), key)
      assert.equal(status, 201, JSON.stringify(body))
      const at_ms = performance.now()
      acknowledged.set(body.id, { at_ms, waited_ms: at_ms - began_ms })
      const read = await caller.call('GET', `/contracts/${body.id}`)
      if (read.status !== 200) missing.push(body.id)
      await delay(pause_ms)
    }
  }
  const all = Promise.all(Array.from({ length: callers }, work))
  // Looked at when the load is stopped.
  all.catch(() => undefined)
  return {
    ...{ acknowledged, missing, failed: caller.failed },
    async stop() {
      running = false
      await all
    },
  }
}
