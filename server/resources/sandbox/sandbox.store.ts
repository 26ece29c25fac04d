import { sql, type Transaction } from '#db/database.ts'

interface Outlook {
  pending_timers: number
  next_timer_at: string | null
}

/** The open timers of these kinds, and when the first of them is due. */
export async function readOutlook(
  tx: Transaction,
  organization_id: string,
  kinds: readonly string[],
): Promise<Outlook> {
  const row = await tx.row<Outlook>(sql`
    select count(*)::int as pending_timers, min(due_at) as next_timer_at from timers
    where organization_id = ${organization_id} and kind = any (${kinds}) and fired_at is null and cancelled_at is null`)
  return row ?? { pending_timers: 0, next_timer_at: null }
}

/** Drops every business row of the sandbox, and the credentials that act as one of its people. */
export async function emptySandbox(tx: Transaction): Promise<void> {
  await tx.run(sql`select empty_sandbox()`)
}
