import type { Tenant } from '#core/caller.ts'
import { sql, type Transaction } from '#db/database.ts'

interface WebhookFigures {
  active: number
  disabled: number
  failing: number
  pending: number
  held: number
  oldest_pending_at: string | null
  succeeded: number
  failed: number
}

/** Counts of open deliveries end here, as in the answer of one webhook. */
const backlog_max = 10_000

/** The newest deliveries of each webhook that are looked at. */
export const deliveries_looked_at_max = 1_000

/** The webhooks of an organization by state, with what they still have to send and how deliveries since then have ended. */
export async function webhookFigures(
  tx: Transaction,
  { organization_id }: Tenant,
  { since, warn_after }: { since: string; warn_after: number },
): Promise<WebhookFigures | undefined> {
  return tx.row<WebhookFigures>(sql`
    select states.*, backlog.*, ended.* from (
      select count(*) filter (where s.status = 'active')::int as active,
        count(*) filter (where s.status = 'disabled')::int as disabled,
        count(*) filter (where s.status = 'active' and l.consecutive_failures >= ${warn_after})::int as failing
      from webhook_subscriptions s
      join webhook_lanes l on l.organization_id = s.organization_id and l.subscription_id = s.id
      where s.organization_id = ${organization_id} and s.status <> 'deleted') states
    cross join (
      select count(*) filter (where status <> 'held')::int as pending, count(*) filter (where status = 'held')::int as held,
        min(created_at) filter (where status <> 'held') as oldest_pending_at
      from (select status, created_at from webhook_open_deliveries
            where organization_id = ${organization_id} limit ${backlog_max}) d) backlog
    cross join (
      select count(*) filter (where d.status = 'succeeded')::int as succeeded,
        count(*) filter (where d.status in ('failed', 'expired'))::int as failed
      from webhook_subscriptions s
      cross join lateral (
        select d.status from all_webhook_deliveries d
        where d.organization_id = ${organization_id} and d.subscription_id = s.id and d.id >= first_id_at(${since}::timestamptz)
        order by d.id desc limit ${deliveries_looked_at_max}) d
      where s.organization_id = ${organization_id} and s.status <> 'deleted') ended`)
}
