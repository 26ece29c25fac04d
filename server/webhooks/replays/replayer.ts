import type { Transaction } from '#db/database.ts'
import type { Engine } from '../delivery/deliver.ts'
import { lockQueue } from '../delivery/upkeep.store.ts'
import { insertDeliveries } from '../fan-out.store.ts'
import { findEvents } from '../history/history.store.ts'
import { readSubscription, type SubscriptionRow } from '../subscriptions/subscription.ts'
import {
  cancelUnsent,
  countUnsent,
  openReplays,
  type ReplaySource,
  read_rows_max,
  readSources,
  unsent_max,
} from './replay.store.ts'
import { type ReplayRow, replay } from './replay.ts'

/** Jobs that one pass looks at; the next pass takes the rest. */
const jobs_per_pass_max = 500
/** Batches of one job that find nothing to send; the next pass goes on. */
const batches_per_pass_max = 20

/**
 * One pass over the replay jobs, in batches that are one transaction each, as long as there is time: a job goes on where
 * its row says, whoever worked on it before. Answers how many deliveries were made or given up.
 */
export async function moveReplays(parts: Engine, isTimeLeft: () => boolean): Promise<number> {
  const { database } = parts
  const jobs = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
    openReplays(tx, jobs_per_pass_max),
  )
  let moved = 0
  for (const job of jobs) {
    for (let batches = 0; batches < batches_per_pass_max; batches += 1) {
      const batch = await database.transaction({ role: 'engine' }, (tx) => moveOne(tx, job, parts))
      moved += batch ?? 0
      if (batch !== 0 || !isTimeLeft()) break
    }
    if (!isTimeLeft()) break
  }
  return moved
}

/** Answers how many deliveries were moved: 0 where the next batch may find some, null where there is nothing to do now. */
async function moveOne(
  tx: Transaction,
  { id, subscription_id }: { id: string; subscription_id: string },
  parts: Engine,
): Promise<number | null> {
  const queue = await lockQueue(tx, subscription_id)
  const job = queue && (await replay.find(tx, { organization_id: queue.organization_id, id, is_settled: false }))
  if (!job) return null
  if (job.state === 'cancelled' || queue.status === 'deleted') return cancel(tx, job)
  if (queue.status === 'active') return repeatSome(tx, job, parts)
  if (job.state !== 'paused') await replay.save(tx, job, { ...job, state: 'paused' })
  return null
}

/** Gives up also what a worker was sending when the job was cancelled, and failed. */
async function cancel(tx: Transaction, job: ReplayRow): Promise<number | null> {
  const moved = await cancelUnsent(tx, job, job.id)
  const { sending } = await countUnsent(tx, job)
  const ended = { state: 'cancelled', finished_at: job.finished_at ?? tx.now, is_settled: sending === 0 } as const
  if (ended.is_settled || ended.state !== job.state) await replay.save(tx, job, { ...job, ...ended })
  return moved === 0 ? null : moved
}

async function repeatSome(tx: Transaction, job: ReplayRow, parts: Engine): Promise<number | null> {
  const { unsent } = await countUnsent(tx, job)
  const room = Math.min(parts.release_rate, unsent_max - unsent)
  if (room <= 0) return null
  const subscription = await readSubscription(tx, job, job.subscription_id)
  const sources = await readSources(tx, job)
  const matches = ({ status }: ReplaySource) => job.statuses.some((wanted) => wanted === status)
  const isListed = (type: string) => subscription.events.includes(type) && parts.catalogue.has(type)
  const chosen = sources
    .filter((source) => matches(source) && !source.is_recovered && isListed(source.event_type))
    .slice(0, room)
  const last = chosen[room - 1]
  // The rest, behind the last one that there is room for, is read again.
  const read = last ? sources.slice(0, sources.indexOf(last) + 1) : sources
  if (chosen.length > 0) await insert(tx, job, subscription, chosen, parts)
  const [created, matched] = [chosen.length, read.filter(matches).length]
  const is_complete = read.length === sources.length && sources.length < read_rows_max
  await replay.save(tx, job, {
    ...job,
    position: read.at(-1)?.id ?? job.position,
    matched: job.matched + matched,
    created: job.created + created,
    skipped: job.skipped + matched - created,
    ...(created > 0 && { inserted_at: tx.now }),
    ...(is_complete ? { state: 'completed', is_settled: true, finished_at: tx.now } : { state: 'running' }),
  })
  return is_complete && created === 0 ? null : created
}

/** Bodies are those stored, unless the subscription is to be sent others now. */
async function insert(
  tx: Transaction,
  job: ReplayRow,
  subscription: SubscriptionRow,
  chosen: readonly ReplaySource[],
  { catalogue, schedules, newId }: Engine,
): Promise<void> {
  const event_ids = chosen.map(({ event_id }) => event_id)
  const found = await findEvents(tx, job, event_ids)
  const events = new Map(found.map((event) => [event.event_id, event]))
  const sendings = chosen.map(({ id, event_id, event_type }) => {
    const event = events.get(event_id)
    const type = catalogue.get(event_type)
    if (!event || !type) throw new Error(`the event of delivery ${id} is gone`)
    const to = [{ ...subscription, status: 'active' as const }]
    return { type, event, to, source_delivery_id: id, replay_id: job.id }
  })
  const origin = { origin: 'replay', schedule_id: await schedules.current(tx), newId } as const
  insertDeliveries(tx, job.organization_id, origin, sendings)
}
