import { type Sql, sql, type Transaction } from '#db/database.ts'
import type { Caller } from './caller.ts'
import { canonicalJson, sha256 } from './json.ts'
import type { KeptAs, Operation } from './operation.ts'
import { idempotencyInProgress, idempotencyKeyReused } from './problems.ts'
import { type SealedColumn, type Secrets, seal, unseal } from './secrets.ts'

/** An answer as it is kept for repeats: status and JSON body (null for 204), its secret beside it. */
export interface KeptAnswer {
  status: number
  body: unknown
  /** Null where the answer has none, and when its hour is over. */
  secret: string | null
}

const kept_hours = 24
const secret_hours = 1

/**
 * Identifies a repeatable call: organization, owner of the credential, operation with its path, key; and its body. Where
 * the answer holds a secret, another credential of the same owner makes a call of its own: it may have fewer rights.
 * A body that names a field that the caller may not see is never the body of another credential: whether the two are
 * equal would tell what that one wrote.
 */
export function idempotentCall(
  caller: Caller,
  { id, reveals_secret }: Pick<Operation, 'id' | 'reveals_secret'>,
  pathValues: readonly unknown[],
  key: string,
  { input, writes_withheld = false }: { input: object; writes_withheld?: boolean },
): KeptAs {
  const owner = reveals_secret ? caller.credential_id : (caller.user_id ?? caller.person_id ?? 'organization')
  return {
    organization_id: caller.organization_id,
    key_digest: sha256(caller.organization_id, owner, id, JSON.stringify(pathValues), key),
    body_digest: sha256(canonicalJson(input), ...(writes_withheld ? [caller.credential_id] : [])),
  }
}

/**
 * The answer kept for this call, or null when the call is to be made now. The advisory lock belongs to the
 * transaction: who does not get it meets a running call, and a crashed or refused call leaves nothing behind.
 */
export async function keptAnswer(tx: Transaction, call: KeptAs, secrets: Secrets): Promise<KeptAnswer | null> {
  const lock = call.key_digest.readBigInt64BE(0).toString()
  const locked = await tx.row<{ locked: boolean }>(sql`select pg_try_advisory_xact_lock(${lock}) as locked`)
  if (!locked?.locked) throw idempotencyInProgress(undefined, { headers: { 'Retry-After': '1' } })
  const kept = await tx.row<{ body_digest: Buffer; status: number; body: Buffer | null; secret: Buffer | null }>(sql`
    select body_digest, status, body, case when created_at > app_now() - ${hours(secret_hours)} then secret end as secret
    from idempotent_answers
    where organization_id = ${call.organization_id} and key_digest = ${call.key_digest}
      and created_at > app_now() - ${hours(kept_hours)}`)
  if (!kept) return null
  if (!kept.body_digest.equals(call.body_digest)) throw idempotencyKeyReused()
  return {
    status: kept.status,
    body: kept.body && JSON.parse(kept.body.toString()),
    secret: kept.secret && unseal(secrets, kept.secret, contextOf(call)).toString(),
  }
}

/** Keeps an answer in the transaction of the change; its secret is kept sealed and apart. */
export function keepAnswer(
  tx: Transaction,
  call: KeptAs,
  { status, body, secret }: KeptAnswer,
  secrets: Secrets,
): void {
  const text = body === null || body === undefined ? null : Buffer.from(JSON.stringify(body))
  const sealed = secret && seal(secrets, Buffer.from(secret), contextOf(call))
  tx.insert(sql`
    insert into idempotent_answers (organization_id, key_digest, body_digest, status, body, secret, created_at)
    values (${call.organization_id}, ${call.key_digest}, ${call.body_digest}, ${status}, ${text}, ${sealed}, app_now())
    on conflict (organization_id, key_digest) do update
      set body_digest = excluded.body_digest, status = excluded.status, body = excluded.body,
          secret = excluded.secret, created_at = excluded.created_at`)
}

function hours(count: number) {
  return sql`${`${count} hours`}::interval`
}

/** Destroys the oldest secrets that are no longer repeated; answers how many. */
export function forgetSecrets(tx: Transaction, rows_max: number): Promise<number> {
  const old = oldest(sql`secret is not null and created_at <= app_now() - ${hours(secret_hours)}`, rows_max)
  return tx.run(sql`update idempotent_answers a set secret = null from ${old}`)
}

/** Removes the oldest answers that are no longer repeated; answers how many. One that is renewed meanwhile stays. */
export function forgetAnswers(tx: Transaction, rows_max: number): Promise<number> {
  const old = oldest(sql`created_at <= app_now() - ${hours(kept_hours)}`, rows_max)
  return tx.run(sql`delete from idempotent_answers a using ${old}`)
}

function oldest(condition: Sql, rows_max: number): Sql {
  return sql`(
      select organization_id, key_digest from idempotent_answers
      where ${condition} order by created_at limit ${rows_max} for update skip locked) old
    where a.organization_id = old.organization_id and a.key_digest = old.key_digest`
}

function contextOf(call: Pick<KeptAs, 'organization_id' | 'key_digest'>): string {
  return `idempotent answer ${call.organization_id} ${call.key_digest.toString('hex')}`
}

/** The secrets of kept answers. */
export const sealedAnswers: SealedColumn = {
  table: 'idempotent_answers',
  column: 'secret',
  key: ['key_digest'],
  where: sql`secret is not null`,
  // The cast holds because the row has the columns of `key`.
  contextOf: (row) => contextOf(row as unknown as KeptAs),
}
