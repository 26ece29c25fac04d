import { isIP } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '#core/clock.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import type { Database } from '#db/database.ts'
import { type GuardedGet, type Missing, readJsonAt, refused } from '#outbound/guarded-get.ts'
import { OAuthError } from '../parameters.ts'
import { keepDocumentClient, lookUpClient } from './client.store.ts'
import { readDocument } from './client-metadata.ts'

/** CIMD §6.6. */
const document_bytes_max = 5_120
const failure_kept_ms = 60_000
const failures_kept_max = 1_000
const new_addresses_per_hour_max = 60
/** Fetches that run at once; each ends within seconds, and who comes beyond is asked to come again. */
const fetches_max = 64

export type Refreshed = 'kept' | 'refused' | 'away' | 'off'

export interface DocumentClients {
  /**
   * Reads the document and keeps the client. `away` when its address says nothing for the moment, `refused` when what
   * stands there is no client, `off` when documents are not read. Parallel calls share one fetch.
   */
  refresh(client_id: string): Promise<Refreshed>
  /** Counts an address that was never seen, against the network that brings it; throws `rate_limited`. */
  countNew(network: string): void
  /** Returns true when clients are told that they may be described by a document. */
  isOffered(): boolean
}

export function createDocumentClients({
  database,
  clock,
  log,
  get,
  setting,
}: {
  database: Database
  clock: Clock
  log: Logger
  get: GuardedGet
  setting: DocumentSetting
}): DocumentClients {
  const now = () => clock.now()
  const news = createRateLimit('documents', { requests_max: new_addresses_per_hour_max, window_s: 3_600, now })
  const running = new Map<string, Promise<Refreshed>>()
  const failed = new Map<string, { until_ms: number; refreshed: Refreshed }>()

  const fetchAndKeep = async (client_id: string): Promise<Refreshed> => {
    // A caller that looked it up before an earlier fetch was kept may come after that fetch has ended.
    if ((await lookUpClient(database, client_id))?.document_fresh) return 'kept'
    const missing = await keep(database, get, client_id)
    offer.note(client_id, missing?.reach ?? 'some')
    if (missing === null) return 'kept'
    if (failed.size >= failures_kept_max) failed.clear()
    const refreshed = missing.is_away ? 'away' : 'refused'
    failed.set(client_id, { until_ms: now() + failure_kept_ms, refreshed })
    log.info({ client_id, failure: missing.failure }, 'client_document_refused')
    return refreshed
  }
  const fetchOnce = (client_id: string) => {
    const shared = running.get(client_id) ?? fetchAndKeep(client_id).finally(() => running.delete(client_id))
    running.set(client_id, shared)
    return shared
  }
  const offer = createDocumentOffer(setting, { log, lookUp: async (client_id) => void (await fetchOnce(client_id)) })
  return {
    isOffered: offer.isOffered,
    countNew: (network) => void news.take(network),
    async refresh(client_id) {
      if (setting === 'off') return 'off'
      const failure = failed.get(client_id)
      if (failure && failure.until_ms > now()) return failure.refreshed
      failed.delete(client_id)
      if (running.size >= fetches_max && !running.has(client_id)) return 'away'
      return fetchOnce(client_id)
    },
  }
}

/** Fetches, reads and keeps one document; answers what is wrong with it, or null. */
async function keep(database: Database, get: GuardedGet, client_id: string): Promise<Missing | null> {
  const found = await readJsonAt(get, client_id, document_bytes_max)
  if ('failure' in found) return found
  try {
    const client = readDocument(found.object, client_id)
    const fresh_s = freshnessOf(found.headers)
    await database.transaction({ role: 'lookup' }, (tx) => keepDocumentClient(tx, { ...client, client_id }, fresh_s))
    return null
  } catch (error) {
    if (error instanceof OAuthError) return refused(error.message)
    throw error
  }
}

/** `auto`: clients are offered to be described by documents as long as look-ups reach anything. */
export type DocumentSetting = 'auto' | 'on' | 'off'

/** Look-ups in a row that reached no address at all; from then on nobody is sent into a dead end. */
const unreached_max = 3
const again_ms = 600_000

interface DocumentOffer {
  isOffered(): boolean
  /** Notes the result of a look-up: whether any address was reached, whatever it said. */
  note(client_id: string, reach: Missing['reach']): void
}

interface OfferParts {
  log: Logger
  /** Looks a document up once more, and notes what became of it. */
  lookUp(client_id: string): Promise<void>
  later?: (run: () => Promise<void>, after_ms: number) => void
}

