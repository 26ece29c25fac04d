import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Transaction } from '#db/database.ts'
import type { Caller, Role, Scope } from './caller.ts'
import type { ListQuery } from './list.ts'
import {
  bodyTooLarge,
  clockAdvancing,
  confirmationOutdated,
  dryRunUnsupported,
  headersTooLarge,
  httpsRequired,
  idempotencyInProgress,
  idempotencyKeyReused,
  insufficientScope,
  internalError,
  invalidCursor,
  malformedJson,
  notFound,
  type ProblemType,
  preconditionFailed,
  rateLimited,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
  userRequired,
  validationFailed,
} from './problems.ts'
import type { Page } from './schema/schema.ts'
import type { Secrets } from './secrets.ts'

/**
 * The parts that rooms hand their own operations: settings, guards, signals, made once at the start. The core knows no
 * room; each adds its part by declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by the rooms
export interface Rooms {}

/** A transaction of the ledger as a dry run tells it, without what others move meanwhile; withheld by the rules of its schema. */
export interface Posting {
  readonly told: object
  withhold(told: object, granted: ReadonlySet<string>): object
}

/** A call under an Idempotency-Key, as its answer is kept. */
export interface KeptAs {
  organization_id: string
  key_digest: Buffer
  body_digest: Buffer
}

/** The context of a handler, beside its input. */
export interface Context<Events extends EventType = EventType, Prepared = unknown> {
  readonly caller: Caller
  readonly tx: Transaction
  /** Business time of this request: RFC 3339, UTC, milliseconds. */
  readonly now: string
  readonly request_id: string
  /** Of the W3C Trace Context that the caller sent. */
  readonly trace_id: string | null
  /** Keys for sealing and digests. */
  readonly secrets: Secrets
  readonly rooms: Rooms
  /** The answer of `prepare`. */
  readonly prepared: Prepared
  /** A new id whose time part is the clock of the service. */
  newId(): string
  /** Records one event with its entries; written with the transaction. Only declared events compile. */
  emit<Type extends Events>(type: Type, ...entries: [Static<Type['entry']>, ...Static<Type['entry']>[]]): void
  /** Records a transaction of the ledger that was booked, for the answer of a dry run. */
  posted(posting: Posting): void
  /**
   * The input names a field that the caller may not see. Such a write counts as a change, equal or not: what depends on
   * the comparison would tell the stored value.
   */
  readonly writes_withheld: boolean
  /** The call as its answer is to be kept for repeats, where whatever ends it keeps that (`finish`). */
  readonly kept_as: KeptAs | null
  /** Says that everything already was as the input wants it: no audit line is written, and no event may be. */
  unchanged(): void
  /** Names what the audit line is about when it is not the row in the answer or the path. */
  audit(subject: { kind?: string; id?: string; changed_fields?: readonly string[] }): void
  /** Reads the page that `limit`, `cursor` and `updated_after` of the input ask for. */
  page<Row extends object, Item>(list: ListQuery, itemOf: (row: Row) => Item): Promise<Page<Item>>
  /** The same over rows that the program holds itself, ordered by a unique text. */
  pageOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): Page<Item>
}

/** One row of a list, told when it came or changed. */
export interface StreamItem {
  /** The place from which a client that has seen this one goes on. */
  id: string
  /** Shaped as the rows of the list. */
  data: unknown
}

export interface StreamPart {
  /** Oldest first. */
  items: StreamItem[]
  /** The place from which a client that has seen all of this goes on. */
  position: string
  /** More is there already. */
  has_more: boolean
}

/** Follows one list for one client and remembers how far it has come. */
export interface StreamReader {
  /** Reads the news since the last read. Called again and again, each time in a transaction of its own. */
  read(context: Context): Promise<StreamPart>
}

/**
 * Names the field of an answer that holds a secret. A repeat under an Idempotency-Key shows it for an hour, as long as
 * `stands` says that it can still be used; then it is null.
 */
