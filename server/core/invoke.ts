import { hash } from 'node:crypto'
import type { Database, Transaction } from '#db/database.ts'
import { violatedConstraint } from '#db/errors.ts'
import { authorize, type Caller, isAuthorized } from './caller.ts'
import { dryRunOf } from './dry-run.ts'
import { collectEffects, type EffectParts, type Effects, recordChange } from './effects.ts'
import { idempotentCall, type KeptAnswer, keepAnswer, keptAnswer } from './idempotency.ts'
import { canonicalJson } from './json.ts'
import { type Cursors, pageOfRows, readPage, type Totals } from './list.ts'
import {
  type Context,
  isMutation,
  type KeptAs,
  type Operation,
  problemsOf,
  type Rooms,
  type StreamPart,
} from './operation.ts'
import {
  confirmationOutdated,
  dryRunUnsupported,
  notFound,
  Problem,
  preconditionFailed,
  userRequired,
  validationFailed,
} from './problems.ts'
import type { RegisteredOperation } from './registry.ts'
import type { Replica } from './replica.ts'
import { keepBusinessTime } from './sandbox-clock.ts'
import type { PageRequest } from './schema/schema.ts'
import { problemOfConstraint } from './unique.ts'

/** The parts that calls need beside the caller; made once at the start. */
export interface Runtime extends EffectParts {
  readonly database: Database
  readonly cursors: Cursors
  readonly totals: Totals
  /** Another server for reads that may be behind. */
  readonly replica?: Replica | undefined
  readonly rooms: Rooms
  /** Address below which each problem code has its documentation page. */
  readonly problem_base: string
}

/** The conditional headers of a request as they came (RFC 9110 §13.1). */
export interface Conditions {
  if_match?: string | undefined
  if_none_match?: string | undefined
}

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
  /** The surface that it came through, for the audit log. */
  surface?: string
  idempotency_key?: string | undefined
  /** Conditions that the resource has to meet for the call to be made. */
  conditions?: Conditions
  /** A change runs whole, answers what it would answer with what it would tell, and is rolled back. */
  dry_run?: boolean
  /** Digest of a dry run: the change is made if its effects are still the same. */
  confirm?: string | undefined
  /** The most that a list may be behind; absent: it has to show everything that was committed. */
  age_accepted_ms?: number
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
  /** The most that the data was behind when it was read; of a list that a replica answered. */
  read_age_ms?: number
}

export type Input = Record<string, unknown>

/** A call with its valid input, in its transaction. */
interface RunningCall extends Call {
  runtime: Runtime
  input: Input
  /** Result of the look-up that the operation made before the transaction. */
  prepared?: unknown
  kept_as?: KeptAs
  tx: Transaction
}

/**
 * The one road into a handler: scopes → input → transaction (idempotency → handle → events → audit → kept answer) →
 * shape. Everything a call changes commits together or not at all; refusals are thrown as `Problem`.
 */
export async function invoke(runtime: Runtime, call: Call): Promise<Answer> {
  const { caller, dry_run: is_dry = false } = call
  const { definition } = call.operation
  // The end of a change of several transactions keeps its answer for the caller too, under a key of chance if need be.
  const idempotency_key = call.idempotency_key ?? (definition.finish && crypto.randomUUID())
  authorize(caller, definition)
  if (definition.only_users && caller.user_id === undefined) throw userRequired()
  const input = validate(call)
  if (is_dry && definition.spans_transactions) throw dryRunUnsupported()
  const prepared = await definition.prepare?.(input, runtime.rooms, caller)
  const is_kept = idempotency_key !== undefined && !is_dry
  const run = definition.method === 'GET' ? read : is_kept ? changeOnce : change
  const options = { now: caller.resolved_at, read_only: run === read, is_dry }
  const made = { ...call, idempotency_key, runtime, input, prepared }
  const answerOn = (on: Runtime) => inTransaction(on, call, options, (tx) => run({ ...made, runtime: on, tx }))
  const { replica } = runtime
  const behind = call.operation.may_be_behind ? replica?.read(call, (on) => answerOn({ ...runtime, ...on })) : undefined
  const answer: Answer = (await behind) ?? (await answerOn(runtime))
  const finished = definition.finish && !answer.replayed ? await finish(made) : answer.body
  if (run !== read) replica?.changed(caller.credential_id)
  // The last thing of all: until here values have their labels, in kept answers too.
  const { value: body, withheld } = call.operation.sensitive.open(finished, caller.sensitive_data)
  return { ...answer, body, withheld: withheld.length === 0 ? answer.withheld : union(answer.withheld, withheld) }
}

