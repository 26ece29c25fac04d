import type { Caller } from './caller.ts'
import type { Conditions } from './entity-tag.ts'
import type { RegisteredOperation } from './registry.ts'

/** One call of an operation, as any surface makes it. */
export interface Call {
  operation: RegisteredOperation
  caller: Caller
  /** Flat input: path, query and body fields together. */
  input: unknown
  /** The input came as text (path and query) and is read by declared type. */
  from_text: boolean
  /** The fields of the path came in an address; elsewhere a malformed id is a mistake in the input like any other. */
  from_url?: boolean
  request_id: string
  trace_id: string | null
  address: string | null
  /** Which way in it took, for the audit log. */
  surface?: string
  idempotency_key?: string | undefined
  /** Conditions that the resource has to meet for the call to be made. */
  conditions?: Conditions
  /** What the operation looked up beforehand; set by `invoke`. */
  prepared?: unknown
}

/** An answer before it has bytes. */
export interface Answer {
  status: number
  body: unknown
  replayed: boolean
  /** Path of the new resource, for `Location`. */
  location: string | null
  /** Version of the resource that the body is, for `ETag`. */
  etag: string | null
  /** Categories of the answer's schema that the caller was not granted. */
  withheld: readonly string[]
}

export type Input = Record<string, unknown>
