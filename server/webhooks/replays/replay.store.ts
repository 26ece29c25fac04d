import type { Actor } from '#core/caller.ts'
import type { ListQuery } from '#core/lists/list.ts'
import { refuseDuplicate } from '#core/problems/constraint.ts'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { replayRunning } from './problems.ts'

refuseDuplicate('webhook_replays_open', replayRunning, 'The subscription has a replay that is not finished.')

export interface ReplayRow {
  id: string
  webhook_id: string
  state: 'queued' | 'running' | 'paused' | 'completed' | 'cancelled'
  since: string
  until: string
  statuses: string[]
  matched: number
  created: number
  skipped: number
  requested_by: Actor
  created_at: string
  updated_at: string
  finished_at: string | null
}

const columns = sql`r.id, r.subscription_id as webhook_id, r.state, r.since, r.until, r.statuses, r.matched, r.created,
  r.skipped, r.requested_by, r.created_at, r.updated_at, r.finished_at`

export interface NewReplay {
  id: string
  organization_id: string
  webhook_id: string
  since: string
  until: string
  statuses: readonly string[]
  requested_by: Actor
}

export async function insertReplay(tx: Transaction, replay: NewReplay): Promise<void> {
  await tx.run(sql`
    insert into webhook_replays (organization_id, id, subscription_id, since, until, statuses, state, requested_by,
      created_at, updated_at)
    values (${replay.organization_id}, ${replay.id}, ${replay.webhook_id}, ${replay.since}, ${replay.until},
      ${replay.statuses}, 'queued', ${JSON.stringify(replay.requested_by)}, app_now(), app_now())`)
}

export function findReplay(
  tx: Transaction,
  organization_id: string,
  webhook_id: string,
  id: string,
): Promise<ReplayRow | undefined> {
  return tx.row<ReplayRow>(sql`
    select ${columns} from webhook_replays r
    where r.organization_id = ${organization_id} and r.subscription_id = ${webhook_id} and r.id = ${id}`)
}

export function replayList(organization_id: string, webhook_id: string): ListQuery {
  return {
    columns,
    from: sql`webhook_replays r`,
    where: [sql`r.organization_id = ${organization_id}`, sql`r.subscription_id = ${webhook_id}`],
    order: ['r.created_at', 'r.id'],
    updated_at: 'r.updated_at',
  }
}

/** Ends an open job, with the lane locked; the mover gives up what a worker is sending meanwhile. */
export async function cancelReplayRow(tx: Transaction, organization_id: string, id: string): Promise<void> {
  await tx.run(sql`
    update webhook_replays set state = 'cancelled', finished_at = app_now(), updated_at = app_now()
    where organization_id = ${organization_id} and id = ${id} and state in ('queued', 'running', 'paused')`)
}

/** Unsent deliveries of a cancelled job are given up: never more than a job may have unsent. Answers how many. */
export function cancelReplayed(tx: Transaction, organization_id: string, id: string): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d
    set status = 'cancelled', hold_reason = null, next_attempt_at = null, completed_at = app_now(),
      updated_at = app_now()
    where d.organization_id = ${organization_id} and d.replay_id = ${id} and d.origin = 'replay'
      and d.status in ('pending', 'held')`)
}
