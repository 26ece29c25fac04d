import type { Actor } from '#core/caller.ts'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/** Keeps what a subscription is from now on; every change of its row goes through here, in its transaction. */
export async function recordRevision(tx: Transaction, organization_id: string, id: string, by: Actor): Promise<void> {
  await tx.run(sql`
    insert into webhook_subscription_revisions (organization_id, subscription_id, revision, valid_from, status, events,
      payload, sensitive_data, changed_by)
    select organization_id, id, revision, app_now(), status, events, payload, sensitive_data, ${JSON.stringify(by)}
    from webhook_subscriptions where organization_id = ${organization_id} and id = ${id}`)
}

/** The sensitive categories that the subscription has or had at any time. */
export async function everGranted(tx: Transaction, organization_id: string, id: string): Promise<string[]> {
  const rows = await tx.rows<{ category: string }>(sql`
    select distinct unnest(sensitive_data) as category from webhook_subscription_revisions
    where organization_id = ${organization_id} and subscription_id = ${id}`)
  return rows.map(({ category }) => category)
}