export interface RevealedSecret<Answer = unknown> {
  field: string
  /** Every operation that makes a secret says so; a read is never repeated. */
  stands?(answer: Answer, context: Pick<Context, 'tx' | 'caller' | 'secrets'>): Promise<boolean>
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** The form in which an operation is offered to models. */
export interface ToolDefinition<Arguments> {
  /** `verb_noun`. */
  name: string
  /** Its effect, what is required when, and what usually follows. */
  text: string
  /** A call as it would be made; every tool that creates something has one. */
  example?: Partial<Arguments>
  /** Ids that its answer yields for arguments of other tools: the argument, and where in the answer it stands. */
  yields?: Readonly<Record<string, string>>
  /** Objects among the arguments whose fields another tool lists, with the words that say so. */
  told?: Readonly<Record<string, string>>
  /** Fields of the rows of a list that cost a model more than they tell; REST has them. */
  omits?: readonly string[]
  /** It signs, ends or pays: a call needs the digest of a dry run. */
  needs_confirm?: boolean
  /** It reaches people outside the service. */
  outside?: boolean
}

/** A form of an answer other than JSON. It is made from what the caller may see: withheld fields are null in it too. */
export interface FileForm<Answer> {
  media_type: 'text/csv; charset=utf-8' | 'application/pdf'
  /** The name under which a browser stores it. */
  file_name(answer: Answer): string
  write(answer: Answer, caller: Pick<Caller, 'organization_id'>): string | Promise<Uint8Array>
}

/** One operation of the service; REST, OpenAPI, tools, reference, audit and tests are derived from it. */
export interface OperationDefinition<
  Input extends TObject,
  Output extends TSchema,
  Events extends readonly EventType[],
  Prepared = unknown,
> {
  /** `resources.verb`, unique. */
  id: string
  summary: string
  /** Further words for the reference. */
  description?: string
  method: Method
  /** Below the REST base address; a field named `:field` travels in the path, the others in query (GET, DELETE) or body. */
  path: `/${string}`
  /** Any one of them suffices; an empty list asks for any valid credential. */
  scopes: readonly Scope[]
  /** Scopes of which a caller needs one for more than its own, where `scopes` is empty; the handler checks it. */
  scopes_for_others?: readonly Scope[]
  /** Roles that may call it, for callers who have one; absent: all. */
  roles?: readonly Role[]
  /** It is a person's to do: no token of the organization may call it. */
  only_users?: true
  input: Input
  output: Output
  /** The answer travels as a file. */
  file?: FileForm<Static<Output>>
  /** 201 for what makes a resource, 204 for what answers nothing; 200 otherwise. */
  status?: 200 | 201 | 204
  /** Path of the resource that a 201 made, when it is not `path` + `/` + `id`. */
  location?: (output: Static<Output>, input: Static<Input>) => string
  problems?: readonly ProblemType[]
  emits?: Events
  reveals_secret?: RevealedSecret<Static<Output>>
  /** The audit log's word for the subject, when it is not the first part of the id. */
  subject?: string
  /** A text written for a model makes this operation a tool. */
  tool?: ToolDefinition<Static<Input>>
  /**
   * Looks up what needs the network, before the transaction begins. It only finds out: `handle` refuses, so that a kept
   * answer is repeated whatever the network says now.
   */
  prepare?(input: Static<Input>, rooms: Rooms, caller: Caller): Promise<Prepared>
  /** It cannot be made dry, and holds the clock of a sandbox alone; `finish` does what follows its first transaction. */
  spans_transactions?: true
  /** Does the rest behind the commit, in transactions of its own; whatever ends it keeps the answer (`kept_as`). */
  finish?(rooms: Rooms, caller: Caller): Promise<void>
  /** It is about credentials or deliveries, which go by the real clock also in a sandbox. */
  on_real_time?: true
  /**
   * Of the read of a resource: locks what it shows until the transaction ends, or throws `not_found`. A precondition of a
   * change is looked at under this lock, so that of two callers at once only one can pass.
   */
  lock?(input: Static<Input>, context: Context): Promise<unknown>
  /** Id of the read of the resource that a change acts on, where its path does not begin with that of the read. */
  acts_on?: string
  /** Marks a list that can be followed as it grows: `Accept: text/event-stream`, from `Last-Event-ID` on where given. */
  stream?(input: Static<Input>, last_event_id: string | undefined): StreamReader
  handle(input: Static<Input>, context: Context<Events[number], Prepared>): Promise<Static<Output>>
}

/** An operation with its types forgotten, as the registry and the surfaces hold it. */
export type Operation = OperationDefinition<TObject, TSchema, readonly EventType[]>

export function defineOperation<
  Input extends TObject,
  Output extends TSchema,
  const Events extends readonly EventType[] = readonly [],
  Prepared = undefined,
>(
  definition: OperationDefinition<Input, Output, Events, Prepared>,
): OperationDefinition<Input, Output, Events, Prepared> {
  return definition
}

export function isMutation({ method }: Pick<Operation, 'method'>): boolean {
  return method !== 'GET'
}

/** Input beside the path travels in the query, not in a body. */
export function isQuery({ method }: Pick<Operation, 'method'>): boolean {
  return method === 'GET' || method === 'DELETE'
}

/** An `Idempotency-Key` makes it repeatable (domain design 1.1). */
export function isRepeatable({ method }: Pick<Operation, 'method'>): boolean {
  return method === 'POST' || method === 'PATCH'
}

export function pathFields(path: string): string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '')
}

