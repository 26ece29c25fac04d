import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { settingsTable } from '#boot/config.ts'
import { createWholeService } from '#boot/service.ts'
import { readSettings } from '#boot/settings.ts'
import { createLog } from '#core/log.ts'
import type { EventType } from '#core/operation.ts'
import { openDatabase } from '#db/database.ts'
import { openSecretsFile } from '#operator/secrets-file.ts'
import { shareHappened, subscriptions_each, zipf } from './day.ts'
import { commitEvents } from './event-source.ts'
import { monotonicNow_ms } from './monotonic.ts'

// A process of its own: the API side of a service, of which nothing is left but transactions with events.

export interface DayPlan {
  connection: pg.PoolConfig
  folder: string
  origin: string
  /** Database of the settings, by which workers of other processes are woken. */
  database_url: string | null
  /** Of a credential of the first organization; the others are played by it. */
  token: string
  organization_ids: string[]
  types: string[]
  events: number
  day_ms: number
}

/** Everything since the last report. */
export interface DayReport {
  committed: [event_id: string, at_ms: number][]
  /** Deliveries that the committed events have to make. */
  deliveries: number
  /** Events that should have been committed by now. */
  behind: number
  failures: number
  last_failure?: string
  is_done: boolean
}

const connections_max = 12
const commits_at_once_max = 64
const tick_ms = 10

process.once('message', (plan: DayPlan) => void play(plan))

async function play(plan: DayPlan): Promise<void> {
  const { connection, origin, folder, organization_ids, events, day_ms } = plan
  const database = openDatabase(connection, { connections_max })
  const service = createWholeService({
    config: readSettings(settingsTable, plan.database_url === null ? {} : { DATABASE_URL: plan.database_url }),
    ...{ origin, database, connection, secrets: openSecretsFile(join(folder, 'secrets.json'), false) },
    ...{ clock: { now: Date.now }, log: createLog('silent'), strict: false },
  })
  const caller = await service.authenticate(`Bearer ${plan.token}`, null)
  const types = plan.types.map((name) => typeNamed(service.runtime.registry.events, name))
  const rankOf = zipf(organization_ids.length)
  let report = emptyReport()
  let [begun, under_way] = [0, 0]
  process.on('message', () => {
    process.send?.(report)
    report = { ...emptyReport(), is_done: report.is_done }
  })
  process.on('disconnect', () => process.exit())

  async function commit(count: number): Promise<void> {
    const organization_id = organization_ids[rankOf(Math.random())] ?? ''
    const chosen = Array.from({ length: count }, () => Math.floor(Math.random() * types.length))
    try {
      const ids = await commitEvents(
        service,
        { ...caller, organization_id },
        chosen.flatMap((at) => types[at] ?? []),
      )
      const now_ms = monotonicNow_ms()
      report.committed.push(...ids.map((id): [string, number] => [id, now_ms]))
      report.deliveries += chosen.reduce((sum, at) => sum + listenersOf(at, types.length), 0)
    } catch (error) {
      report.failures += 1
      report.last_failure = String(error)
    }
  }

  process.send?.('begun')
  const began_ms = performance.now()
  for (let moment = 0; moment < 1 || under_way > 0; ) {
    moment = Math.min(1, (performance.now() - began_ms) / day_ms)
    const wanted = Math.round(shareHappened(moment) * events)
    while (begun < wanted && under_way < commits_at_once_max) {
      const count = Math.min(eventsOfOne(Math.random()), wanted - begun)
      begun += count
      under_way += 1
      void commit(count).finally(() => {
        under_way -= 1
      })
    }
    report.behind = wanted - begun
    await pause(tick_ms)
  }
  report.is_done = true
}

const emptyReport = (): DayReport => ({ committed: [], deliveries: 0, behind: 0, failures: 0, is_done: false })

/** Most changes tell of one thing, some of several, such as an approval of many timesheets. */
const eventsOfOne = (chance: number) => (chance < 0.8 ? 1 : chance < 0.95 ? 5 : 20)

/** Subscriptions of an organization that list the type at this place. */
const listenersOf = (at: number, types: number) => Math.ceil((subscriptions_each - at) / types)

function typeNamed(events: ReadonlyMap<string, { type: EventType }>, name: string): EventType {
  const found = events.get(name)
  if (!found) throw new Error(`there is no event type ${name}`)
  return found.type
}