/**
 * Decides whether the metadata offer client documents (CIMD §5). Where the service may not reach the Internet they must
 * not: a client that reads of them does not register, and could never connect. Each process goes by its own look-ups.
 */
export function createDocumentOffer(
  setting: DocumentSetting,
  { log, lookUp, later = startTimer }: OfferParts,
): DocumentOffer {
  let isOffered = setting !== 'off'
  let unreached = 0
  /** The document asked for last, and the one that was last reached: others may ask for what never answers. */
  let asked: string | null = null
  let reached: string | null = null

  const tryAgain = async () => {
    if (isOffered) return
    const last_asked = asked
    for (const client_id of new Set([asked, reached])) {
      if (client_id === null) continue
      await lookUp(client_id).catch((err: unknown) => log.warn({ client_id, err }, 'client_document_try_failed'))
    }
    asked = last_asked
    if (!isOffered) later(tryAgain, again_ms)
  }
  return {
    isOffered: () => isOffered,
    note(client_id, reach) {
      if (reach === 'untried') return
      asked = client_id
      if (reach === 'some') {
        reached = client_id
        unreached = 0
        if (!isOffered) log.info({ client_id }, 'client_documents_offered_again')
        isOffered = true
        return
      }
      unreached += 1
      if (setting !== 'auto' || !isOffered || unreached < unreached_max) return
      isOffered = false
      log.warn({ client_id, look_ups: unreached }, 'client_documents_withdrawn')
      later(tryAgain, again_ms)
    },
  }
}

function startTimer(run: () => Promise<void>, after_ms: number): void {
  setTimeout(() => void run(), after_ms).unref()
}

const fresh_s_min = 300
const fresh_s_max = 86_400
const fresh_s_default = 3_600

/** Seconds that a document is used without asking again, by its cache headers (RFC 9111 §4.2.1) within our bounds. */
export function freshnessOf(headers: Record<string, string | string[]>): number {
  const control = String(headers['cache-control'] ?? '').toLowerCase()
  if (/\bno-(store|cache)\b/.test(control)) return fresh_s_min
  const max_age = /(?:^|[,\s])max-age="?(\d{1,10})/.exec(control)?.[1]
  const seconds = max_age === undefined ? untilExpiry(headers) : Number(max_age) - ageOf(headers)
  return Math.min(fresh_s_max, Math.max(fresh_s_min, seconds))
}

/** From one clock to the same clock: ours has no say in it. */
function untilExpiry({ expires, date }: Record<string, string | string[]>): number {
  const seconds = (Date.parse(String(expires)) - Date.parse(String(date))) / 1_000
  return Number.isFinite(seconds) ? Math.floor(seconds) : fresh_s_default
}

function ageOf({ age }: Record<string, string | string[]>): number {
  return /^\d{1,10}$/.test(String(age)) ? Number(age) : 0
}

const address_characters_max = 2_048

/**
 * The address of a client's document (CIMD §3): `https`, a host name, a path. It must be spelled as it is parsed, so that
 * one client has one id: no dot segments, no upper-case host, no port that goes without saying.
 */
export function documentAddress(client_id: string): URL | null {
  if (client_id.length > address_characters_max || !client_id.startsWith('https://')) return null
  const url = URL.parse(client_id)
  if (!url || url.href !== client_id) return null
  const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  const isName = isIP(url.hostname) === 0 && !url.hostname.startsWith('[')
  // An empty query, fragment or user name leaves no trace in the parts.
  return isPlain && isName && url.pathname !== '/' && !/[?#@\\]/.test(client_id) ? url : null
}

const descriptions = {
  off: 'client_id: documents of clients are not read here; register instead',
  unusable: 'client_id: its document describes no client that can be used here',
}

/**
 * A client is described by a document that could not be read, that this service does not read, or that is of no use. A
 * program whose document is only away must not take it for an unknown client: one that is told so throws away what it holds.
 */
export class UnreadDocument extends OAuthError {
  readonly host: string
  readonly why: 'away' | 'off' | 'unusable'

  constructor(client_id: string, why: UnreadDocument['why']) {
    if (why === 'away') {
      super('temporarily_unavailable', 'client: its document cannot be read for the moment', { isElsewhere: true })
    } else {
      super('invalid_client', descriptions[why])
    }
    this.host = new URL(client_id).host
    this.why = why
  }
}
