import { ApiError, ask, type Method, send } from './api.ts'

/** Values of a query string; those that are not set are left out, and a list goes as `name[]`. */
export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>

interface Connection {
  organization_id: string
  /** Has the person give the password again; false when the person would not. */
  prove(why: 'signed_out' | 'old_proof'): Promise<boolean>
}

let connection: Connection | undefined

/** Says for which organization this window acts; once, before anything is asked. */
export function connect(to: Connection): void {
  connection = to
}

const base = '/console/rest/v2'

/**
 * Calls an operation of the public API as the person who is signed in. One whose session or proof is over is asked for the
 * password on the spot, and the call is made again: what was typed into a form is not lost.
 */
export async function request<Answer>(
  method: Method,
  path: string,
  { query, body, key }: { query?: Query; body?: unknown; key?: string } = {},
): Promise<Answer> {
  const headers = { ...organizationHeader(), ...(key !== undefined && { 'idempotency-key': key }) }
  const make = () =>
    ask<Answer>(method, `${base}${path}${queryOf(query)}`, { headers, ...(body !== undefined && { body }) })
  try {
    return await make()
  } catch (error) {
    if (!(await isProvedAfter(error))) throw error
    return make()
  }
}

/** The answer of a list as it grows, as a stream of server-sent events. */
export function openStream(path: string, query: Query, last_id: string | null, signal: AbortSignal): Promise<Response> {
  const headers = {
    ...organizationHeader(),
    accept: 'text/event-stream',
    ...(last_id !== null && { 'last-event-id': last_id }),
  }
  return send('GET', `${base}${path}${queryOf(query)}`, { headers, signal })
}

function organizationHeader() {
  return { 'stint-organization': connection?.organization_id ?? '' }
}

async function isProvedAfter(error: unknown): Promise<boolean> {
  if (!(error instanceof ApiError) || !connection) return false
  if (error.code === 'unauthenticated') return connection.prove('signed_out')
  return error.code === 'reauthentication_required' && connection.prove('old_proof')
}

export function queryOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) search.append(`${name}[]`, one)
    else if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}
