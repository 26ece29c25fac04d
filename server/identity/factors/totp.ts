import { Secret, TOTP } from 'otpauth'
import { type SealedColumn, type Secrets, seal, unseal } from '#core/secrets.ts'
import { sql, type Transaction } from '#db/database.ts'
import { createTickets } from '../tickets.ts'

const step_s = 30
/** The form that authenticator apps agree on (RFC 6238 with its defaults). */
const form = { issuer: 'Stint', algorithm: 'SHA1', digits: 6, period: step_s }

const contextOf = (user_id: string) => `totp ${user_id}`

export const sealedTotpSecrets: SealedColumn = {
  ...{ table: 'totp_secrets', column: 'sealed_secret', key: ['user_id'], of_accounts: true },
  contextOf: ({ user_id }) => contextOf(String(user_id)),
}

/** A secret that is shown and not confirmed yet rests nowhere: the page holds it for ten minutes, for this session only. */
const offers = createTickets<{ session_id: string; secret: string }>('stint totp offer', 600)

interface Owner {
  user_id: string
  session_id: string
  email: string
}

/** A new secret for an authenticator app. */
export function offerTotp(secrets: Secrets, now: string, { session_id, email }: Pick<Owner, 'session_id' | 'email'>) {
  const secret = new Secret()
  const uri = new TOTP({ ...form, label: email, secret }).toString()
  const offer = offers.make(secrets, now, { session_id, secret: secret.base32 })
  return { secret: secret.base32, uri, offer: offer.toString('base64url') }
}

/** Keeps an offered secret when the app answers with its code; false when it does not, or the offer is over. */
export async function confirmTotp(
  tx: Transaction,
  secrets: Secrets,
  { user_id, session_id }: Pick<Owner, 'user_id' | 'session_id'>,
  { offer, code }: { offer: string; code: string },
): Promise<boolean> {
  const offered = offers.read(secrets, tx.now, offer)
  if (offered?.session_id !== session_id) return false
  const step = stepOf(offered.secret, code, tx.now)
  if (step === null) return false
  const sealed = seal(secrets, Buffer.from(offered.secret), contextOf(user_id))
  await tx.run(sql`
    insert into totp_secrets (user_id, sealed_secret, last_step, created_at)
    values (${user_id}, ${sealed}, ${step}, app_now())
    on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, last_step = excluded.last_step,
      created_at = excluded.created_at`)
  return true
}

/** Takes a code of the account's app; each step counts once, however many present its code at the same time. */
export async function takeTotp(tx: Transaction, secrets: Secrets, user_id: string, code: string): Promise<boolean> {
  const row = await tx.row<{ sealed_secret: Buffer; last_step: string }>(sql`
    select sealed_secret, last_step::text from totp_secrets where user_id = ${user_id} for update`)
  if (!row) return false
  const step = stepOf(unseal(secrets, row.sealed_secret, contextOf(user_id)).toString(), code, tx.now)
  if (step === null || step <= Number(row.last_step)) return false
  await tx.run(sql`update totp_secrets set last_step = ${step} where user_id = ${user_id}`)
  return true
}

/** The step that a code is of: this one, the one before or the one after; null for a code of none of them. */
function stepOf(secret: string, code: string, now: string): number | null {
  const timestamp = Date.parse(now)
  const totp = new TOTP({ ...form, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: code, timestamp, window: 1 })
  return delta === null ? null : Math.floor(timestamp / (step_s * 1_000)) + delta
}
