import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Role } from '#core/caller.ts'
import { isMutation, isQuery, type Operation, pathFields, problemsOf } from '#core/operation.ts'
import { sql } from '#db/database.ts'
import { organizationScopes } from '#identity/scopes.ts'
import { clock_start } from './contract-states.ts'
import { type Body, memberToken, workerLogin } from './factories.ts'
import { inOrganization, startTestService, type TestAnswer, type TestService } from './service.ts'

/** Problems that `test/contract` proves for every operation alike, with the file that does; tables may leave them out. */
const proved_for_all: Record<string, string> = {
  unauthenticated: 'credentials.test.ts',
  insufficient_scope: 'credentials.test.ts, roles.test.ts',
  user_required: 'credentials.test.ts',
  not_found: 'tenancy.test.ts',
  validation_failed: 'input.test.ts',
  malformed_json: 'input.test.ts',
  unsupported_media_type: 'input.test.ts',
  body_too_large: 'input.test.ts',
  invalid_cursor: 'lists.test.ts',
  precondition_failed: 'versions.test.ts',
  name_in_use: 'unique.test.ts',
  external_id_in_use: 'unique.test.ts',
  email_in_use: 'unique.test.ts',
  idempotency_in_progress: 'idempotency.test.ts',
  idempotency_key_reused: 'idempotency.test.ts',
  clock_advancing: 'test-clock.test.ts',
  dry_run_unsupported: 'dry-run.test.ts',
  https_required: 'the flows over real connections (test/flows/wire.test.ts)',
  headers_too_large: 'the flows over real connections (test/flows/wire.test.ts)',
  rate_limited: 'the tests of the surface (server/surfaces/rest)',
  internal_error: 'the tests of the surface (server/surfaces/rest)',
  unavailable: 'the fault runs (test/faults)',
}

/**
 * The caller: an organization's token with every right (`client`), with read scopes only (`reader`), or without sensitive
 * data; a member of that role with a personal token; the own login of the worker that `given` made; nobody.
 */
type Who =
  | 'client'
  | 'reader'
  | 'client without compensation'
  | 'client without sensitive data'
  | 'worker'
  | 'nobody'
  | Role

type Fields = Record<string, unknown>
/** A value, or a function of what `given` answered and of the body. */
type Expected<Value> = Value | ((given: Body, body: Body) => Value)

/** The type of an event, alone or with a part of its one entry. */
type ExpectedEvent = string | readonly [type: string, entry: Fields]

/** The one line of the audit log, or a part of it. */
interface ExpectedAudit {
  action?: string
  subject_kind?: string
  subject_id?: string | null
  changed_fields?: readonly string[]
  actor?: Fields
}

export interface Case {
  /** Default: `client`, and `worker` for operations of workers. A function gives a token. */
  as?: Who | ((given: Body) => string)
  /**
   * Makes what the case needs, in an organization of its own. Fields that the path names are taken from what it answers
   * (`contract_id`), unless the input names them.
   */
  given?(t: TestService): Promise<Body>
  /** The flat input; the harness places its fields in path, query or body. */
  input?: Fields | ((given: Body, t: TestService) => Fields)
  /** Status of success, or status and code of the refusal: `409 invalid_state`. Default: the status that is declared. */
  answers?: number | `${number} ${string}`
  /** A part of the body. */
  body?: Expected<Fields>
  /** The places that a refusal names, in order. */
  errors?: readonly string[]
  headers?: Expected<Fields>
  /** The exact events in order; none unless given. */
  emits?: Expected<readonly ExpectedEvent[]>
  /** Default: one line with the operation's id for a change that succeeds, none otherwise; `null` for none. */
  audit?: Expected<ExpectedAudit | null>
  /** Runs the case in a sandbox organization. */
  sandbox?: boolean
  /** A check of the state afterwards. */
  afterwards?(t: TestService, made: { given: Body; body: Body; answer: TestAnswer }): Promise<void>
}

interface Options {
  /** Of a read: made once, in one organization, for every case without a `given` of its own. */
  given?(t: TestService): Promise<Body>
  /** For every case that does not say it itself. */
  sandbox?: boolean
  settings?: Record<string, string>
  /** Declared problems and events that no case can meet, each with the reason and the test that meets it. */
  unmet?: Record<string, string>
}

/**
 * The table of cases of one operation, beside it, called as a client calls it. Each case states status, body, the exact
 * events and the audit line. Fails for a problem or event that the operation declares and no case meets.
 */
export function cases(operation_id: string, table: Record<string, Case>, options: Options = {}): void {
  // Here, not beside the function: this module is read once a process, which runs many files.
  after(closeServices)
  const met = new Set<string>()
  let played = 0
  const rows = Object.entries(table)
  let shared: Promise<Prepared> | undefined
  const prepare = async (row: Case): Promise<Prepared> => {
    const service = await serviceOfCases(options.settings)
    await service.clock.set(clock_start)
    if (row.given || !options.given) return prepared(service, row)
    shared ??= prepared(service, { ...row, given: options.given })
    const made = await shared
    await service.clock.set(clock_start)
    return made
  }
  describe(operation_id, () => {
    for (const [name, row] of rows) {
      test(name, async () => {
        const whole = { sandbox: options.sandbox ?? false, ...row }
        await play(operation_id, whole, await prepare(whole), met)
        played += 1
      })
    }
    test('every declared problem and event is met by a case', async (t) => {
      if (played < rows.length) return t.skip('not every case was played to its end')
      const { definition } = (await serviceOfCases(options.settings)).runtime.registry.operation(operation_id)
      assertMet(definition, met, options.unmet ?? {})
    })
  })
}