/** Does what follows the first transaction, and answers what was kept at its end: since then others may have gone on. */
async function finish(call: Omit<RunningCall, 'tx'>): Promise<unknown> {
  const { operation, caller, runtime } = call
  const { organization_id } = caller
  const [result] = await Promise.allSettled([operation.definition.finish?.(runtime.rooms, caller)])
  const kept = await runtime.database.transaction({ role: 'app', organization_id }, (tx) =>
    keptAnswer(tx, keyOf(call), runtime.secrets),
  )
  if (kept) return kept.body
  throw result.status === 'rejected' ? result.reason : new Error(`${operation.definition.id} ended without an answer`)
}

function keepTime({ operation: { definition }, caller, tx }: RunningCall): Promise<void> {
  const strength = definition.spans_transactions ? 'for update' : 'for share'
  return keepBusinessTime(tx, caller, {
    ...(isMutation(definition) && { strength }),
    is_real: definition.on_real_time === true,
  })
}

const union = (some: readonly string[], others: readonly string[]) => [...new Set([...some, ...others])].sort()

/** The input as the operation declares it, or the refusal of what it does not declare. */
function validate({ operation, input, from_text, from_url = false }: Call): Input {
  const result = operation.validate(input, from_text)
  const { definition, path_fields } = operation
  if (!result.ok) {
    // A malformed id in an address names nothing that exists.
    if (from_url && result.errors.some(({ pointer }) => path_fields.has(pointer.slice(1)))) throw notFound()
    throw validationFailed(undefined, { errors: result.errors })
  }
  if (definition.method === 'PATCH' && Object.keys(result.value).every((name) => path_fields.has(name))) {
    throw validationFailed('A change names at least one field.')
  }
  return result.value
}

/** Runs `work` as the caller's organization; what it throws becomes what the operation declares. */
async function inTransaction<Result>(
  { database, strict }: Runtime,
  { operation: { definition }, caller: { organization_id } }: Call,
  options: { read_only?: boolean; now?: string | undefined; is_dry?: boolean },
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.transaction({ role: 'app', organization_id, ...options }, work)
  } catch (error) {
    const thrown = problemOfConstraint(violatedConstraint(error), error)
    // A handler may only refuse with what its operation declares, so that the reference tells the truth.
    if (
      strict &&
      thrown instanceof Problem &&
      !problemsOf(definition).some((one) => one.definition === thrown.definition)
    )
      throw new Error(`${definition.id} refused with ${thrown.definition.code}, which it does not declare`, {
        cause: thrown,
      })
    throw thrown
  }
}

async function read(call: RunningCall): Promise<Answer> {
  const { operation, input, conditions = {} } = call
  await keepTime(call)
  const answer = answerOf(call, await operation.definition.handle(input, contextOf(call).context))
  return isKnown(conditions, answer.etag) ? { ...answer, status: 304, body: null } : answer
}

/** Handles a change under an Idempotency-Key: a repeat gets the kept answer. A refused call changed nothing, its key too. */
async function changeOnce(call: RunningCall): Promise<Answer> {
  const { operation, tx, runtime } = call
  const key = keyOf(call)
  const kept = await keptAnswer(tx, key, runtime.secrets)
  if (kept) return repeat(call, kept)
  if (operation.definition.finish) return change({ ...call, kept_as: key })
  const answer = await change(call)
  const field = operation.definition.reveals_secret?.field
  const { [field ?? '']: secret = null, ...rest } = (answer.body ?? {}) as Input
  const body = field === undefined ? answer.body : { ...rest, [field]: null }
  keepAnswer(tx, key, { status: answer.status, body, secret: secret as string | null }, runtime.secrets)
  return answer
}

