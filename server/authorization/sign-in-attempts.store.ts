import { sql, type Transaction } from '#db/database.ts'

/** From this failure on an account waits where it was failed, and twice as long after each further one. */
const free_failures = 5
const wait_s_max = 60
const place_kept_s = 86_400

const failures_per_network_max = 20
/**
 * Of an account, over all places together that failed it more than a person does: what guessing comes to in the end, from
 * however many networks. A place with fewer failures is not counted here, so that others cannot keep it out.
 */
const failures_per_account_max = 30
const window_s = 60

const forgotten_per_attempt_max = 100

/** The digests an attempt is counted under; statements touch them in this order, so that none wait for each other. */
export interface AttemptKeys {
  /** Absent for a browser that proved itself: what others do in its network does not count against it. */
  network: Buffer | null
  /** The account, as asked for from the network or by the browser. */
  place: Buffer
  /** The account, wherever it is asked for. */
  account: Buffer
}

/** Keys that an attempt was counted under, to be taken back when its password is right. */
export interface Counted {
  network: Buffer | null
  place: Buffer
  account: Buffer | null
}

/**
 * Counts an attempt before its password is looked at, so that parallel ones count too. One that has to wait is not looked
 * at, and counted for its network only.
 */
export async function takeAttempt(
  tx: Transaction,
  { network, place, account }: AttemptKeys,
): Promise<Counted | { wait_s: number }> {
  if (network && !(await takeOfWindow(tx, network, failures_per_network_max))) return waitOf(tx, network)
  const failures = await takeOfPlace(tx, place)
  if (failures === null) return waitOf(tx, place)
  if (!network || failures < free_failures) return { network, place, account: null }
  if (await takeOfWindow(tx, account, failures_per_account_max)) return { network, place, account }
  // Knocking while it has to wait makes no caller wait longer.
  await giveBackOne(tx, place)
  return waitOf(tx, account)
}

/** Of a place, because whoever fails on purpose must not keep the owner of the account out elsewhere. */
async function takeOfPlace(tx: Transaction, key: Buffer): Promise<number | null> {
  const row = await tx.row<{ failures: number }>(sql`
    insert into sign_in_failures as f (key_digest, failures, blocked_until, forget_at)
    values (${key}, 1, app_now(), app_now() + make_interval(secs => ${place_kept_s}))
    on conflict (key_digest) do update set
      failures = case when f.forget_at <= app_now() then 1 else f.failures + 1 end,
      blocked_until = case when f.forget_at <= app_now() or f.failures + 1 < ${free_failures} then app_now()
        else app_now() + make_interval(secs => least(${wait_s_max}, power(2, least(f.failures + 1 - ${free_failures}, 10)))) end,
      forget_at = excluded.forget_at
    where f.blocked_until <= app_now()
    returning failures`)
  return row?.failures ?? null
}

/** So many failures in a minute. */
async function takeOfWindow(tx: Transaction, key: Buffer, failures_max: number): Promise<boolean> {
  const row = await tx.row(sql`
    insert into sign_in_failures as f (key_digest, failures, blocked_until, forget_at)
    values (${key}, 1, app_now(), app_now() + make_interval(secs => ${window_s}))
    on conflict (key_digest) do update set
      failures = case when f.forget_at <= app_now() then 1 else f.failures + 1 end,
      blocked_until = case when f.forget_at > app_now() and f.failures + 1 >= ${failures_max} then f.forget_at
        else app_now() end,
      forget_at = case when f.forget_at <= app_now() then excluded.forget_at else f.forget_at end
    where f.forget_at <= app_now() or f.failures < ${failures_max}
    returning failures`)
  return row !== undefined
}

async function giveBackOne(tx: Transaction, key: Buffer): Promise<void> {
  await tx.run(sql`
    update sign_in_failures set failures = failures - 1, blocked_until = app_now()
    where key_digest = ${key} and failures > 0`)
}

/** Seconds until it may be tried again. */
async function waitOf(tx: Transaction, key: Buffer): Promise<{ wait_s: number }> {
  const row = await tx.row<{ wait_s: number }>(sql`
    select ceil(coalesce(extract(epoch from max(blocked_until) - app_now()), 0))::int as wait_s
    from sign_in_failures where key_digest = ${key}`)
  return { wait_s: Math.max(1, row?.wait_s ?? 1) }
}

/** The right password ends the waiting of its place, and its attempt was no failure of network and account. */
export async function giveBack(tx: Transaction, { network, place, account }: Counted): Promise<void> {
  if (network) await giveBackOne(tx, network)
  await tx.run(sql`delete from sign_in_failures where key_digest = ${place}`)
  if (account) await giveBackOne(tx, account)
}

/** Counts of long ago go with later attempts, some at a time. */
export async function forgetOldFailures(tx: Transaction): Promise<void> {
  await tx.run(sql`
    delete from sign_in_failures where key_digest in (
      select key_digest from sign_in_failures where forget_at < app_now() order by forget_at
      limit ${forgotten_per_attempt_max} for update skip locked)`)
}
