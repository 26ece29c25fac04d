import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/**
 * Takes one of the simulations of the rolling hour, with the lane locked; answers 0, or the whole seconds until the next
 * one is free. Exact, since every accepted call leaves its time.
 */
export async function takeSimulation(
  tx: Transaction,
  organization_id: string,
  subscription_id: string,
  per_hour_max: number,
): Promise<number> {
  const row = await tx.row<{ used: number; free_in_s: number }>(sql`
    select count(*)::int as used,
      coalesce(ceil(extract(epoch from min(at) + interval '1 hour' - app_now()))::int, 0) as free_in_s
    from webhook_lanes l cross join unnest(l.simulated_at) at
    where l.organization_id = ${organization_id} and l.subscription_id = ${subscription_id}
      and at > app_now() - interval '1 hour'`)
  if (row && row.used >= per_hour_max) return Math.max(1, row.free_in_s)
  await tx.run(sql`
    update webhook_lanes
    set simulated_at = array(select at from unnest(simulated_at) at where at > app_now() - interval '1 hour') || app_now()
    where organization_id = ${organization_id} and subscription_id = ${subscription_id}`)
  return 0
}

export interface SimulatedEvent {
  organization_id: string
  event_id: string
  type: { type: { type: string } }
  occurred_at: string
  entries: readonly object[]
}

/** The call that asked for it. */
export interface Cause {
  request_id: string
  trace_id: string | null
}

/** In the history like any event, but never in the feed. */
export async function insertSimulatedEvent(
  tx: Transaction,
  event: SimulatedEvent,
  { request_id, trace_id }: Cause,
): Promise<void> {
  await tx.run(sql`
    insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource, request_id,
      trace_id)
    values (${event.organization_id}, ${event.event_id}, ${event.type.type.type}, ${event.occurred_at}, app_now(), true,
      ${JSON.stringify(event.entries)}, ${request_id}, ${trace_id})`)
}
