import type { Logger } from 'pino'
import { createRateLimit } from '#core/rate-limit.ts'
import type { Clock } from '#core/runtime.ts'
import type { Database } from '#db/database.ts'
import { OAuthError } from '../oauth-error.ts'
import { keepDocumentClient, lookUpClient } from './client.store.ts'
import { createDocumentOffer, type DocumentSetting } from './document-offer.ts'
import { freshnessOf } from './freshness.ts'
import { type GuardedGet, type Missing, readJsonAt, refused } from './guarded-get.ts'
import { readDocument } from './read-document.ts'

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
    // Whoever looked it up before an earlier fetch was kept may come after that fetch has ended.
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
    await database.transaction({ role: 'lookup' }, (tx) => keepDocumentClient(tx, client_id, client, fresh_s))
    return null
  } catch (error) {
    if (error instanceof OAuthError) return refused(error.message)
    throw error
  }
}