const services = new Map<string, Promise<TestService>>()

/** The one service of the cases of a test file, for its other tests too; closed with the last test. */
export function serviceOfCases(settings: Record<string, string> = {}): Promise<TestService> {
  const key = JSON.stringify(settings)
  const known = services.get(key)
  if (known) return known
  // Receivers of webhooks may be on this machine, so no name is looked up.
  const started = startTestService({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...settings })
  services.set(key, started)
  return started
}

async function closeServices(): Promise<void> {
  for (const [key, started] of services) {
    services.delete(key)
    await (await started).close()
  }
}

interface Prepared {
  /** The service as seen from the organization of the case. */
  t: TestService
  given: Body
}

async function prepared(service: TestService, { sandbox = false, given }: Case): Promise<Prepared> {
  const t = inOrganization(service, await service.createOrganization({ is_sandbox: sandbox }))
  return { t, given: (await given?.(t)) ?? {} }
}

async function play(operation_id: string, row: Case, { t, given }: Prepared, met: Set<string>): Promise<void> {
  const operation = t.runtime.registry.operation(operation_id).definition
  const token = await tokenOf(t, operation, row, given)
  await t.takeEvents()
  const lines_before = await auditLines(t)
  const input = typeof row.input === 'function' ? row.input(given, t) : row.input
  const fields = { ...pathFieldsOf(operation, given), ...input }
  const dry =
    isMutation(operation) && !operation.spans_transactions
      ? await rehearse(t, operation, token, fields, lines_before.length)
      : undefined
  const answer = await send(t, operation, token, fields, confirming(dry))
  const { body } = answer
  const events = await t.takeEvents()
  // Timers leave lines of their own.
  const lines = (await auditLines(t)).slice(lines_before.length).filter(({ actor }) => actor.kind !== 'system')
  if (dry) assertForetold(operation, dry, answer, events)

  const code = answer.status >= 400 ? body?.code : undefined
  const shown = JSON.stringify(body)
  const expected = row.answers ?? operation.status ?? 200
  assert.equal(code === undefined ? answer.status : `${answer.status} ${code}`, expected, shown)
  if (row.errors)
    assert.deepEqual(
      body.errors?.map(({ pointer }: Body) => pointer),
      row.errors,
      shown,
    )
  const part = resolved(row.body, given, body)
  if (part) assert.partialDeepStrictEqual(body, part)
  const headers = resolved(row.headers, given, body)
  if (headers) assert.partialDeepStrictEqual(answer.headers, headers)
  assertEvents(operation, events, resolved(row.emits, given, body) ?? [])
  assertAudit(
    operation,
    lines,
    row.audit === undefined ? undefined : resolved(row.audit, given, body),
    code === undefined,
  )
  if (code !== undefined) assertDeclared(operation, code)
  for (const { event_type } of events) met.add(event_type)
  if (code !== undefined) met.add(code)
  await row.afterwards?.(t, { given, body, answer })
}

function resolved<Value>(expected: Expected<Value> | undefined, given: Body, body?: Body): Value | undefined {
  // The cast holds because no expected value is a function itself.
  return typeof expected === 'function' ? (expected as (given: Body, body: Body) => Value)(given, body) : expected
}

function pathFieldsOf({ path }: Operation, given: Body): Fields {
  return Object.fromEntries(pathFields(path).flatMap((name) => (name in given ? [[name, given[name]]] : [])))
}

/** Makes a change dry. `test/contract/dry-run.test.ts` shows that no row changes. */
async function rehearse(t: TestService, operation: Operation, token: string | null, input: Fields, lines: number) {
  const dry = await send(t, operation, token, input, { 'stint-dry-run': 'true' })
  assert.deepEqual(await t.takeEvents(), [], 'events of a dry run')
  assert.equal((await auditLines(t)).length, lines, 'audit lines of a dry run')
  return dry
}

const confirming = (dry: TestAnswer | undefined): Record<string, string> => {
  const digest = dry?.body?.dry_run?.digest
  return digest === undefined ? {} : { 'stint-confirm': digest }
}

/** A dry run has foretold the answer and the events, but for ids, times and secrets. */
function assertForetold({ reveals_secret }: Operation, dry: TestAnswer, real: TestAnswer, events: Recorded): void {
  const { dry_run, ...foretold } = dry.body ?? {}
  assert.equal(dry.status, real.status === 204 ? 200 : real.status, JSON.stringify(dry.body))
  const told = {
    ...(real.status !== 204 && real.body),
    ...(dry_run && reveals_secret && { [reveals_secret.field]: null }),
  }
  assert.deepEqual(withoutNews(foretold), withoutNews(told))
  if (!dry_run) return
  const entries = events.flatMap(({ event_type, resource }) => resource.map((entry) => ({ type: event_type, entry })))
  const types = (each: { type: string }[]) => each.map(({ type }) => type)
  assert.deepEqual(types(dry_run.events), types(entries))
}

