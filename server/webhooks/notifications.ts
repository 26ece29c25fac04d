import type { PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { Database } from '#db/database.ts'
import { listenText, notify } from './notifications.store.ts'

/** One notification at most per this time, whatever commits: notifying commits are serialised by the server. */
const gather_ms = 20
/** A notification has room for 7,999 bytes; the sweeps of the workers find what is left out. */
const ids_max = 200
const listen_again_ms = 1_000

/** Tells the workers of other processes which subscriptions have due deliveries; after the commit, coalesced. */
export function createNotifier(database: Database, log: Logger) {
  const waiting = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()
  const send = async () => {
    timer = undefined
    const subscription_ids = [...waiting]
    waiting.clear()
    try {
      await database.transaction({ role: 'engine' }, (tx) => notify(tx, subscription_ids))
    } catch (error) {
      // Only time is lost: the next sweep finds the rows.
      log.warn({ err: error }, 'webhook_notification_lost')
    }
  }
  return {
    due(subscription_ids: readonly string[]): void {
      for (const id of subscription_ids) if (waiting.size < ids_max) waiting.add(id)
      timer ??= setTimeout(() => {
        sending = send()
      }, gather_ms)
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      await sending
    },
  }
}

/** Listens for what other processes commit, on a connection of its own that is opened again when it is lost. */
export function createListener(database: Database, log: Logger, due: (subscription_ids: readonly string[]) => void) {
  let client: PoolClient | undefined
  let timer: NodeJS.Timeout | undefined
  let opening: Promise<void> = Promise.resolve()
  let is_wanted = false

  const listenAgain = () => {
    if (is_wanted) timer = setTimeout(listen, listen_again_ms)
  }
  const open = async () => {
    let opened: PoolClient | undefined
    const lost = (error: unknown) => {
      client = undefined
      opened?.release(true)
      log.warn({ err: error }, 'webhook_listening_lost')
      listenAgain()
    }
    try {
      opened = await database.connect()
      await opened.query(listenText)
      opened.on('notification', ({ payload }) => due(payload?.split(' ') ?? []))
      opened.once('error', lost)
      client = opened
    } catch (error) {
      lost(error)
    }
  }
  const listen = () => {
    opening = open()
  }
  return {
    start(): void {
      is_wanted = true
      listen()
    },
    async stop(): Promise<void> {
      is_wanted = false
      clearTimeout(timer)
      await opening
      // Not given back to the pool: it would go on listening.
      client?.release(true)
      client = undefined
    },
  }
}
