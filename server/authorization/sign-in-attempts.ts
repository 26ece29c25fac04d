import { createHash, randomBytes } from 'node:crypto'
import { rateLimited } from '#core/problems.ts'
import { derivedMacs, equalBytes, type Secrets } from '#core/secrets.ts'
import type { Database, Transaction } from '#db/database.ts'
import type { ConsoleRequest } from './console-endpoint.ts'
import { type AttemptKeys, forgetOldFailures, giveBack, takeAttempt } from './sign-in-attempts.store.ts'

/** An attempt that was counted; taken back when the password was right. */
export interface Attempt {
  /** The browser signed in to this account before. */
  isOfProvenDevice: boolean
  succeed(tx: Transaction): Promise<void>
}

/**
 * Counts an attempt to sign in, or throws `rate_limited` with the seconds to wait. Exact over all processes (decision
 * 0007), and the same whether somebody has this address or not. Record 0032 says what is counted where, and why.
 */
export async function countAttempt(
  { database, secrets }: { database: Database; secrets: Secrets },
  { headers, network }: Pick<ConsoleRequest, 'headers' | 'network'>,
  account: string,
): Promise<Attempt> {
  const { taken, isOfProvenDevice } = await database.transaction({ role: 'lookup' }, async (tx) => {
    await forgetOldFailures(tx)
    const device = provenDevice(headers.cookie, { secrets, email: account, now: tx.now })
    const keys: AttemptKeys = {
      network: device === null ? digestOf(`network ${network}`) : null,
      place: digestOf(device === null ? `account at ${network} ${account}` : `account by ${device} ${account}`),
      account: digestOf(`account anywhere ${account}`),
    }
    return { taken: await takeAttempt(tx, keys), isOfProvenDevice: device !== null }
  })
  if ('wait_s' in taken) {
    const { wait_s } = taken
    throw rateLimited('Too many attempts to sign in. Wait, then try again.', {
      headers: { 'Retry-After': String(wait_s) },
      members: { retry_after_s: wait_s },
    })
  }
  return { isOfProvenDevice, succeed: (tx) => giveBack(tx, taken) }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const device_purpose = 'stint device cookie'
const life_s = 90 * 86_400
const nonce_bytes = 16
const cookie_header_characters_max = 8_192

/** `<expiry in seconds>.<nonce>.<MAC>` */
const value_form = /^(?<expires_s>\d{1,12})\.(?<nonce>[\w-]{22})\.(?<mac>[\w-]{43})$/

interface Device {
  secrets: Secrets
  email: string
  /** Time of the database. */
  now: string
}

/**
 * `Set-Cookie` by which a browser proves later that somebody signed in to this account with it (OWASP, device cookies). It
 * opens nothing: attempts that come with it have a budget of their own, which nobody else can use up. Each account has a
 * cookie of its own, and none tells its e-mail address.
 */
export function deviceCookie({ secrets, email, now }: Device): string {
  const [newest] = derivedMacs(secrets, device_purpose)
  if (!newest) throw new Error('there is no key to sign with')
  const expires_s = String(Math.floor(Date.parse(now) / 1_000) + life_s)
  const nonce = randomBytes(nonce_bytes).toString('base64url')
  const mac = newest(signedText(email, expires_s, nonce)).toString('base64url')
  const value = `${expires_s}.${nonce}.${mac}`
  return `${nameOf(newest, email)}=${value}; Path=/; Max-Age=${life_s}; Secure; HttpOnly; SameSite=Lax`
}

/** The device that a request's `Cookie` header proves for this account, by its nonce; null without one that holds. */
function provenDevice(cookie: string | undefined, { secrets, email, now }: Device): string | null {
  if (!cookie || cookie.length > cookie_header_characters_max) return null
  const pairs = cookie.split(';').map((pair) => pair.trim())
  for (const mac of derivedMacs(secrets, device_purpose)) {
    const name = `${nameOf(mac, email)}=`
    const value = pairs.find((pair) => pair.startsWith(name))?.slice(name.length) ?? ''
    const { expires_s = '', nonce = '', mac: sent = '' } = value_form.exec(value)?.groups ?? {}
    const isOurs = equalBytes(mac(signedText(email, expires_s, nonce)), Buffer.from(sent, 'base64url'))
    if (isOurs && Number(expires_s) * 1_000 > Date.parse(now)) return nonce
  }
  return null
}

/** Keyed, so that a cookie's name does not betray who uses the browser. */
function nameOf(mac: (text: string) => Buffer, email: string): string {
  return `__Host-stint_device_${mac(`name ${email}`).toString('base64url').slice(0, 16)}`
}

function signedText(email: string, expires_s: string, nonce: string): string {
  return JSON.stringify([email, expires_s, nonce])
}
