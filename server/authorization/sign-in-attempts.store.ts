import { rateLimited } from '#core/problems.ts'
import type { Secrets } from '#core/secrets.ts'
import { type Database, type Sql, sql, type Transaction } from '#db/database.ts'
import { digestOf } from '#identity/token-format.ts'
import type { ConsoleRequest } from './console-endpoint.ts'
import { provenDevice } from './device-cookie.ts'

const password_wait_s_max = 60
/** Codes are short: whoever has the password already gets some 30 guesses a day at a million. */
const code_wait_s_max = 3_600
const forgotten_per_attempt_max = 100

/** The counting of failures under a key: while it is open, and until it is forgotten. */
interface Rule {
  open: Sql
  blocked_until: Sql
  forget_at: Sql
  kept_s: number
}

const isOver = sql`f.forget_at <= app_now()`

/** So many failures in a minute. */
const inWindow = (failures_max: number): Rule => ({
  open: sql`${isOver} or f.failures < ${failures_max}`,
  blocked_until: sql`case when not ${isOver} and f.failures + 1 >= ${failures_max} then f.forget_at else app_now() end`,
  forget_at: sql`case when ${isOver} then excluded.forget_at else f.forget_at end`,
  kept_s: 60,
})

/** From this failure on an account waits where it was failed, and twice as long after each further one. */
const free_failures = 5
const extra = sql`least(f.failures + 1 - ${free_failures}, 12)`

const doubling = (wait_s_max: number): Rule => ({
  open: sql`f.blocked_until <= app_now()`,
  blocked_until: sql`case when ${isOver} or f.failures + 1 < ${free_failures} then app_now()
    else app_now() + make_interval(secs => least(${wait_s_max}, power(2, ${extra}))) end`,
  forget_at: sql`excluded.forget_at`,
  kept_s: 86_400,
})

/** Of a place, because whoever fails on purpose must not keep the owner of the account out elsewhere. */
const ofPlace = doubling(password_wait_s_max)
/** Of an account, wherever its codes are guessed: each place of its own would be some guesses more. */
const ofCodes = doubling(code_wait_s_max)

const ofNetwork = inWindow(20)
/**
 * Of an account, over all places together that failed it more than a person does: what guessing comes to in the end, from
 * however many networks. A place with fewer failures is not counted here, so that others cannot keep it out.
 */
const ofAccount = inWindow(30)

/** Keys that an attempt was counted under, to be taken back when its password is right. */
interface Counted {
  /** Absent for a browser that proved itself: what others do in its network does not count against it. */
  network: Buffer | null
  /** The account, as asked for from the network or by the browser. */
  place: Buffer
  /** The account, wherever it is asked for. */
  account: Buffer | null
}

/**
 * Counts an attempt to sign in before its password is looked at, so that parallel ones count too; or throws `rate_limited`
 * with the seconds to wait. Exact over all processes (decision 0007), and the same whether somebody has this address or
 * not. Record 0032 says what is counted where, and why.
 */
export async function countAttempt(
  { database, secrets }: { database: Database; secrets: Secrets },
  { headers, network }: Pick<ConsoleRequest, 'headers' | 'network'>,
  email: string,
) {
  const account = email.toLowerCase()
  const { taken, device } = await database.transaction({ role: 'lookup' }, async (tx) => {
    await forgetOldFailures(tx)
    const device = provenDevice(headers.cookie, { secrets, email, now: tx.now })
    const keys = {
      network: device === null ? digestOf(`network ${network}`) : null,
      place: digestOf(device === null ? `account at ${network} ${account}` : `account by ${device} ${account}`),
      account: digestOf(`account anywhere ${account}`),
    }
    return { taken: await takeAttempt(tx, keys), device }
  })
  if (typeof taken === 'number') throw tooMany(taken)
  return {
    /** The browser signed in to this account before. */
    isOfDevice: device !== null,
    /** The right password ends the waiting of its place, and its attempt was no failure of network and account. */
    async succeed(tx: Transaction): Promise<void> {
      if (taken.network) await giveBack(tx, taken.network)
      await tx.run(sql`delete from sign_in_failures where key_digest = ${taken.place}`)
      if (taken.account) await giveBack(tx, taken.account)
    },
  }
}

/**
 * Counts an attempt to sign in by a code, whose password was right, before the code is looked at. All networks count
 * together; a browser that signed in before, which a thief of the password has not, counts by itself.
 */
