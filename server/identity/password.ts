import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { unavailable } from '#core/problems.ts'
import { createSemaphore } from '#core/semaphore.ts'

const argon2id = promisify(argon2)

/** OWASP's second recommendation: 19 MiB, 2 passes, 1 lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const salt_bytes = 16
const hash_bytes = 32

const password_characters_min = 12
const password_characters_max = 128

/** Each takes 19 MiB and a thread of the pool that files and names need too; the pool has four. */
const running_max = 2
const waiting_max = 200

/** The fault of a password, or null. No rules of composition: length is what counts (NIST SP 800-63B §3.1.1). */
export function faultOfPassword(password: string): string | null {
  const characters = [...password].length
  if (characters < password_characters_min) return `must have at least ${password_characters_min} characters`
  if (characters > password_characters_max) return `must have at most ${password_characters_max} characters`
  if (isCommonPassword(password)) return 'is one of those that are tried first; take another'
  return null
}

/** Argon2id as a PHC string, with its parameters, so that they can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(salt_bytes)
  const hash = await derive({ message: password, nonce, tagLength: hash_bytes, ...cost })
  return `${costText}${unpadded(nonce)}$${unpadded(hash)}`
}

/**
 * True when this is the password of the hash. Without a hash (nobody of that address, no password chosen) the same work
 * is done and the answer is no, so that its time does not tell. `isAhead`: before all who wait, of whom guessing may
 * make many.
 */
export async function verifyPassword(
  password: string,
  phc: string | null,
  { isAhead = false }: { isAhead?: boolean } = {},
): Promise<boolean> {
  const parts = phc === null ? null : partsOf(phc)
  const { salt, expected, ...parameters } = parts ?? nobody
  const hash = await derive({ message: password, nonce: salt, tagLength: expected.length, ...parameters }, isAhead)
  return timingSafeEqual(hash, expected) && parts !== null
}

/** A hash made with other parameters than today's is replaced at the next sign-in. */
export function isOutdated(phc: string): boolean {
  return !phc.startsWith(costText)
}

const turns = createSemaphore({
  running_max,
  waiting_max,
  refusal: () => unavailable('Too many people are signing in at this moment.'),
})

function derive(derivation: Argon2Parameters, ahead = false): Promise<Buffer> {
  return turns.run(() => argon2id('argon2id', derivation), { ahead })
}

const costText = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`

function partsOf(phc: string) {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc)
  if (!match) return null
  const [, memory, passes, parallelism, salt = '', expected = ''] = match
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    expected: Buffer.from(expected, 'base64'),
  }
}

const nobody = { ...cost, salt: randomBytes(salt_bytes), expected: randomBytes(hash_bytes) }

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const words = `
password passwordpassword passw0rd p@ssw0rd p@ssword passwort motdepasse contrasena senha thisismypassword mypassword
admin administrator adminadmin root superuser sysadmin user test testtest guest default secret nopassword unknown
letmein letmeinplease welcome welcomehome changeme changemenow changemeplease whatever computer internet stint stintstint
iloveyou iloveyouforever trustno sunshine princess football baseball basketball superman batman dragon monkey master
shadow michael jordan charlie liverpool manchester arsenal barcelona christopher alexander elizabeth butterfly chocolate
starwars pokemon samsung abc abcd abcdef qwerty qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm asdfasdf qazwsx
spring summer autumn winter january february september october november december
`

const known = new Set(words.trim().split(/\s+/))

const rows = [
  '01234567890123456789',
  '98765432109876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
]

/**
 * True when a password is among those that lists of leaked ones begin with: a common word with digits and signs behind
 * it, a row of keys or digits, or a short piece over and over. What is too short to be taken anyway is not in the list.
 */
function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase()
  const word = text.replace(/[\d\W_]+$/, '')
  const isRow = rows.some((row) => row.includes(text))
  return known.has(word) || known.has(text) || isRow || /^([\x20-\x7e]{1,4})\1+$/.test(text)
}
