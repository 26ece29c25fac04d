import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/** From this failure on an account waits, and twice as long after each further one. */
const free_failures = 5
/** No longer than this: whoever fails on purpose must not keep the owner of the account out. */
const wait_s_max = 60
const account_kept_s = 86_400

const failures_per_network_max = 20
const network_window_s = 60

const forgotten_per_attempt_max = 100

/**
 * Counts an attempt on an account before its password is looked at, so that parallel ones count too; whoever was right
 * takes it back. Answers false while the account waits: such an attempt is neither looked at nor counted.
 */
export async function takeOfAccount(tx: Transaction, key: Buffer): Promise<boolean> {
  const row = await tx.row(sql`
    insert into sign_in_failures as f (key_digest, failures, blocked_until, forget_at)
    values (${key}, 1, app_now(), app_now() + make_interval(secs => ${account_kept_s}))
    on conflict (key_digest) do update set
      failures = case when f.forget_at <= app_now() then 1 else f.failures + 1 end,
      blocked_until = case when f.forget_at <= app_now() or f.failures + 1 < ${free_failures} then app_now()
        else app_now() + make_interval(secs => least(${wait_s_max}, power(2, least(f.failures + 1 - ${free_failures}, 10)))) end,
      forget_at = excluded.forget_at
    where f.blocked_until <= app_now()
    returning failures`)
  return row !== undefined
}

/** The same for a network: so many failures in a minute. */
export async function takeOfNetwork(tx: Transaction, key: Buffer): Promise<boolean> {
  const row = await tx.row(sql`
    insert into sign_in_failures as f (key_digest, failures, blocked_until, forget_at)
    values (${key}, 1, app_now(), app_now() + make_interval(secs => ${network_window_s}))
    on conflict (key_digest) do update set
      failures = case when f.forget_at <= app_now() then 1 else f.failures + 1 end,
      blocked_until = case when f.failures + 1 >= ${failures_per_network_max} then f.forget_at else app_now() end,
      forget_at = case when f.forget_at <= app_now() then excluded.forget_at else f.forget_at end
    where f.forget_at <= app_now() or f.failures < ${failures_per_network_max}
    returning failures`)
  return row !== undefined
}

/** Seconds until either may try again. */
export async function waitOf(tx: Transaction, keys: readonly Buffer[]): Promise<number> {
  const row = await tx.row<{ wait_s: number }>(sql`
    select ceil(coalesce(extract(epoch from max(blocked_until) - app_now()), 0))::int as wait_s
    from sign_in_failures where key_digest = any (${keys}::bytea[])`)
  return Math.max(1, row?.wait_s ?? 1)
}

/** The right password ends the waiting of the account, and its attempt was no failure of the network. */
export async function giveBack(tx: Transaction, account: Buffer, network: Buffer): Promise<void> {
  await tx.run(sql`delete from sign_in_failures where key_digest = ${account}`)
  await tx.run(sql`update sign_in_failures set failures = failures - 1 where key_digest = ${network} and failures > 0`)
}

/** Counts of long ago go with later attempts, some at a time. */
export async function forgetOldFailures(tx: Transaction): Promise<void> {
  await tx.run(sql`
    delete from sign_in_failures where key_digest in (
      select key_digest from sign_in_failures where forget_at < app_now() order by forget_at
      limit ${forgotten_per_attempt_max} for update skip locked)`)
}
