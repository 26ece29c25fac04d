import { sql, type Transaction } from '#db/database.ts'

const channel = 'webhook_deliveries_due'

export const listenText = `listen ${channel}`

export async function notify(tx: Transaction, subscription_ids: readonly string[]): Promise<void> {
  await tx.run(sql`select pg_notify(${channel}, ${subscription_ids.join(' ')})`)
}
