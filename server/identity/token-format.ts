import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Kinds of secret, each with the word in its prefix and the name that a person uses for it. */
const tokenKinds = {
  organization: { word: 'org', name: 'an organization token' },
  personal: { word: 'pat', name: 'a personal access token' },
  worker: { word: 'wkr', name: 'a worker token' },
  oauth: { word: 'oat', name: 'an OAuth access token' },
  refresh: { word: 'ort', name: 'a refresh token' },
  code: { word: 'oac', name: 'an authorization code' },
  client_secret: { word: 'ocs', name: 'a client secret' },
} as const

export type TokenKind = keyof typeof tokenKinds

export const nameOfKind = (kind: TokenKind): string => tokenKinds[kind].name

// The cast holds because an object has its keys.
const kindOfWord = new Map<string, TokenKind>(
  (Object.keys(tokenKinds) as TokenKind[]).map((kind) => [tokenKinds[kind].word, kind]),
)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const random_characters = 43
const checksum_characters = 6

/** Largest multiple of 62 that fits a byte; bytes from here on are thrown away so that every character is as likely. */
const fair_bytes = 248

const form = /^stint_(?:test_)?(org|pat|wkr|oat|ort|oac|ocs)_[0-9A-Za-z]{49}$/

/** A new secret: prefix, 43 base62 characters (about 256 bits), 6 characters of CRC-32. */
export function newToken(kind: TokenKind, is_sandbox: boolean): string {
  const text = `stint_${is_sandbox ? 'test_' : ''}${tokenKinds[kind].word}_${randomBase62(random_characters)}`
  return text + checksum(text)
}

/** Random text of letters and digits, about 5.95 bits a character. */
export function randomBase62(characters: number): string {
  let text = ''
  while (text.length < characters) {
    for (const byte of randomBytes(64)) {
      if (byte < fair_bytes && text.length < characters) text += alphabet[byte % 62]
    }
  }
  return text
}

/** True when a secret of ours belongs to a sandbox organization; what is issued in exchange for it does too. */
export function isSandboxToken(token: string): boolean {
  return token.startsWith('stint_test_')
}

/** The kind of a well-formed secret, else null; decided without asking the database. */
export function tokenKindOf(token: string): TokenKind | null {
  const word = form.exec(token)?.[1]
  if (!word || checksum(token.slice(0, -checksum_characters)) !== token.slice(-checksum_characters)) return null
  return kindOfWord.get(word) ?? null
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < checksum_characters; place += 1) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** A secret as it rests: its SHA-256, with what a list may show of it. No key is needed: nobody guesses 256 random bits. */
export function atRest(token: string) {
  return { digest: digestOf(token), prefix: token.slice(0, token.lastIndexOf('_')), last4: token.slice(-4) }
}

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** A secret that needs no kind, since only one place takes it: 256 bits as base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The digest under which such a secret rests; null for a text that is none. */
export function digestOfSecret(text: string): Buffer | null {
  return /^[0-9A-Za-z_-]{43}$/.test(text) ? digestOf(text) : null
}
