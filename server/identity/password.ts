import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** OWASP's second recommendation: 19 MiB, 2 passes, 1 lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const salt_bytes = 16
const hash_bytes = 32

export const password_characters_min = 12
export const password_characters_max = 128

/** What is wrong with a password, or null. No rules of composition: length is what counts (NIST SP 800-63B §3.1.1). */
export function faultOfPassword(password: string): string | null {
  const characters = [...password].length
  if (characters < password_characters_min) return `must have at least ${password_characters_min} characters`
  if (characters > password_characters_max) return `must have at most ${password_characters_max} characters`
  return null
}

/** Argon2id as a PHC string, with its parameters, so that they can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(salt_bytes)
  const hash = await derive('argon2id', { message: password, nonce, tagLength: hash_bytes, ...cost })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(nonce)}$${unpadded(hash)}`
}

export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc)
  if (!match) return false
  const [, memory, passes, parallelism, salt = '', wanted = ''] = match
  const expected = Buffer.from(wanted, 'base64')
  const hash = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return timingSafeEqual(hash, expected)
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
