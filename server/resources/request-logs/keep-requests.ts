import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import type { Caller } from '#core/caller.ts'
import { readJson } from '#core/json.ts'
import { counter } from '#core/metrics.ts'
import { type Problem, refusalOf } from '#core/problems.ts'
import type { Registry } from '#core/registry.ts'
import { isId, newId } from '#core/values.ts'
import type { Database } from '#db/database.ts'
import { redacted, sensitiveNames, shownFilter, shownHeaders, shownInput, withoutSecrets } from './redact.ts'
import { insertRequests, type RequestCount, type RequestRow } from './request-log.store.ts'

/** A request that was answered, as the surfaces put it down: references only, since it costs every request. */
export interface AnsweredRequest {
  caller: Caller
  at_ms: number
  duration_ms: number
  request_id: string
  surface: 'rest' | 'mcp' | 'scim'
  operation: string
  method: string
  /** Path and query. */
  url: string
  status: number
  problem: Problem | undefined
  /** Of a refusal in words other than those of a problem. */
  error_code: string | undefined
  address: string
  headers: IncomingHttpHeaders
  /** Undefined where there was none, or where it was too long to be held. */
  body: Buffer | undefined
}

/** The notes of requests that nobody has taken yet. */
export interface AnsweredRequests {
  push(request: AnsweredRequest): unknown
  readonly length: number
}

/** Notes that wait in memory; of more, only the newest are lost. */
export const waiting_max = 5_000
/** Longer bodies are not held. */
export const body_bytes_max = 16_384
const text_characters_max = 16_384
const path_characters_max = 1_000

const written_every_ms = 500
/** Rows of one statement: their making takes the event loop a millisecond or two. */
const rows_per_statement_max = 100

/** A database that is stuck keeps neither the end of the process nor the notes behind it waiting. */
const settings = { statement_timeout: "'10s'" }

const minute_ms = 60_000
const hour_ms = 3_600_000

const lost = counter('request_log_lost_total', 'Requests that the request log could not note or write.')
const leftOut = counter('request_log_left_out_total', 'Requests that were counted, and not kept by themselves.')

export interface KeeperParts {
  database: Database
  registry: Registry
  log: Logger
  problem_base: string
  /** Rows of one organization a minute, of successes and of refusals each. */
  rows_per_minute_max: number
}

/**
 * Writes answered requests into the log of their organization, twice a second and outside any request: none waits for it,
 * and none fails with it. What is in memory when a process is killed is lost.
 */
