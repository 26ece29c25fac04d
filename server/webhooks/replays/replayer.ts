import type { RegisteredEvent } from '#core/registry.ts'
import type { Database, Transaction } from '#db/database.ts'
import { lockLaneToMove } from '../delivery/move.store.ts'
import { insertBodies } from '../delivery.store.ts'
import { seedOf } from '../fan-out.ts'
import type { RetrySchedules } from '../retry-schedule.ts'
import { findSubscription } from '../subscriptions/subscription.store.ts'
import {
  advance,
  cancelReplayed,
  cancelReplayRow,
  insertReplayed,
  pause,
  type ReplayJob,
  type ReplaySource,
  read_rows_max,
  readEvents,
  readJob,
  readSources,
  replaysToMove,
  settleReplay,
  unsent_max,
} from './replay.store.ts'

export interface ReplayerParts {
  database: Database
  catalogue: ReadonlyMap<string, RegisteredEvent>
  schedules: RetrySchedules
  newId(): string
  /** Deliveries inserted per second and job. */
  release_rate: number
}

/** Jobs that one pass looks at; the next pass takes the rest. */
const jobs_per_pass_max = 500
/** Batches of one job that find nothing to send; the next pass goes on. */
const batches_per_pass_max = 20

/** What one batch did: deliveries moved, and whether another one can follow at once. */
interface Batch {
  moved: number
  goes_on: boolean
}

const idle: Batch = { moved: 0, goes_on: false }

/**
 * One pass over the replay jobs, in batches that are one transaction each: a job goes on where its row says, whoever
 * worked on it before. Answers how many deliveries were made or given up.
 */
export async function moveReplays(parts: ReplayerParts): Promise<number> {
  const jobs = await parts.database.transaction({ role: 'engine', read_only: true }, (tx) =>
    replaysToMove(tx, jobs_per_pass_max),
  )
  let moved = 0
  for (const { id, subscription_id } of jobs) {
    for (let batches = 0; batches < batches_per_pass_max; batches += 1) {
      const batch = await parts.database.transaction({ role: 'engine' }, (tx) =>
        moveOne(tx, subscription_id, id, parts),
      )
      moved += batch.moved
      if (!batch.goes_on) break
    }
  }
  return moved
}

async function moveOne(tx: Transaction, subscription_id: string, id: string, parts: ReplayerParts): Promise<Batch> {
  const lane = await lockLaneToMove(tx, subscription_id)
  const job = lane && (await readJob(tx, lane.organization_id, id))
  if (!job) return idle
  if (job.state === 'cancelled' || lane.status === 'deleted') return cancel(tx, job)
  if (lane.status === 'disabled') {
    await pause(tx, job)
    return idle
  }
  return replay(tx, job, parts)
}

/** Also what a worker was sending when the job was cancelled, and failed. */
async function cancel(tx: Transaction, job: ReplayJob): Promise<Batch> {
  await cancelReplayRow(tx, job.organization_id, job.id)
  const moved = await cancelReplayed(tx, job.organization_id, job.id)
  if (job.sending === 0) await settleReplay(tx, job)
  return { moved, goes_on: false }
}

async function replay(tx: Transaction, job: ReplayJob, parts: ReplayerParts): Promise<Batch> {
  const room = Math.min(parts.release_rate, unsent_max - job.unsent)
  const subscription = await findSubscription(tx, job.organization_id, job.subscription_id)
  if (room <= 0 || !subscription) return idle
  const sources = await readSources(tx, job)
  const listed = new Set(subscription.events.filter((type) => parts.catalogue.has(type)))
  const { chosen, read, matched } = choose(sources, job, listed, room)
  const created = chosen.length > 0 ? await insert(tx, job, subscription, chosen, parts) : 0
  const is_complete = read === sources.length && sources.length < read_rows_max
  const position = sources[read - 1]?.id ?? job.position
  await advance(tx, job, { position, matched, created, skipped: matched - chosen.length, is_complete })
  return { moved: created, goes_on: !is_complete && created === 0 }
}

/** As many of the deliveries read as there is room for, and how far that goes. */
function choose(
  sources: readonly ReplaySource[],
  { statuses }: ReplayJob,
  listed: ReadonlySet<string>,
  room: number,
): { chosen: ReplaySource[]; read: number; matched: number } {
  const chosen: ReplaySource[] = []
  let matched = 0
  for (const [read, source] of sources.entries()) {
    const matches = statuses.includes(source.status)
    const is_sent = matches && !source.is_recovered && listed.has(source.event_type)
    if (is_sent && chosen.length === room) return { chosen, read, matched }
    if (matches) matched += 1
    if (is_sent) chosen.push(source)
  }
  return { chosen, read: sources.length, matched }
}

/** Bodies are those stored, unless the subscription is to be sent others now. */
async function insert(
  tx: Transaction,
  job: ReplayJob,
  subscription: NonNullable<Awaited<ReturnType<typeof findSubscription>>>,
  chosen: readonly ReplaySource[],
  { catalogue, schedules, newId }: ReplayerParts,
): Promise<number> {
  const { organization_id } = job
  const rows = await readEvents(
    tx,
    organization_id,
    chosen.map(({ event_id }) => event_id),
  )
  const events = new Map(rows.map((event) => [event.event_id, event]))
  const seeds = chosen.flatMap((source) => {
    const event = events.get(source.event_id)
    const type = catalogue.get(source.event_type)
    if (!event || !type) throw new Error(`the event of delivery ${source.id} is gone`)
    const seed = seedOf({ ...event, type, organization_id }, [{ ...subscription, status: 'active' }], newId)
    return { ...seed, deliveries: seed.deliveries.map((delivery) => ({ ...delivery, source_delivery_id: source.id })) }
  })
  await insertBodies(tx, organization_id, seeds)
  return insertReplayed(tx, job, await schedules.current(tx), seeds)
}