function keyOf({ operation, caller, input, idempotency_key = '' }: Omit<RunningCall, 'tx'>): KeptAs {
  const path_values = [...operation.path_fields].map((name) => input[name])
  const { sensitive } = operation
  const writes_withheld = sensitive.names(input, caller.sensitive_data) || sensitive.namesLabelled(input)
  return idempotentCall(caller, operation.definition, path_values, idempotency_key, { input, writes_withheld })
}

/**
 * The kept answer for a repeat. What this caller may not see is withheld anew, since the first may have been granted
 * more, and a secret is told again only while it still is one.
 */
async function repeat(call: RunningCall, { status, body, secret }: KeptAnswer): Promise<Answer> {
  const { operation, caller, tx, runtime } = call
  const { reveals_secret } = operation.definition
  const whole = reveals_secret && secret !== null ? { ...(body as object), [reveals_secret.field]: secret } : null
  const stands = whole && (await reveals_secret?.stands?.(whole, { tx, secrets: runtime.secrets, caller }))
  const shown = operation.sensitive.withhold(stands ? whole : body, caller.sensitive_data)
  return { ...framed(call, status, shown), replayed: true }
}

/** Handles a change with everything that belongs to it: events, deliveries and the audit line. */
async function change(call: RunningCall): Promise<Answer> {
  const { dry_run: is_dry = false, confirm, runtime } = call
  await keepTime(call)
  const { context, effects } = contextOf(call)
  const { definition } = call.operation
  await checkPreconditions(call, context)
  const is_foretold = is_dry || confirm !== undefined
  const version = is_foretold ? await versionOfTarget(call, context) : null
  if (definition.emits?.length) runtime.fanOut.expect?.(call.tx, call.caller.organization_id, definition.emits)
  const output = await definition.handle(call.input, context)
  await recordEffects(call, output, effects)
  const answer = answerOf(call, output)
  if (!is_foretold) return answer
  const dry_run = dryRunOf(runtime.registry, { ...call, version }, effects)
  if (confirm !== undefined && confirm !== dry_run.digest) throw confirmationOutdated()
  return is_dry ? rehearsed(answer, definition, dry_run) : answer
}

/** The answer of a dry run: a resource that will not be has no address, no version and no secret. */
function rehearsed({ body, ...answer }: Answer, { reveals_secret }: Operation, dry_run: object): Answer {
  const secret = reveals_secret ? { [reveals_secret.field]: null } : {}
  const status = answer.status === 204 ? 200 : answer.status
  return { ...answer, status, body: { ...(body as object), ...secret, dry_run }, location: null, etag: null }
}

/**
 * Holds a change to what its caller has read (RFC 9110 §13.1.1): the resource is locked first, so that what is compared
 * is what the change is then made to. A caller who may not read it has nothing to compare with.
 */
async function checkPreconditions(call: RunningCall, context: Context): Promise<void> {
  const { operation, caller, conditions = {} } = call
  if (conditions.if_match === undefined && conditions.if_none_match === undefined) return
  if (operation.target) authorize(caller, operation.target.definition)
  refuseOutdated(conditions, await tagOfTarget(call, context))
}

/** The version of the resource that a change acts on, locked; null where there is none, or the caller may not read it. */
async function versionOfTarget(call: RunningCall, context: Context): Promise<string | null> {
  const { operation, caller } = call
  if (!operation.target || !isAuthorized(caller, operation.target.definition)) return null
  try {
    return await tagOfTarget(call, context)
  } catch (error) {
    // The read may refuse by a rule of its own; whether the change is refused too is for its handler to say.
    if (error instanceof Problem) return null
    throw error
  }
}