const news = [/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, /^\d{4}-\d\d-\d\dT/, /^cli_\w{22}$/, /^key_\w{10}$/]

/** A value without what differs from call to call. */
function withoutNews(value: unknown): unknown {
  if (typeof value === 'string') return news.some((form) => form.test(value)) ? 'new' : value
  if (Array.isArray(value)) return value.map(withoutNews)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'last4' ? 'new' : withoutNews(each)]),
  )
}

/** Places the fields of a flat input as a client does. */
function send(
  t: TestService,
  operation: Operation,
  token: string | null,
  input: Fields,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const in_path = pathFields(operation.path)
  const path = in_path.reduce((filled, name) => {
    assert.ok(input[name] !== undefined, `neither given nor input has ${name}`)
    return filled.replace(`:${name}`, String(input[name]))
  }, operation.path as string)
  const free = Object.fromEntries(Object.entries(input).filter(([name]) => !in_path.includes(name)))
  if (!isQuery(operation)) return t.call(operation.method, path, { token, body: free, headers })
  const query = Object.entries(free).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : String(value),
  ])
  return t.call(operation.method, path, { token, query: Object.fromEntries(query), headers })
}

async function tokenOf(t: TestService, operation: Operation, row: Case, given: Body): Promise<string | null> {
  const who = row.as ?? (operation.scopes.some((scope) => scope.startsWith('worker:')) ? 'worker' : 'client')
  if (typeof who === 'function') return who(given)
  const { id, token } = t.organization
  const is_sandbox = row.sandbox ?? false
  if (who === 'client') return token
  if (who === 'nobody') return null
  if (who === 'reader') {
    return t.createToken(id, { is_sandbox, scopes: organizationScopes.filter((scope) => scope.endsWith(':read')) })
  }
  if (who === 'client without compensation') {
    return t.createToken(id, { is_sandbox, without: ['compensation'] })
  }
  if (who === 'client without sensitive data') return t.createToken(id, { is_sandbox, sensitive_data: [] })
  if (who === 'worker') return tokenOfWorker(t, given)
  return memberToken(t, who)
}

async function tokenOfWorker(t: TestService, { worker, worker_id }: Fields): Promise<string> {
  if (typeof worker === 'string') return worker
  assert.ok(typeof worker_id === 'string', 'given answers no worker (a token) and no worker_id')
  return workerLogin(t, worker_id)
}

type Recorded = { event_type: string; resource: Fields[] }[]

function assertEvents({ emits = [] }: Operation, events: Recorded, expected: readonly ExpectedEvent[]): void {
  const types = expected.map((event) => (typeof event === 'string' ? event : event[0]))
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    types,
  )
  for (const [index, event] of expected.entries()) {
    if (typeof event !== 'string') assert.partialDeepStrictEqual(events[index]?.resource, [event[1]])
  }
  const undeclared = types.filter((type) => !emits.some((declared) => declared.type === type))
  assert.deepEqual(undeclared, [], 'emitted without being declared')
}

interface AuditLine {
  action: string
  subject_kind: string
  subject_id: string | null
  changed_fields: string[]
  actor: Fields
}

function assertAudit(
  operation: Operation,
  lines: AuditLine[],
  expected: ExpectedAudit | null | undefined,
  is_done: boolean,
) {
  const none = expected === null || !is_done || !isMutation(operation)
  assert.deepEqual(
    lines.map(({ action }) => action),
    none ? [] : [expected?.action ?? operation.id],
    'lines of the audit log',
  )
  if (expected) assert.partialDeepStrictEqual(lines[0], expected)
}

function auditLines({ database, organization: { id } }: TestService): Promise<AuditLine[]> {
  return database.database.transaction({ role: 'app', organization_id: id, read_only: true }, (tx) =>
    tx.rows<AuditLine>(sql`
      select action, subject_kind, subject_id, changed_fields, actor from audit_entries
      where organization_id = ${id} order by xmin::text::bigint, id`),
  )
}

function assertDeclared(operation: Operation, code: string): void {
  const codes = problemsOf(operation).map(({ definition }) => definition.code)
  assert.ok(codes.includes(code), `${operation.id} does not declare ${code}`)
}

/** An exception that a case meets, or that names nothing declared, is as wrong as a gap. */
function assertMet(
  { id, problems = [], emits = [] }: Operation,
  met: Set<string>,
  unmet: Record<string, string>,
): void {
  const declared = [...problems.map(({ definition }) => definition.code), ...emits.map(({ type }) => type)]
  const open = declared.filter((name) => !(name in proved_for_all) && !met.has(name))
  assert.deepEqual(open.toSorted(), Object.keys(unmet).toSorted(), `${id}: what it declares and no case meets`)
}
