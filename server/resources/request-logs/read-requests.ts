import { type Caller, isAuthorized } from '#core/caller.ts'
import { defineOperation, type StreamReader } from '#core/operation.ts'
import { notFound, validationFailed } from '#core/problems.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import { Closed, Id, Nullable, PageInput, PageOf, type Static, Type } from '#core/schema/schema.ts'
import { utcOf } from '#core/values.ts'
import { hintOf } from './hints.ts'
import { findRequest, type ReadRequest, requestList, requestsSince, told_rows_max } from './request-log.store.ts'
import { RequestLog, requestFilters } from './request-log.ts'

/** The part of the runtime that the log of requests asks: the operation of an id, if this release has it. */
declare module '#core/operation.ts' {
  interface Rooms {
    request_logs: { operationOf(id: string): RegisteredOperation | undefined }
  }
}

/** As the console's table of roles has it (console design 5). */
export const mayReadRequests = { scopes: ['tokens:read'], roles: ['owner', 'admin', 'developer'] } as const

const ListInput = Closed({ ...PageInput, ...requestFilters })

const listRequests = defineOperation({
  id: 'request_logs.list',
  summary: 'List the requests of tokens and apps',
  description:
    'The newest first, each within a second of its answer, kept for 30 days. Not among them: requests whose credential is not known, those of people in the console, and reading this log. Where an organization sends very many, some are only counted, see GET /overview. `updated_after` asks for requests answered after that time.',
  method: 'GET',
  path: '/request-logs',
  ...mayReadRequests,
  input: ListInput,
  output: PageOf(RequestLog),
  stream: followRequests,

  handle: ({ limit: _, cursor: __, updated_after: ___, ...filter }, { caller, page }) =>
    page(requestList(caller, filter), withHint),
})

const withHint = (row: ReadRequest): Static<typeof RequestLog> => ({ ...row, hint: hintOf(row) })

/** Requests are noted a moment after they were answered, by several processes: this far back some may have come. */
const looked_back_ms = 10_000

/** Requests as they are noted, each told once while the stream is open. An id of the stream is the time of the answer. */
function followRequests(input: Static<typeof ListInput>, last_event_id: string | undefined): StreamReader {
  const { limit: _, cursor, updated_after, ...filter } = input
  if (cursor !== undefined) throw refusedField('/cursor', 'is for pages; a stream goes on from Last-Event-ID')
  let newest = last_event_id === undefined ? updated_after : timeOf(last_event_id)
  let told = new Set<string>()

  return {
    async read({ caller, tx }) {
      const from = newest ?? tx.now
      const since = new Date(Date.parse(from) - looked_back_ms).toISOString()
      const rows = await requestsSince(tx, caller, filter, since)
      const news = rows.filter(({ id }) => !told.has(id))
      told = new Set(rows.map(({ id }) => id))
      // Without a place to go on from, what was there before the stream is no news.
      const items = newest === undefined ? [] : news
      const latest = rows.at(-1)?.occurred_at ?? from
      newest = latest > from ? latest : from
      const has_more = rows.length === told_rows_max && items.length > 0
      return { items: items.map((row) => ({ id: row.occurred_at, data: withHint(row) })), position: newest, has_more }
    },
  }
}

function timeOf(last_event_id: string): string {
  if (utcOf(last_event_id) !== last_event_id) throw refusedField('/Last-Event-ID', 'must be an id of this stream')
  return last_event_id
}

const refusedField = (pointer: string, message: string) =>
  validationFailed(undefined, { errors: [{ pointer, message }] })

const getRequest = defineOperation({
  id: 'request_logs.get',
  summary: 'Get a request with its headers and bodies',
  description:
    'Without secrets and sensitive data, whoever reads it. Query and body are shown to those who may call the operation themselves. The body of a success is not kept.',
  method: 'GET',
  path: '/request-logs/:request_log_id',
  ...mayReadRequests,
  input: Closed({ request_log_id: Id }),
  output: Type.Object({
    ...RequestLog.properties,
    scopes: Type.Array(Type.String(), { description: 'Those that the credential had.', example: ['people:read'] }),
    required_scopes: Type.Array(Type.String(), {
      description: 'Those of which the operation asks for one; none: any valid credential may call it.',
      example: ['contracts:read'],
    }),
    query: Nullable(Type.String()),
    request_headers: Type.Record(Type.String(), Type.String(), {
      description: 'By name; the values of most are left out.',
      example: { accept: 'application/json', authorization: '[redacted]' },
    }),
    request_body: Nullable(Type.String({ description: 'JSON with the values left out that are not kept.' })),
    request_body_state: Type.Enum(['none', 'kept', 'too_large', 'not_kept', 'withheld'], {
      description:
        'Why there is none: it had none, was over 16 KiB, is of a kind that is not kept, or the caller may not call the operation.',
    }),
    response_body: Nullable(Type.String({ description: 'The problem document of a refusal.' })),
  }),

  async handle({ request_log_id }, { caller, tx, rooms }) {
    const row = await findRequest(tx, caller, request_log_id)
    if (!row) throw notFound()
    const { query, request_body, request_body_state, response_body, request_headers, scopes } = row
    const operation = rooms.request_logs.operationOf(row.operation)
    const is_shown = mayCall(caller, operation)
    // The cast holds because each field of the list but the hint is a column of the row, or named so by the query.
    const listed = Object.fromEntries(
      Object.keys(RequestLog.properties).map((name) => [name, row[name as keyof typeof row]]),
    ) as unknown as ReadRequest
    return {
      ...withHint(listed),
      ...{ scopes, request_headers, response_body },
      required_scopes: [...(operation?.definition.scopes ?? [])],
      query: is_shown ? query : null,
      request_body: is_shown ? request_body : null,
      request_body_state: is_shown || request_body === null ? request_body_state : ('withheld' as const),
    }
  },
})

/** The log opens no way around a scope: a body of people is for those who may read people. */
const mayCall = (caller: Caller, operation: RegisteredOperation | undefined) =>
  operation !== undefined && isAuthorized(caller, operation.definition)

export const requestLogOperations = [listRequests, getRequest]