export function createRequestKeeper(parts: KeeperParts) {
  const { database, log } = parts
  const answered: AnsweredRequest[] = []
  const toRow = createRowMaker(parts)
  const isKept = createAllotment(parts.rows_per_minute_max)
  let writing: Promise<void> = Promise.resolve()

  const write = (rows: readonly RequestRow[], counts: readonly RequestCount[]) =>
    database.transaction({ role: 'engine', settings }, (tx) => insertRequests(tx, rows, counts))
  const writeAnswered = async () => {
    const taken = answered.splice(0)
    const kept = taken.filter(isKept)
    leftOut.inc(taken.length - kept.length)
    try {
      // Counted as one, however many there were; rows are made and written a part at a time, and requests answered in between.
      await write(kept.splice(0, rows_per_statement_max).map(toRow), countsOf(taken))
      while (kept.length > 0) await write(kept.splice(0, rows_per_statement_max).map(toRow), [])
    } catch (err) {
      lost.inc(taken.length)
      log.warn({ err, requests: taken.length }, 'request_log_lost')
    }
  }
  /** Resolves when everything noted so far is written, or cannot be. */
  const flush = () => {
    if (answered.length > 0) writing = writing.then(writeAnswered)
    return writing
  }
  let timer: NodeJS.Timeout | undefined
  return {
    /** For the surfaces, which put down what they answered and run nothing of this. */
    answered: answered as AnsweredRequests,
    flush,
    start(): void {
      timer ??= setInterval(() => void flush(), written_every_ms).unref()
    },
    /** Leaves in memory what is answered from here on. */
    stop(): void {
      clearInterval(timer)
      timer = undefined
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Decides which requests are kept by themselves, so that a flood of one organization does not fill the disk. */
function createAllotment(rows_per_minute_max: number) {
  let minute = 0
  const kept = new Map<string, number>()
  return ({ caller, status, at_ms }: AnsweredRequest): boolean => {
    const current = Math.floor(at_ms / minute_ms)
    if (current !== minute) kept.clear()
    minute = current
    // Each of both has its own: refusals are not crowded out by what works, nor the other way round.
    const key = `${caller.organization_id} ${status < 400}`
    const count = kept.get(key) ?? 0
    kept.set(key, count + 1)
    return count < rows_per_minute_max
  }
}

function countsOf(batch: readonly AnsweredRequest[]): RequestCount[] {
  const counts = new Map<string, RequestCount>()
  for (const {
    caller: { organization_id },
    at_ms,
    operation,
    status,
    problem,
    error_code: own_code,
  } of batch) {
    const hour = new Date(at_ms - (at_ms % hour_ms)).toISOString()
    const error_code = own_code ?? problem?.definition.code ?? ''
    const key = [organization_id, hour, operation, status, error_code].join(' ')
    const latest_at = new Date(at_ms).toISOString()
    const requests = (counts.get(key)?.requests ?? 0) + 1
    counts.set(key, { organization_id, hour, operation, status, error_code, requests, latest_at })
  }
  // In one order, so that two processes never wait for each other in a circle.
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

function createRowMaker({ registry, problem_base }: KeeperParts) {
  let sensitive: ReadonlySet<string> | undefined
  const declaredBy = new Map<string, ReadonlySet<string>>(
    registry.operations.map(({ definition: { id, input } }) => [id, new Set(Object.keys(input.properties))]),
  )
  return (request: AnsweredRequest): RequestRow => {
    const { caller, at_ms, operation, method, url, status, problem, surface, address, headers } = request
    sensitive ??= sensitiveNames(registry)
    const declared = declaredBy.get(operation.replace(/\.stream$/, '')) ?? new Set()
    const [path = '', query] = url.split('?', 2)
    return {
      organization_id: caller.organization_id,
      id: newId(at_ms),
      occurred_at: new Date(at_ms).toISOString(),
      ...{ surface, operation, method, status, address },
      request_id: request.request_id,
      path: withoutSecrets(surface === 'scim' ? withoutNames(path) : path, path_characters_max),
      query:
        query === undefined
          ? null
          : surface === 'scim'
            ? shownScimQuery(query)
            : shownQuery(query, declared, sensitive),
      error_code: request.error_code ?? problem?.definition.code ?? null,
      missing_scopes: (problem?.details.members?.required_scopes as string[] | undefined) ?? [],
      duration_ms: Math.round(request.duration_ms),
      credential_id: caller.credential_id,
      client_id: caller.client_id ?? null,
      actor: caller.actor,
      scopes: [...caller.scopes],
      request_headers: shownHeaders(headers),
      ...shownBody(request, declared, sensitive),
      // The words of a refusal of provisioning repeat names that were sent.
      response_body:
        problem && surface !== 'scim'
          ? withoutSecrets(
              JSON.stringify(refusalOf({ problem_base }, problem, request.request_id).body),
              text_characters_max,
            )
          : null,
    }
  }
}

/** Texts of a search are words of somebody's name, mostly. */
const free_texts: ReadonlySet<string> = new Set(['search'])

function shownQuery(query: string, declared: ReadonlySet<string>, sensitive: ReadonlySet<string>): string {
  const given = [...new URLSearchParams(query)]
  const known = new Set([...declared].filter((name) => !free_texts.has(name)))
  const pairs = given.map(([name, value]) => {
    const field = name.replace(/\[\]$/, '')
    return `${name}=${shownInput({ [field]: value }, known, sensitive)[field]}`
  })
  return withoutSecrets(pairs.join('&'), path_characters_max)
}

/** Parameters of SCIM whose values are words of the protocol; of a filter its form stays. */
const scim_parameters = /^(?:startindex|count|sortby|sortorder|attributes|excludedattributes)$/i
const names_only = /^[\w:.,$ -]*$/

function shownScimQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => {
    if (/^filter$/i.test(name)) return `${name}=${shownFilter(value)}`
    if (!scim_parameters.test(name)) return redacted
    return `${name}=${names_only.test(value) ? value : shownFilter(value)}`
  })
  return withoutSecrets(pairs.join('&'), path_characters_max)
}

/** Of a path of SCIM, whose last part some clients fill with the name of a person, stay ids and names of endpoints. */
const withoutNames = (path: string) =>
  path.replace(/^(\/scim\/v2\/(?:Users|Groups)\/)(?!\.search\b)([^/]+)/, (whole, endpoint: string, id: string) =>
    isId(id) ? whole : `${endpoint}${redacted}`,
  )

/** Bodies of tool calls are messages of the protocol, whose arguments may stand at any depth, and those of SCIM are people: neither is kept. */
function shownBody(
  { body, headers, surface, method }: AnsweredRequest,
  declared: ReadonlySet<string>,
  sensitive: ReadonlySet<string>,
): Pick<RequestRow, 'request_body' | 'request_body_state'> {
  const state = (request_body_state: RequestRow['request_body_state']) => ({ request_body: null, request_body_state })
  const has_body = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (method === 'GET' || (!body && !has_body)) return state('none')
  if (surface !== 'rest') return state('not_kept')
  if (!body) return state(Number(headers['content-length'] ?? 0) > body_bytes_max ? 'too_large' : 'not_kept')
  const read = readJson(body)
  if ('fault' in read || typeof read.value !== 'object' || read.value === null) return state('not_kept')
  // The cast holds for every object.
  const shown = JSON.stringify(shownInput(read.value as Record<string, unknown>, declared, sensitive))
  // A part of JSON is none.
  if (shown.length > text_characters_max) return state('too_large')
  return { request_body: withoutSecrets(shown, Number.POSITIVE_INFINITY), request_body_state: 'kept' }
}
