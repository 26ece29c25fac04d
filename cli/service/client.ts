import { setTimeout as pause } from 'node:timers/promises'
import about from '../../package.json' with { type: 'json' }
import { ConnectionError } from '../../sdk/src/errors.ts'
import { follow as followStream } from '../../sdk/src/follow.ts'
import type { Followed } from '../../sdk/src/listing.ts'
import { createTransport } from '../../sdk/src/transport.ts'
import type { Connection } from './connection.ts'
import type { Json } from './document.ts'

export interface Request {
  method: string
  /** Below the REST base address, query included. */
  path: string
  headers?: Record<string, string>
  body?: Json
  /** A repeat does nothing again. */
  is_repeatable: boolean
}

export interface Answer {
  status: number
  headers: Headers
  /** The parsed JSON, or the bytes of a file; null where there is none. */
  body: unknown
}

/** Sends a request by the runtime of the SDK, which waits and repeats; waits are told on standard error. */
export async function send(connection: Connection, request: Request): Promise<Answer> {
  const { body, headers, ...rest } = request
  const sent = {
    ...rest,
    headers: { ...own_headers, ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
    is_removal: request.method === 'DELETE' && !headers?.['Stint-Dry-Run'],
  }
  const answer = await transportOf(connection, tellWait, 'the service asks to wait').send(
    sent,
    {},
    async ({ response, deadline }) => {
      try {
        return { status: response.status, headers: response.headers, body: await contentOf(response) }
      } finally {
        deadline.end()
      }
    },
  )
  // A removal whose answer was lost and that was not found when it was sent again is answered by nothing.
  return answer ?? { status: 204, headers: new Headers(), body: null }
}

const own_headers = { Accept: 'application/json', 'User-Agent': `stint-cli/${about.version}` }

async function contentOf(response: Response): Promise<unknown> {
  const bytes = Buffer.from(await response.arrayBuffer())
  if (bytes.length === 0) return null
  return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(bytes.toString()) : bytes
}

/** Told the reason when a connection is lost or asked to wait, and null when there is one again. */
export type Connected = (why: string | null) => void

export interface Following {
  /** The id behind which to go on. */
  from: string | undefined
  signal: AbortSignal
  connected: Connected
}

/** Follows a list of the service from a place on; connections that end are opened again. */
export function follow(
  connection: Connection,
  path: string,
  { from, signal, connected }: Following,
): AsyncGenerator<Followed<Json>, void, undefined> {
  const transport = transportOf(connection, connected, 'the service ended it')
  const request = { method: 'GET', path, headers: own_headers, is_repeatable: true, is_removal: false }
  return followStream<Json>(transport, request, { signal }, from)
}

/** `else_why` is told where no request has failed. */
function transportOf(connection: Connection, connected: Connected, else_why: string) {
  let failure: unknown = null
  return createTransport({
    base_url: connection.base_url,
    token: (refused) => connection.token(refused),
    fetch: async (url, init) => {
      failure = null
      try {
        const response = await fetch(url, init)
        if (response.ok) connected(null)
        return response
      } catch (error) {
        failure = error
        throw error
      }
    },
    async sleep(time_ms, signal) {
      // No repeat makes an authority known.
      if (failure !== null && isUntrusted(failure))
        throw new ConnectionError('the certificate is not trusted', { cause: failure, tries: 1, idempotency_key: null })
      connected(failure === null ? else_why : reasonOf(failure))
      await pause(time_ms, undefined, { ...(signal && { signal }) })
    },
  })
}

function tellWait(why: string | null): void {
  if (why !== null) process.stderr.write(`stint: ${why}; trying again\n`)
}

const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** The innermost reason of a request that failed. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error
}

const isUntrusted = (error: unknown) => untrusted.has(codeOf(rootOf(error)))

/** Names the reason of a request that had no answer, in words that lead on. */
export function reasonOf(error: unknown): string {
  const root = rootOf(error)
  const code = codeOf(root)
  if (untrusted.has(code))
    return `its certificate is of an unknown authority (${code}). Name that authority: \`stint login --ca-file data/tls/ca.pem\`, or STINT_CA_FILE`
  if (code === 'ECONNREFUSED') return 'nothing listens there (ECONNREFUSED); is the service running?'
  if (code === 'ENOTFOUND') return 'its name is unknown (ENOTFOUND)'
  return root instanceof Error ? root.message : String(root)
}
