import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Clock } from '#core/clock.ts'
import { createCursors } from '#core/list.ts'
import { watchPool } from '#core/pool-metrics.ts'
import type { Registry } from '#core/registry.ts'
import type { Secrets } from '#core/secrets.ts'
import { newId } from '#core/values.ts'
import { type Connection, openDatabase } from '#db/database.ts'
import { type EgressSettings, egressPolicy } from '#outbound/address-rules.ts'
import { createResolver } from '#outbound/resolver.ts'
import { createSender, type Sender } from '#outbound/sender.ts'
import { EngineClock } from './delivery/clock.ts'
import { Dispatcher } from './delivery/dispatcher.ts'
import { createFanOut } from './fan-out.store.ts'
import { createSequencer } from './feed/sequencer.ts'
import { watchQueue } from './metrics.ts'
import { createListener, createNotifier } from './notifications.store.ts'
import { createPartitionLoop } from './retention/partitions.ts'
import { createRetrySchedules } from './retry-schedule.store.ts'
import type { Wake, WebhookRoom, WebhookSettings } from './room.ts'

/** The parts that the operations of the room are made from, in every thread that runs them. */
export interface RoomParts {
  settings: WebhookSettings
  egress: EgressSettings
  registry: Registry
  secrets: Secrets
  clock: Clock
  /** Time that only moves forward; the process's own unless a test moves it. */
  monotonic_ms?: () => number
}

export interface WebhookParts extends RoomParts {
  /** For the engine's own few connections, so that API load and engine cannot starve each other. */
  connection: Connection
  log: Logger
  release: string
  /** No other process can send from this database. */
  is_alone?: boolean
  /** Instead of one that sends, for measuring the rest. */
  sender?: Sender
}

export type Webhooks = ReturnType<typeof openWebhooks>

/** Claiming and recording, rounds, notifications out, notifications in, numbering of the feed, the hourly look at partitions. */
const engine_connections_max = 6

/** A process whose engine has not finished a run for longer is not ready. */
const run_age_max_ms = 10_000

const processTime = () => performance.now()

/** Opens what operations are handed, and the fan-out of their events. Who delivers is woken after their commit. */
export function openRoom(parts: RoomParts, wake: Wake) {
  const { settings, egress, registry, secrets, clock, monotonic_ms = processTime } = parts
  const resolver = createResolver()
  const room: WebhookRoom = {
    settings,
    catalogue: registry.events,
    policy: egressPolicy(egress),
    resolver,
    schedules: createRetrySchedules(settings.delays_ms),
    cursors: createCursors(secrets),
    wake,
  }
  return { room, fanOut: createFanOut(room, clock, monotonic_ms), close: () => resolver.close() }
}

/** Opens the room with the engine of this thread (not started). */
export function openWebhooks(parts: WebhookParts) {
  const { settings, connection, secrets, clock, log, monotonic_ms = processTime } = parts
  const database = openDatabase(connection, { connections_max: engine_connections_max })
  watchPool('webhooks', database.pool)
  const notifier = createNotifier(database, log)
  // Signals go to this process, or to others where this one has no worker that is free.
  const wake: Wake = {
    due: (ids) => {
      if (!dispatcher.due(ids) && settings.notify) notifier.due(ids)
    },
    changed: () => dispatcher.changed(),
  }
  const { room, fanOut, close } = openRoom(parts, wake)
  const { policy, resolver, schedules, catalogue } = room
  const sender = parts.sender ?? createSender(policy, { resolver })
  const dispatcher = new Dispatcher({
    ...settings,
    database,
    clock: new EngineClock(log, clock.now, monotonic_ms),
    schedules,
    fanOut,
    catalogue,
    sender,
    log,
    secrets,
    newId: () => newId(clock.now()),
    monotonic_ms,
    user_agent: `Stint-Webhooks/${parts.release}`,
    // Process numbers come again after a restart; a lease must tell whether it is of before.
    worker: `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`,
    is_alone: parts.is_alone ?? false,
  })
  const listener = createListener(database, log, (ids) => dispatcher.due(ids))
  const sequencer = createSequencer(database, log)
  const partitions = createPartitionLoop({ database, log, retention_days: settings.retention_days })
  return {
    room,
    fanOut,
    wake,
    dispatcher,
    /** Starts the workers of this process. */
    start(): void {
      watchQueue(database)
      dispatcher.start()
      sequencer.start()
      partitions.start()
      if (settings.notify) listener.start()
    },
    /** The reason why this process does not do its work; null when it does, or is not meant to. */
    fault(): string | null {
      const ages_ms = {
        'look at due deliveries': dispatcher.roundAgeMs(),
        'numbering of the feed': sequencer.runAgeMs(),
      }
      const late = Object.entries(ages_ms).filter(([, age_ms]) => age_ms > run_age_max_ms)
      return late.map(([what, age_ms]) => `the last ${what} ended ${Math.round(age_ms)} ms ago`).join('; ') || null
    },
    /** Ends the workers within the time they have. */
    async stop(): Promise<void> {
      watchQueue(null)
      await Promise.all([listener.stop(), dispatcher.stop(), sequencer.stop(), partitions.stop()])
    },
    /** After they have stopped. */
    async close(): Promise<void> {
      await notifier.close()
      sender.close()
      close()
      await database.close()
    },
  }
}
