import type { Secrets } from '#core/secrets.ts'
import { sql, type Transaction } from '#db/database.ts'
import { takeRecoveryCode } from './recovery-codes.ts'
import { takeTotp } from './totp.ts'

/** The proofs that an account has beside its password. */
export interface Factors {
  totp_since: string | null
  passkeys: number
  recovery_codes_left: number
}

export async function factorsOf(tx: Transaction, user_id: string): Promise<Factors> {
  const row = await tx.row<Factors>(sql`
    select (select created_at from totp_secrets where user_id = ${user_id}) as totp_since,
           (select count(*)::int from passkeys where user_id = ${user_id}) as passkeys,
           (select count(*)::int from recovery_codes where user_id = ${user_id} and used_at is null) as recovery_codes_left`)
  return row ?? { totp_since: null, passkeys: 0, recovery_codes_left: 0 }
}

export const hasFactor = ({ totp_since, passkeys }: Factors): boolean => totp_since !== null || passkeys > 0

/** Ways to go on after the right password; none where the password alone opens the account. */
export function methodsOf(factors: Factors): ('totp' | 'passkey' | 'recovery_code')[] {
  const { totp_since, passkeys, recovery_codes_left } = factors
  if (!hasFactor(factors)) return []
  return [
    ...(totp_since !== null ? (['totp'] as const) : []),
    ...(passkeys > 0 ? (['passkey'] as const) : []),
    ...(recovery_codes_left > 0 ? (['recovery_code'] as const) : []),
  ]
}

/** Takes a code of the app or a recovery code, which look different; answers which it was, null when it is neither. */
export async function takeCode(
  tx: Transaction,
  secrets: Secrets,
  user_id: string,
  code: string,
): Promise<'totp' | 'recovery_code' | null> {
  const digits = code.replaceAll(/[\s-]/g, '')
  if (/^\d{6}$/.test(digits)) return (await takeTotp(tx, secrets, user_id, digits)) ? 'totp' : null
  return (await takeRecoveryCode(tx, secrets, user_id, code)) ? 'recovery_code' : null
}

export async function removeTotp(tx: Transaction, user_id: string): Promise<void> {
  await tx.run(sql`delete from totp_secrets where user_id = ${user_id}`)
}

export async function removeRecoveryCodes(tx: Transaction, user_id: string): Promise<void> {
  await tx.run(sql`delete from recovery_keys where user_id = ${user_id}`)
}

/** Leaves the password alone to open the account. */
export async function removeFactors(tx: Transaction, user_id: string): Promise<void> {
  await removeTotp(tx, user_id)
  await tx.run(sql`delete from passkeys where user_id = ${user_id}`)
  await removeRecoveryCodes(tx, user_id)
}

/**
 * The same of a member, as an operation: of the organization that the transaction is of. False, and nothing is changed, where
 * the account is in another organization too.
 */
export async function resetFactorsOfMember(tx: Transaction, user_id: string): Promise<boolean> {
  const row = await tx.row<{ done: boolean }>(sql`select reset_factors_of_member(${user_id}) as done`)
  return row?.done ?? false
}

/** Organizations that demand a second factor of their members, as far as this user is one, by name. */
export async function demandingOrganizations(tx: Transaction, user_id: string): Promise<string[]> {
  const rows = await tx.rows<{ name: string }>(sql`
    select o.name from standing_members m join organizations o on o.id = m.organization_id
    where m.user_id = ${user_id} and o.settings ->> 'second_factor' = 'required' order by o.name`)
  return rows.map(({ name }) => name)
}
