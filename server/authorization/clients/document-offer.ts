import type { Logger } from 'pino'
import type { Missing } from './guarded-get.ts'

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
