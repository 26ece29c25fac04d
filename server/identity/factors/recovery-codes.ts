import { createHmac, randomBytes } from 'node:crypto'
import { type SealedColumn, type Secrets, seal, unseal } from '#core/secrets.ts'
import { sql, type Transaction } from '#db/database.ts'

const codes_count = 10
const code_characters = 10
/** 32 characters that nobody confuses on paper (Crockford): 50 bits a code. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const key_bytes = 32

const contextOf = (user_id: string) => `recovery codes ${user_id}`

export const sealedRecoveryKeys: SealedColumn = {
  ...{ table: 'recovery_keys', column: 'sealed_key', key: ['user_id'], of_accounts: true },
  contextOf: ({ user_id }) => contextOf(String(user_id)),
}

/** Makes ten codes in place of those before; they are in this answer only. */
export async function renewRecoveryCodes(tx: Transaction, secrets: Secrets, user_id: string): Promise<string[]> {
  const key = randomBytes(key_bytes)
  const codes = Array.from({ length: codes_count }, newCode)
  await tx.run(sql`delete from recovery_keys where user_id = ${user_id}`)
  await tx.run(sql`
    insert into recovery_keys (user_id, sealed_key, created_at)
    values (${user_id}, ${seal(secrets, key, contextOf(user_id))}, app_now())`)
  const digests = codes.map((code) => digestOf(key, code).toString('hex'))
  await tx.run(sql`
    insert into recovery_codes (user_id, digest)
    select ${user_id}::uuid, decode(digest, 'hex') from unnest(${digests}::text[]) as digest`)
  return codes
}

/** Uses a code up; false for one that is none of the account's or was used before. */
export async function takeRecoveryCode(
  tx: Transaction,
  secrets: Secrets,
  user_id: string,
  code: string,
): Promise<boolean> {
  const row = await tx.row<{ sealed_key: Buffer }>(sql`
    select sealed_key from recovery_keys where user_id = ${user_id} for update`)
  if (!row) return false
  const digest = digestOf(unseal(secrets, row.sealed_key, contextOf(user_id)), code)
  const rows = await tx.run(sql`
    update recovery_codes set used_at = app_now()
    where user_id = ${user_id} and digest = ${digest} and used_at is null`)
  return rows === 1
}

function newCode(): string {
  // 32 characters share the 256 values of a byte evenly.
  const text = [...randomBytes(code_characters)].map((byte) => alphabet[byte % alphabet.length]).join('')
  return `${text.slice(0, 5)}-${text.slice(5)}`
}

/** However it was typed: capitals, spaces and hyphens do not count, and what looks like a digit is one. */
function digestOf(key: Buffer, code: string): Buffer {
  const typed = code.toLowerCase().replaceAll(/[^0-9a-z]/g, '')
  const plain = typed.replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return createHmac('sha256', key).update(plain).digest()
}