async function tagOfTarget({ operation, caller, input }: RunningCall, context: Context): Promise<string | null> {
  if (!operation.target) return null
  const { definition, path_fields, sensitive } = operation.target
  const path = Object.fromEntries([...path_fields].map((name) => [name, input[name]]))
  await definition.lock?.(path, context)
  const shown = sensitive.withhold(await definition.handle(path, context), caller.sensitive_data)
  return entityTag(operation.target, shown)
}

/** Makes the context of one call and collects what its handler emits. */
function contextOf(call: RunningCall): { context: Context; effects: Effects } {
  const { operation, caller, input, prepared, request_id, trace_id, tx, runtime } = call
  const { effects, base } = collectEffects(runtime, tx)
  const { limit, cursor, updated_after, ...filters } = input
  const request = { limit, cursor, updated_after } as PageRequest
  const binding = {
    operation: operation.definition.id,
    organization_id: caller.organization_id,
    filters: { ...filters, updated_after, person: caller.person_id },
  }
  const context: Context = {
    ...base,
    ...{ caller, request_id, trace_id, prepared },
    kept_as: call.kept_as ?? null,
    now: tx.now,
    rooms: runtime.rooms,
    writes_withheld: operation.sensitive.names(input, caller.sensitive_data),
    unchanged: () => {
      effects.unchanged = true
    },
    page: (list, itemOf) => readPage({ tx, ...runtime }, list, request, binding, itemOf),
    pageOf: (items, keyOf) => pageOfRows(items, keyOf, request, binding, runtime.cursors),
  }
  return { context, effects }
}

async function recordEffects(call: RunningCall, output: unknown, effects: Effects): Promise<void> {
  const { runtime, tx, operation, input, caller, request_id, trace_id, address, surface } = call
  const { events, subject, unchanged } = effects
  const { path_fields, definition } = operation
  if (unchanged && events.length > 0) throw new Error(`${definition.id} tells of a change that it denies`)
  if (unchanged) return
  const path_id = [...path_fields].map((name) => input[name]).at(-1)
  await recordChange(runtime, tx, events, {
    ...{ organization_id: caller.organization_id, actor: caller.actor, credential_id: caller.credential_id },
    ...{ request_id, trace_id, address, surface },
    action: definition.id,
    subject: {
      kind: subject.kind ?? definition.subject ?? definition.id.split('.')[0] ?? '',
      id: subject.id ?? idOf(output) ?? (path_id as string | undefined) ?? null,
    },
    changed_fields: subject.changed_fields ?? Object.keys(input).filter((name) => !path_fields.has(name)),
  })
}

function idOf(output: unknown): string | undefined {
  return typeof output === 'object' && output !== null && 'id' in output ? String(output.id) : undefined
}

/** Shapes what a handler gave: withheld fields become null, and in strict mode the schema is held to its word. */
function answerOf(call: RunningCall, output: unknown): Answer {
  const { operation, caller, runtime } = call
  const { id, status = 200 } = operation.definition
  const body = status === 204 ? null : operation.sensitive.withhold(output, caller.sensitive_data)
  const errors = runtime.strict && status !== 204 ? operation.checkOutput(body) : []
  if (errors.length > 0) throw new Error(`${id} answers against its schema: ${JSON.stringify(errors)}`)
  return framed(call, status, body)
}

/** An answer with everything that follows from the operation, not from the handler. */
function framed({ operation, caller, input }: RunningCall, status: number, body: unknown): Answer {
  const { definition, sensitive, shown } = operation
  const { location, path } = definition
  const made = status === 201 && body ? (location?.(body, input) ?? defaultLocation(path, input, body)) : null
  return {
    status,
    body,
    replayed: false,
    location: made,
    etag: shown && body ? entityTag(shown, body) : null,
    withheld: sensitive.withheld(caller.sensitive_data),
  }
}

function defaultLocation(path: string, input: Input, output: unknown): string {
  const filled = path.replaceAll(/:([a-z_]+)/g, (_, name: string) => String(input[name]))
  return `${filled}/${idOf(output)}`
}

