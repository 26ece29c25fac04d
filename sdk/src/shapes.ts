import type { DryRunAnswer } from './generated/types.ts'
import type { FollowedListing, Listing } from './listing.ts'

/** One of these words, or one that a newer service has added: a client must let it pass. */
export type Open<Words extends string> = Words | (string & Record<never, never>)

export type Nothing = Record<string, never>

/** One page of a list. */
export interface Page<Row> {
  data: Row[]
  /** Of the next page; null on the last one. A feed has one on each page. */
  cursor: string | null
  has_more: boolean
  /** Rows matching the filters, over all pages. */
  total_count: number
}

export interface CallOptions {
  /** Ends the call, with its retries and waits. */
  signal?: AbortSignal | undefined
  /** For one try; in place of that of the client. */
  timeout_ms?: number | undefined
  /** In place of that of the client. */
  retries_max?: number | undefined
}

/** Options of lists and exports. */
export interface ListOptions extends CallOptions {
  /** It has to show everything that was committed, also where the service reads lists from a replica that may be behind. */
  latest?: boolean | undefined
}

export interface ChangeOptions extends CallOptions {
  /** Rehearses the change: nothing of it stays. The answer has a `dry_run` with its effects and their digest. */
  dry_run?: boolean | undefined
  /** The `dry_run.digest` of that: the change is made only if it would still do the same. */
  confirm?: string | undefined
}

/** Options of operations that are repeatable by a key (POST, PATCH). */
export interface Keyed {
  /** A key of your own, for repeating the call beyond this process; every call has one anyway. */
  idempotency_key?: string | undefined
}

/** Options of operations that act on a resource which has a version. */
export interface Versioned {
  /** The change is made only if the resource still is as it was read: that answer itself, or its `ETag`. */
  if_match?: string | object | undefined
}

/** Options of reads of a resource which has a version. */
export interface Conditional {
  /** The version that is known: an answer that was read, or its `ETag`. The answer is null while it is still that one. */
  if_none_match: string | object | undefined
}

/** The input may be left out where nothing of it is needed. */
type Arguments<Input, Options> =
  Record<never, never> extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options]

type Rehearsed<Answer> = Answer extends object ? Answer & DryRunAnswer : DryRunAnswer

export type Read<Input, Answer> = (...given: Arguments<Input, CallOptions>) => Promise<Answer>
/** A read that may ask for what has changed since. */
export interface ReadVersion<Input, Answer> {
  (input: Input, options: CallOptions & Conditional): Promise<Answer | null>
  (...given: Arguments<Input, CallOptions & { if_none_match?: undefined }>): Promise<Answer>
}
/** The answer is a file with its name and media type. */
export type ReadFile<Input> = (...given: Arguments<Input, ListOptions>) => Promise<File>
export type List<Input, Row> = (...given: Arguments<Input, ListOptions>) => Listing<Row>
export type FollowedList<Input, Row> = (...given: Arguments<Input, ListOptions>) => FollowedListing<Row>

export interface Change<Input, Answer, More = unknown> {
  (input: Input, options: ChangeOptions & More & { dry_run: true }): Promise<Rehearsed<Answer>>
  (...given: Arguments<Input, ChangeOptions & More & { dry_run?: false | undefined }>): Promise<Answer>
}
