import { ConnectionError, ProblemError, refusalOf } from './errors.ts'
import type { CallOptions } from './shapes.ts'

export interface StintOptions {
  /** Address of the service: `https://stint.example`, with or without the `/rest/v2` of its REST base address. */
  base_url: string
  /**
   * A token, or a function that gives the one to use now; after a 401 it is asked once more, with the token that was
   * `refused`. None where `fetch` brings a credential of its own.
   */
  token?: string | ((refused?: string) => string | Promise<string>) | undefined
  /** In place of the global one. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** For one try, to the last byte of its answer; 60 s unless told. */
  timeout_ms?: number | undefined
  /** Tries after the first one; 3 unless told. */
  retries_max?: number | undefined
  /** Waits between two tries; a timer unless told. */
  sleep?: ((time_ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}

export interface HttpRequest {
  method: string
  /** Below the REST base address, with its query. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** A repeat does nothing again, whatever became of this one. */
  is_repeatable: boolean
  is_removal: boolean
}

/** A response that has begun, and the deadline that its reader renews and ends. */
export interface Begun {
  response: Response
  deadline: Deadline
}

export type Transport = ReturnType<typeof createTransport>

const timeout_ms_default = 60_000
const retries_max_default = 3
const backoff_first_ms = 500
const backoff_max_ms = 8_000
/** A service that asks for a longer wait is asked again by the caller, not by us. */
const retry_after_max_ms = 60_000
/** A timer of more fires at once. */
const timer_max_ms = 2 ** 31 - 1

/** Sends requests: credential, time limits and retries. */
export function createTransport(options: StintOptions) {
  const { token, sleep = wait } = options
  const base_url = restAddress(options.base_url)
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)

  const credentialNow = async () => (typeof token === 'function' ? token() : token)

  /** Another credential than the one that was refused, where there may be one. */
  async function credentialAfter(refused: string | undefined): Promise<string | undefined> {
    const other = typeof token === 'function' && refused !== undefined ? await token(refused) : refused
    return other === refused ? undefined : other
  }

  /** One try, up to the beginning of an answer that is no refusal. */
  async function begin({ method, path, body }: HttpRequest, headers: Headers, call: CallOptions): Promise<Begun> {
    const deadline = startDeadline(call.timeout_ms ?? options.timeout_ms ?? timeout_ms_default, call.signal)
    try {
      const init: RequestInit = { method, headers, redirect: 'error', signal: deadline.signal }
      const response = await fetch(base_url + path, body === undefined ? init : { ...init, body })
      const isKnown = response.status === 304 && headers.has('If-None-Match')
      if (!response.ok && !isKnown) throw await refusalOf(response)
      return { response, deadline }
    } catch (error) {
      deadline.end()
      throw error
    }
  }

  /** Sends a request, again where that is safe, until `read` has its answer. */
  async function send<Answer>(
    request: HttpRequest,
    call: CallOptions,
    read: (begun: Begun) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { signal } = call
    const retries_max = call.retries_max ?? options.retries_max ?? retries_max_default
    let wasLost = false
    let renewed: string | undefined
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted()
      // A token that cannot be had, or a header that cannot be sent, is no lost answer.
      const credential = renewed ?? (await credentialNow())
      const headers = headersFor(request, credential)
      try {
        return await read(await begin(request, headers, call))
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        // A credential is refused before anything is done, so whatever was asked for may be asked for again: once.
        if (isProblem(error, 401) && renewed === undefined) {
          renewed = await credentialAfter(credential)
          if (renewed !== undefined) continue
        }
        // An earlier try of ours removed it, and its answer was lost. The cast holds because a removal answers nothing.
        if (wasLost && request.is_removal && isProblem(error, 404)) return undefined as Answer
        wasLost ||= isLost(error)
        const wait_ms = mayRepeat(request, error) && tries <= retries_max ? waitAfter(error, tries) : null
        if (wait_ms === null) throw finalError(request, error, tries)
        await sleep(wait_ms, signal)
      }
    }
  }

  return { send, sleep }
}

function headersFor({ headers }: HttpRequest, credential: string | undefined): Headers {
  const all = new Headers(headers)
  if (credential !== undefined) all.set('Authorization', `Bearer ${credential}`)
  return all
}

function restAddress(base_url: string): string {
  const { protocol, hostname, origin, pathname } = new URL(base_url)
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !isHere) throw new TypeError(`base_url: ${base_url} would show the token to everybody`)
  const path = pathname.replace(/\/+$/, '')
  return `${origin}${path.endsWith('/rest/v2') ? path : `${path}/rest/v2`}`
}

const isProblem = (error: unknown, ...statuses: number[]) =>
  error instanceof ProblemError && statuses.includes(error.status)

/** Nobody knows whether the request was carried out. A 503 may stand for a commit whose outcome the service lost. */
const isLost = (error: unknown) => !(error instanceof ProblemError) || isProblem(error, 502, 503, 504)

function mayRepeat({ is_repeatable }: HttpRequest, error: unknown): boolean {
  // Both were refused before anything was done; the second waits for an earlier try that still runs.
  const isWaiting = error instanceof ProblemError && error.code === 'idempotency_in_progress'
  return isProblem(error, 429) || isWaiting || (isLost(error) && is_repeatable)
}

/** Milliseconds until the next try: `Retry-After`, else a wait that doubles; by chance, so that clients spread. */
function waitAfter(error: unknown, tries: number): number | null {
  const spread_ms = Math.random() * Math.min(backoff_max_ms, backoff_first_ms * 2 ** (tries - 1))
  const told = error instanceof ProblemError ? error.headers.get('retry-after') : null
  if (told === null) return spread_ms
  // Seconds or a date (RFC 9110 §10.2.3).
  const after_ms = /^\d+$/.test(told) ? Number(told) * 1_000 : Math.max(0, Date.parse(told) - Date.now()) || 0
  return after_ms > retry_after_max_ms ? null : after_ms + spread_ms
}

/** The error that a caller sees, with the key under which the same call can be made again. */
function finalError({ method, path, headers }: HttpRequest, cause: unknown, tries: number): Error {
  const idempotency_key = headers['Idempotency-Key'] ?? null
  if (cause instanceof ProblemError) return Object.assign(cause, { idempotency_key })
  const why = cause instanceof Error ? cause.message : String(cause)
  const times = tries === 1 ? 'one try' : `${tries} tries`
  const message = `${method} ${path.split('?')[0]} had no answer after ${times}: ${why}`
  return new ConnectionError(message, { cause, tries, idempotency_key })
}

export type Deadline = ReturnType<typeof startDeadline>

/** A signal that aborts with the caller's, or when the time is over; `renew` begins the time anew. */
function startDeadline(wanted_ms: number, signal: AbortSignal | undefined) {
  const time_ms = Math.min(wanted_ms, timer_max_ms)
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  const expire = () => controller.abort(new DOMException(`no answer within ${time_ms} ms`, 'TimeoutError'))
  let timer = setTimeout(expire, time_ms)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    renew() {
      clearTimeout(timer)
      timer = setTimeout(expire, time_ms)
    },
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
    /** Ends it, and a connection that is still read from. */
    cut() {
      this.end()
      controller.abort()
    },
  }
}

function wait(time_ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, time_ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
