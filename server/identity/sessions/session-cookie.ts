import { createHash, randomBytes } from 'node:crypto'

/** `__Host-` makes the browser itself insist on Secure, Path=/ and no Domain (RFC 6265bis §4.1.3.2). */
const cookie_name = '__Host-stint_session'

const secret_bytes = 32
const secret_form = /^[0-9A-Za-z_-]{43}$/
const cookie_header_characters_max = 8_192

/** A session's secret: 256 bits, of which the database keeps the SHA-256 only. */
export function newSessionSecret(): { secret: string; digest: Buffer } {
  const secret = randomBytes(secret_bytes).toString('base64url')
  return { secret, digest: digestOfSecret(secret) }
}

export function digestOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** The digest of the session that a request's `Cookie` header names, or null; a malformed one is never asked for. */
export function sessionDigestOf(cookie: string | undefined): Buffer | null {
  if (!cookie || cookie.length > cookie_header_characters_max) return null
  const pairs = cookie.split(';').map((pair) => pair.trim())
  const found = pairs.filter((pair) => pair.startsWith(`${cookie_name}=`))
  // Two of one name: somebody tampers, and which of them is ours cannot be told.
  const secret = found.length === 1 ? found[0]?.slice(cookie_name.length + 1) : undefined
  return secret && secret_form.test(secret) ? digestOfSecret(secret) : null
}

/** `Set-Cookie` that begins a session. Lax, so that a link from a client to the consent page finds it. */
export function sessionCookie(secret: string, life_s: number): string {
  return `${cookie_name}=${secret}; Path=/; Max-Age=${life_s}; Secure; HttpOnly; SameSite=Lax`
}

/** `Set-Cookie` that ends it. */
export const endedCookie = `${cookie_name}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`
