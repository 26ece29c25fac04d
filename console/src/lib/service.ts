import { createStint } from '#sdk/index.ts'
import { apiErrorOf, call } from './api.ts'
import { isAttended } from './attended.ts'
import { askAgain, queries } from './queries.ts'

interface Connection {
  organization_id: string
  /** The person as whom a worker acts; absent for members. */
  person_id?: string
  /** Has the person prove again who it is; false when the person would not. */
  prove(why: 'signed_out' | 'old_proof'): Promise<boolean>
  /** Something was refused that the page offered: the role may be another one by now. */
  refused?(): void
}

let connection: Connection | undefined

/** Says for which organization this window acts; before anything is asked. */
export function connect(to: Connection): void {
  if (connection?.organization_id !== to.organization_id) queries.clear()
  connection = to
}

const base_url = `${location.origin}/console/rest/v2`

/** A person who is asked for the password takes as long as it takes; each request has its own limit. */
const answer_limit_ms = 30_000
const person_limit_ms = 900_000

/**
 * The client of the public API, as the person who is signed in. It is not asked again by itself: a person sees what went
 * wrong, and decides.
 */
export const stint = createStint({ base_url, retries_max: 0, timeout_ms: person_limit_ms, fetch: fetchBySession })

/** Operations by the names that the API gives them; answers are kept under these. */
const names = new WeakMap<object, string>()
for (const [group, verbs] of Object.entries(stint)) {
  for (const [verb, operation] of Object.entries<object>(verbs)) names.set(operation, `${group}.${verb}`)
}

export const nameOf = (operation: object): string | undefined => names.get(operation)

/** For a function that asks the same as an operation with this name. */
export function giveName(operation: object, name: string | undefined): void {
  if (name !== undefined) names.set(operation, name)
}

/**
 * Sends a request as a page of the console. One whose session or proof is over is asked for the password on the spot, and the
 * request is made again: what was typed into a form is not lost.
 */
async function fetchBySession(url: string, init: RequestInit): Promise<Response> {
  const isWrite = init.method !== undefined && init.method !== 'GET'
  // The client makes of it what it makes of a lost connection.
  if (isWrite && !navigator.onLine) throw new TypeError('offline')
  const answer = await sendProved(url, init)
  // A refusal by how things are says that the page shows them as they were.
  const isNews = answer.ok ? !new Headers(init.headers).has('stint-dry-run') : stale_statuses.has(answer.status)
  if (isWrite && isNews) askAgain()
  return answer
}

const stale_statuses: ReadonlySet<number> = new Set([404, 409, 410, 412])

async function sendProved(url: string, init: RequestInit): Promise<Response> {
  const answer = await send(url, init)
  const code = await codeOf(answer)
  if (code === 'insufficient_scope') connection?.refused?.()
  const why = whyRefused(code)
  if (why === null || !connection || !(await connection.prove(why))) return answer
  return send(url, init)
}

function send(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('stint-console', '1')
  headers.set('stint-organization', connection?.organization_id ?? '')
  // A page that asks by itself keeps no session alive.
  if (!isAttended()) headers.set('stint-unattended', '1')
  if (connection?.person_id !== undefined) headers.set('stint-person', connection.person_id)
  const isStream = headers.get('accept') === 'text/event-stream'
  const signals = [...(init.signal ? [init.signal] : []), ...(isStream ? [] : [AbortSignal.timeout(answer_limit_ms)])]
  return fetch(url, { ...init, headers, credentials: 'same-origin', signal: AbortSignal.any(signals) })
}

/** The code of a refusal that says something of the person; null for everything else. */
async function codeOf(answer: Response): Promise<string | null> {
  if (answer.status !== 401 && answer.status !== 403) return null
  const problem: unknown = await answer
    .clone()
    .json()
    .catch(() => null)
  return typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : null
}

function whyRefused(code: string | null): 'signed_out' | 'old_proof' | null {
  if (code === 'unauthenticated') return 'signed_out'
  return code === 'reauthentication_required' ? 'old_proof' : null
}

/** The answer of a list as it grows, as a stream of server-sent events: the page tells whether it is still connected. */
export function openStream(path: string, last_id: string | null, signal: AbortSignal): Promise<Response> {
  const headers = { accept: 'text/event-stream', ...(last_id !== null && { 'last-event-id': last_id }) }
  return send(base_url + path, { headers, signal })
}

/** Values of a query string; those that are not set are left out, and a list goes as `name[]`. */
export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>

export function queryOf(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) search.append(`${name}[]`, one)
    else if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}

/** Calls an endpoint of the console's own that may ask for a fresh proof; the person gives it on the spot, as for an operation. */
export async function callProved<Answer>(...request: Parameters<typeof call>): Promise<Answer> {
  try {
    return await call<Answer>(...request)
  } catch (thrown) {
    const { status, code } = apiErrorOf(thrown)
    const isOld = code === 'reauthentication_required'
    if (!(status === 401 || isOld) || !connection) throw thrown
    if (!(await connection.prove(isOld ? 'old_proof' : 'signed_out'))) throw thrown
    return call<Answer>(...request)
  }
}