/** The fields of an answer that is an object. */
export function fieldsOf({ output }: Pick<Operation, 'output'>): string[] {
  return Object.keys((output as { properties?: object }).properties ?? {})
}

/** Every problem an operation can answer with: those of all, those of its kind, and what it declares itself. */
export function problemsOf(operation: Operation): readonly ProblemType[] {
  const { path, input, scopes, scopes_for_others, roles, only_users, problems = [] } = operation
  const mayLackRights = scopes.length > 0 || scopes_for_others !== undefined || roles !== undefined
  return [
    validationFailed,
    unauthenticated,
    httpsRequired,
    ...(mayLackRights ? [insufficientScope] : []),
    ...(only_users ? [userRequired] : []),
    ...('cursor' in input.properties ? [invalidCursor] : []),
    ...(path.includes(':') ? [notFound] : []),
    preconditionFailed,
    ...(isQuery(operation) ? [] : [malformedJson, bodyTooLarge]),
    unsupportedMediaType,
    headersTooLarge,
    ...(isMutation(operation) ? [confirmationOutdated, clockAdvancing] : []),
    ...(operation.spans_transactions ? [dryRunUnsupported] : []),
    ...(isRepeatable(operation) ? [idempotencyInProgress, idempotencyKeyReused] : []),
    ...problems,
    rateLimited,
    internalError,
    unavailable,
  ]
}

/** A type of event: its name on the wire, its words, the schema of one entry and an example. */
export interface EventType<Entry extends TObject = TObject> {
  readonly type: string
  readonly module: string
  readonly summary: string
  readonly entry: Entry
  readonly example: Static<Entry>
}

const defined_events: EventType[] = []

export function defineEvent<Entry extends TObject>(definition: EventType<Entry>): EventType<Entry> {
  defined_events.push(definition)
  return definition
}

/** Every event type that has been defined: the catalogue, once the nouns are loaded. */
export function definedEvents(): EventType[] {
  return [...defined_events]
}

/** Defines events about one thing: all entries have the members of `entry`, whose example is `usual`. */
export function eventsAbout<Entry extends TProperties>(module: string, entry: Entry, usual: Static<TObject<Entry>>) {
  /** An event whose entry has `more` members; `example` gives their values, and others than the usual ones. */
  return <More extends TProperties = Record<never, never>>(
    type: string,
    summary: string,
    more: More,
    example: Static<TObject<More>> & Partial<Static<TObject<Entry>>>,
  ) =>
    // The cast holds because the example has the usual members and those of `more`.
    defineEvent({
      ...{ type, module, summary, entry: Type.Object({ ...entry, ...more }) },
      example: { ...usual, ...example } as Static<TObject<Entry & More>>,
    })
}