const no_category: ReadonlySet<string> = new Set()

/**
 * The strong validator of a resource as this caller sees it (RFC 9110 §8.8), made from nothing but what the answer shows:
 * it changes with every byte that can be read, and tells nothing of what is withheld. Its first part covers what somebody
 * can change, the second also what the service notes of its use; only the first matters to a precondition of a change.
 */
function entityTag({ fields, observed }: RegisteredOperation, body: unknown): string {
  const shown = Object.fromEntries(fields.map((name) => [name, (body as Input)[name]]))
  const changeable = digestOf(observed.withhold(shown, no_category))
  return observed.categories.length === 0 ? `"${changeable}"` : `"${changeable}.${digestOf(shown)}"`
}

function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'base64url').slice(0, 22)
}

/** Throws `precondition_failed` where a change must not be made to the resource with this tag; null: it has none. */
export function refuseOutdated({ if_match, if_none_match }: Conditions, current: string | null): void {
  const isMet = if_match === undefined || names(if_match, 'If-Match', (tag) => isSameVersion(tag, current))
  const isFree =
    if_none_match === undefined || !names(if_none_match, 'If-None-Match', (tag) => isSameVersion(tag, current))
  if (!isMet || !isFree) throw preconditionFailed(undefined, current === null ? {} : { headers: { ETag: current } })
}

/** True when the caller of a read has what it would be answered; throws `precondition_failed` if it wants another. */
export function isKnown({ if_match, if_none_match }: Conditions, current: string | null): boolean {
  refuseOutdated({ if_match }, current)
  // Read with the weak comparison of RFC 9110 §8.8.3.2.
  return (
    if_none_match !== undefined && names(if_none_match, 'If-None-Match', (tag) => tag.replace(/^W\//, '') === current)
  )
}

const tag_pattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** True when a list of entity tags holds one that fits; `*` is any resource that there is. */
function names(header: string, field: string, fits: (tag: string) => boolean): boolean {
  if (header.trim() === '*') return true
  // No header can hold the character that stands for a tag here, so what is left shows whether there was nothing else.
  const parts = header.replaceAll(tag_pattern, '\0').split(',')
  const tags = header.match(tag_pattern)
  if (tags && parts.every((part) => /^[ \t]*\0?[ \t]*$/.test(part))) return tags.some(fits)
  const message = 'must be * or entity tags as the ETag header carries them, in double quotes'
  throw validationFailed(`${field} ${message}.`, { errors: [{ pointer: `/${field}`, message }] })
}

/** The strong comparison of what somebody can change: a weak tag is never the same. */
function isSameVersion(tag: string, current: string | null): boolean {
  const [one, other] = [tag, current].map((text) => text?.replace(/\..*"$/, '"'))
  return other !== undefined && one === other
}

export type StreamCall = Omit<Call, 'idempotency_key'>

/** The road into a stream, the same as into a handler: scopes → input → transaction → shape; the input is read once. */
export function openStream(runtime: Runtime, call: StreamCall, last_event_id: string | undefined) {
  const { operation } = call
  const { definition } = operation
  const input = validate(call)
  const reader = definition.stream?.(input, last_event_id)
  if (!reader) throw new Error(`${definition.id} has no stream`)
  return {
    /** Reads the news since, as this caller may see it now: rights that were taken away since are gone at once. */
    async read(caller: Caller): Promise<StreamPart> {
      authorize(caller, definition)
      const now = { ...call, caller }
      return inTransaction(runtime, now, { read_only: true }, async (tx) => {
        const part = await reader.read(contextOf({ ...now, runtime, input, tx }).context)
        const page = { data: part.items.map(({ data }) => data), cursor: part.position, has_more: part.has_more }
        const { body } = answerOf({ ...now, runtime, input, tx }, { ...page, total_count: page.data.length })
        const { data } = body as typeof page
        return { ...part, items: part.items.map(({ id }, index) => ({ id, data: data[index] })) }
      })
    },
  }
}
