import { raw, sql, type Transaction } from '#db/database.ts'
import type { Caller } from './caller.ts'
import { keepAnswer } from './idempotency.ts'
import type { KeptAs } from './operation.ts'
import { clockAdvancing } from './problems.ts'
import type { Secrets } from './secrets.ts'

/** The test clock of a sandbox organization. */
export interface SandboxClock {
  /** Business time; null while it is real time. */
  at: string | null
  /** The moment it is on its way to; null while it stands. */
  target: string | null
  /** Timers that fired on its way, or on its last one. */
  fired: number
}

/** The kind of the timer by which a clock arrives at its target, after all others of that moment. */
export const clock_target = { kind: 'clock_target', priority: 10 } as const

/** Every sandbox has a clock from its beginning. */
export function insertClock(tx: Transaction, organization_id: string): void {
  tx.insert(sql`insert into sandbox_clocks (organization_id) values (${organization_id})`)
}

/** The clock of a sandbox, locked where a strength is given. */
export async function readClock(
  tx: Transaction,
  organization_id: string,
  strength: 'for share' | 'for update' | '' = '',
): Promise<SandboxClock> {
  const clock = await tx.row<SandboxClock>(
    sql`select at, target, fired from sandbox_clocks where organization_id = ${organization_id} ${raw(strength)}`,
  )
  if (!clock) throw new Error(`sandbox ${organization_id} has no clock`)
  return clock
}

/**
 * Gives the transaction of a sandbox the time of its clock. A change holds the clock, so that it stands still meanwhile,
 * and is refused while it moves or the sandbox is emptied. A live organization has none, and asks for none.
 */
export async function keepBusinessTime(
  tx: Transaction,
  { organization_id, is_sandbox }: Pick<Caller, 'organization_id' | 'is_sandbox'>,
  { strength, is_real = false }: { strength?: 'for share' | 'for update'; is_real?: boolean | undefined } = {},
): Promise<void> {
  if (!is_sandbox) return
  if (strength && !(await enter(tx, organization_id, strength))) throw clockAdvancing()
  const { at, target } = await readClock(tx, organization_id, strength)
  if (strength && target !== null) throw clockAdvancing()
  tx.keepTime(is_real ? null : at)
}

/**
 * Returns true when the transaction may change the sandbox, among other changes or, `for update`, alone. Who is alone may
 * take seconds, so nobody waits for it on a connection: it waits for the changes under way, and no other begins.
 */
async function enter(tx: Transaction, organization_id: string, strength: 'for share' | 'for update'): Promise<boolean> {
  // The first lock is that of all changes, the second one of those who are or wait to be alone.
  const row = await tx.row<{ is_open: boolean }>(
    strength === 'for share'
      ? sql`select pg_try_advisory_xact_lock_shared(hashtextextended(${organization_id}, 1)) as is_open`
      : sql`select pg_try_advisory_xact_lock(hashtextextended(${organization_id}, 2)) as is_open`,
  )
  if (row?.is_open !== true) return false
  if (strength === 'for update')
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${organization_id}, 1))`)
  return true
}

/** Sends a locked clock that stands to `target`; who called is answered anew when it has arrived. */
export async function startClock(
  tx: Transaction,
  organization_id: string,
  { target, kept_as }: { target: string; kept_as: KeptAs | null },
): Promise<void> {
  const kept = kept_as && { key: kept_as.key_digest.toString('hex'), body: kept_as.body_digest.toString('hex') }
  await tx.run(sql`
    update sandbox_clocks
    set at = ${tx.now}, started_at = ${tx.now}, target = ${target}, fired = 0, kept_as = ${kept && JSON.stringify(kept)}
    where organization_id = ${organization_id}`)
}

/** Moves the clock to the moment at which timers of a kind were due, never back, and answers where it stands. */
export async function moveClock(
  tx: Transaction,
  organization_id: string,
  { due_at, kind, count }: { due_at: string; kind: string; count: number },
) {
  const counted = kind === clock_target.kind ? 0 : count
  const row = await tx.row<{ at: string }>(sql`
    update sandbox_clocks set at = greatest(at, ${due_at}), fired = fired + ${counted}
    where organization_id = ${organization_id} returning at`)
  return row?.at ?? null
}

/** Ends the way of a clock that has arrived, and keeps the answer of the call that sent it. */
export async function stopClock(tx: Transaction, organization_id: string, secrets: Secrets) {
  const row = await tx.row<{
    started_at: string
    at: string
    fired: number
    kept_as: { key: string; body: string } | null
  }>(sql`
    update sandbox_clocks c set target = null, started_at = null, kept_as = null
    from (select * from sandbox_clocks where organization_id = ${organization_id} for update) was
    where c.organization_id = ${organization_id} and was.target is not null
    returning was.started_at, c.at, c.fired, was.kept_as`)
  if (!row) return null
  const { at: now, fired: fired_timers, started_at: previous_now, kept_as } = row
  if (kept_as) {
    const [key_digest, body_digest] = [kept_as.key, kept_as.body].map((text) => Buffer.from(text, 'hex'))
    if (!key_digest || !body_digest) throw new Error('a kept call has two digests')
    const call = { organization_id, key_digest, body_digest }
    keepAnswer(tx, call, { status: 200, body: { now, fired_timers }, secret: null }, secrets)
  }
  return { now, previous_now }
}

/** Sets the clock of a sandbox in which nothing has happened yet; null: it runs with real time. */
export async function setClock(tx: Transaction, organization_id: string, at: string | null): Promise<void> {
  await tx.run(sql`
    update sandbox_clocks set at = ${at}, target = null, started_at = null, fired = 0, kept_as = null
    where organization_id = ${organization_id}`)
}