export async function countCode(
  { database, secrets }: { database: Database; secrets: Secrets },
  { headers, network }: Pick<ConsoleRequest, 'headers' | 'network'>,
  email: string,
) {
  const account = email.toLowerCase()
  const taken = await database.transaction({ role: 'lookup' }, async (tx) => {
    const device = provenDevice(headers.cookie, { secrets, email, now: tx.now })
    const of_network = device === null ? digestOf(`network ${network}`) : null
    const of_codes = digestOf(device === null ? `codes of ${account}` : `codes by ${device} ${account}`)
    if (of_network && (await failuresOf(tx, of_network, ofNetwork)) === null) return waitOf(tx, of_network)
    if ((await failuresOf(tx, of_codes, ofCodes)) === null) return waitOf(tx, of_codes)
    return { of_network, of_codes }
  })
  if (typeof taken === 'number') throw tooMany(taken)
  return {
    async succeed(tx: Transaction): Promise<void> {
      if (taken.of_network) await giveBack(tx, taken.of_network)
      await tx.run(sql`delete from sign_in_failures where key_digest = ${taken.of_codes}`)
    },
  }
}

/** Counts an attempt by passkey, of its network only: nobody guesses a signature. */
export async function countPasskey(database: Database, { network }: Pick<ConsoleRequest, 'network'>) {
  const key = digestOf(`network ${network}`)
  const wait_s = await database.transaction({ role: 'lookup' }, async (tx) =>
    (await failuresOf(tx, key, ofNetwork)) === null ? waitOf(tx, key) : null,
  )
  if (wait_s !== null) throw tooMany(wait_s)
  return { succeed: (tx: Transaction) => giveBack(tx, key) }
}

function tooMany(wait_s: number) {
  return rateLimited('Too many attempts to sign in. Wait, then try again.', {
    headers: { 'Retry-After': String(wait_s) },
    members: { retry_after_s: wait_s },
  })
}

/**
 * One that has to wait is not looked at, and counted for its network only. Keys are touched in this order, so that no
 * statements wait for each other. Answers the seconds to wait where it is refused.
 */
async function takeAttempt(
  tx: Transaction,
  { network, place, account }: Counted & { account: Buffer },
): Promise<Counted | number> {
  if (network && (await failuresOf(tx, network, ofNetwork)) === null) return waitOf(tx, network)
  const failures = await failuresOf(tx, place, ofPlace)
  if (failures === null) return waitOf(tx, place)
  if (!network || failures < free_failures) return { network, place, account: null }
  if ((await failuresOf(tx, account, ofAccount)) !== null) return { network, place, account }
  // Knocking while it has to wait makes no caller wait longer.
  await giveBack(tx, place)
  return waitOf(tx, account)
}

/** Counts one failure under a key; answers how many there are, or null where the key has to wait. */
async function failuresOf(tx: Transaction, key: Buffer, rule: Rule): Promise<number | null> {
  const row = await tx.row<{ failures: number }>(sql`
    insert into sign_in_failures as f (key_digest, failures, blocked_until, forget_at)
    values (${key}, 1, app_now(), app_now() + make_interval(secs => ${rule.kept_s}))
    on conflict (key_digest) do update set failures = case when ${isOver} then 1 else f.failures + 1 end,
      blocked_until = ${rule.blocked_until}, forget_at = ${rule.forget_at}
    where ${rule.open}
    returning failures`)
  return row?.failures ?? null
}

async function giveBack(tx: Transaction, key: Buffer): Promise<void> {
  await tx.run(sql`
    update sign_in_failures set failures = failures - 1, blocked_until = app_now()
    where key_digest = ${key} and failures > 0`)
}

/** Seconds until it may be tried again. */
async function waitOf(tx: Transaction, key: Buffer): Promise<number> {
  const row = await tx.row<{ wait_s: number }>(sql`
    select ceil(coalesce(extract(epoch from max(blocked_until) - app_now()), 0))::int as wait_s
    from sign_in_failures where key_digest = ${key}`)
  return Math.max(1, row?.wait_s ?? 1)
}

/** Counts of long ago go with later attempts, some at a time. */
async function forgetOldFailures(tx: Transaction): Promise<void> {
  await tx.run(sql`
    delete from sign_in_failures where key_digest in (
      select key_digest from sign_in_failures where forget_at < app_now() order by forget_at
      limit ${forgotten_per_attempt_max} for update skip locked)`)
}
