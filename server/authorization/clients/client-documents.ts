import { isIP } from 'node:net'
import type { Logger } from 'pino'
import type { Database } from '#db/database.ts'
import type { Missing } from '#outbound/guarded-get.ts'
import { OAuthError } from '../parameters.ts'
import { keepDocumentClient } from './client.store.ts'
import { readDocument } from './client-metadata.ts'
import { createFetchedObjects, type FetchParts } from './fetched-objects.ts'

/** CIMD §6.6. */
const document_bytes_max = 5_120

/** The documents by which clients are described. */
export function createDocumentClients(
  { database, ...parts }: FetchParts & { database: Database },
  setting: DocumentSetting,
) {
  const documents = createFetchedObjects<boolean>(parts, {
    name: 'client_documents',
    bytes_max: document_bytes_max,
    async take(client_id, object, headers) {
      const client = { ...readDocument(object, client_id), client_id }
      await database.transaction({ role: 'lookup' }, (tx) => keepDocumentClient(tx, client, freshnessOf(headers)))
      return true
    },
    onTry: (client_id, missing) => offer.note(client_id, missing?.reach ?? 'some'),
  })
  const lookUp = async (client_id: string) => void (await documents.fetch(client_id, null))
  const offer = createDocumentOffer(setting, { log: parts.log, lookUp })
  return {
    /** Returns true when clients are told that they may be described by a document. */
    isOffered: offer.isOffered,
    /** Reads a document and keeps the client; answers why it could not. A network is counted for an address never seen. */
    async refresh(client_id: string, network: string | null): Promise<UnreadDocument | null> {
      if (setting === 'off') return new UnreadDocument(client_id, 'off')
      const { missing } = await documents.fetch(client_id, network)
      return missing && new UnreadDocument(client_id, missing.is_away ? 'away' : 'unusable')
    },
  }
}

/** `auto`: clients are offered to be described by documents as long as look-ups reach anything. */
export type DocumentSetting = 'auto' | 'on' | 'off'

/** Look-ups in a row that reached no address at all; from then on nobody is sent into a dead end. */
const unreached_max = 3
const again_ms = 600_000

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
export function createDocumentOffer(setting: DocumentSetting, { log, lookUp, later = startTimer }: OfferParts) {
  let isOffered = setting !== 'off'
  let unreached = 0
  /** The document asked for last, and the one that was last reached: others may ask for what never answers. */
  let asked: string | null = null
  let reached: string | null = null

  const tryAgain = async () => {
    const last_asked = asked
    for (const client_id of new Set([asked, reached])) {
      if (client_id === null || isOffered) continue
      await lookUp(client_id).catch((err: unknown) => log.warn({ client_id, err }, 'client_document_try_failed'))
    }
    asked = last_asked
    if (!isOffered) later(tryAgain, again_ms)
  }
  return {
    isOffered: () => isOffered,
    /** Notes the result of a look-up: whether any address was reached, whatever it said. */
    note(client_id: string, reach: Missing['reach']): void {
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
  const { 'cache-control': control = '', age = '', expires, date } = headers
  const directives = String(control).toLowerCase()
  if (/\bno-(store|cache)\b/.test(directives)) return fresh_s_min
  const max_age = /(?:^|[,\s])max-age="?(\d{1,10})/.exec(directives)?.[1]
  const spent_s = /^\d{1,10}$/.test(String(age)) ? Number(age) : 0
  // From one clock to the same clock: ours has no say in it.
  const until_expiry_s = Math.floor((Date.parse(String(expires)) - Date.parse(String(date))) / 1_000)
  const fresh_s = max_age === undefined ? until_expiry_s : Number(max_age) - spent_s
  return Number.isNaN(fresh_s) ? fresh_s_default : Math.min(fresh_s_max, Math.max(fresh_s_min, fresh_s))
}

const address_characters_max = 2_048

/**
 * The address of a client's document (CIMD §3): `https`, a host name, a path. It must be spelled as it is parsed, so that
 * one client has one id: no dot segments, no upper-case host, no port that goes without saying.
 */
export function documentAddress(client_id: string): URL | null {
  // No query, no fragment and no user name, which leave no trace in the parts of an address where they are empty.
  if (client_id.length > address_characters_max || !/^https:\/\/[^?#@\\]+$/.test(client_id)) return null
  const url = URL.parse(client_id)
  if (url?.href !== client_id || url.pathname === '/') return null
  return isIP(url.hostname) === 0 && !url.hostname.startsWith('[') ? url : null
}

const faults = {
  away: ['temporarily_unavailable', 'client: its document cannot be read for the moment'],
  off: ['invalid_client', 'client_id: documents of clients are not read here; register instead'],
  unusable: ['invalid_client', 'client_id: its document describes no client that can be used here'],
} as const

/**
 * A client is described by a document that could not be read, that this service does not read, or that is of no use. A
 * program whose document is only away must not take it for an unknown client: one that is told so throws away what it holds.
 */
export class UnreadDocument extends OAuthError {
  readonly host: string
  readonly why: keyof typeof faults

  constructor(client_id: string, why: keyof typeof faults) {
    const [code, description] = faults[why]
    super(code, description, { isElsewhere: why === 'away' })
    this.host = new URL(client_id).host
    this.why = why
  }
}
