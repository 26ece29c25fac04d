import { randomBytes } from 'node:crypto'
import { derivedMacs, equalBytes, newest, type Secrets } from '#core/secrets.ts'

const device_purpose = 'stint device cookie'
const life_s = 90 * 86_400
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
  const mac = newest(derivedMacs(secrets, device_purpose))
  const expires_s = String(Math.floor(Date.parse(now) / 1_000) + life_s)
  const nonce = randomBytes(16).toString('base64url')
  const signature = mac(signedText(email, expires_s, nonce)).toString('base64url')
  const value = `${expires_s}.${nonce}.${signature}`
  return `${nameOf(mac, email)}=${value}; Path=/; Max-Age=${life_s}; Secure; HttpOnly; SameSite=Lax`
}

/** The device that a request's `Cookie` header proves for this account, by its nonce; null without one that holds. */
export function provenDevice(cookie: string | undefined, { secrets, email, now }: Device): string | null {
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

/** Keyed, so that a cookie's name does not betray who uses the browser; the same however the address was typed. */
function nameOf(mac: (text: string) => Buffer, email: string): string {
  return `__Host-stint_device_${mac(`name ${email.toLowerCase()}`).toString('base64url').slice(0, 16)}`
}

function signedText(email: string, expires_s: string, nonce: string): string {
  return JSON.stringify([email.toLowerCase(), expires_s, nonce])
}
