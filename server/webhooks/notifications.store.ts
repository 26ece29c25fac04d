import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createJob, type Job } from '#core/jobs/job.ts'
import { type Database, sql } from '#db/database.ts'

const channel = 'webhook_deliveries_due'

/** One notification at most per this time, whatever commits: notifying commits are serialised by the server. */
const gather_ms = 20
/** A notification has room for 7,999 bytes; the rounds of the workers find what is left out. */
const ids_max = 200
const listen_again_ms = 1_000

/** Tells the workers of other processes which subscriptions have due deliveries; after the commit, coalesced. */
export function createNotifier(database: Database, log: Logger) {
  const waiting = new Set<string>()
  let sending: Promise<void> | undefined
  let last = Promise.resolve()
  const send = async () => {
    await sleep(gather_ms)
    sending = undefined
    const subscription_ids = [...waiting].join(' ')
    waiting.clear()
    const notified = database.transaction({ role: 'engine' }, (tx) =>
      tx.run(sql`select pg_notify(${channel}, ${subscription_ids})`),
    )
    // Only time is lost: the next round finds the rows.
    await notified.catch((error: unknown) => log.warn({ err: error }, 'webhook_notification_lost'))
  }
  return {
    due(subscription_ids: readonly string[]): void {
      for (const id of subscription_ids) if (waiting.size < ids_max) waiting.add(id)
      last = sending ??= send()
    },
    /** Ends when the last notification has been sent. */
    close: () => last,
  }
}

/** Listens for what other processes commit, on a connection of its own that is opened again when it is lost. */
export function createListener(
  database: Database,
  log: Logger,
  due: (subscription_ids: readonly string[]) => void,
): Job {
  const job = createJob(async () => {
    const stopped = Promise.withResolvers<void>()
    job.signal.addEventListener('abort', () => stopped.resolve(), { once: true })
    try {
      const client = await database.connect()
      const lost = new Promise((_, reject) => client.once('error', reject))
      client.on('notification', ({ payload }) => due(payload?.split(' ') ?? []))
      // Not given back to the pool at the end: it would go on listening.
      await Promise.race([client.query(`listen ${channel}`).then(() => stopped.promise), lost]).finally(() =>
        client.release(true),
      )
    } catch (error) {
      log.warn({ err: error }, 'webhook_listening_lost')
    }
    return listen_again_ms
  })
  return job
}
