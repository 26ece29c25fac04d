import type { EventEntries } from './generated/types.ts'

export type EventType = keyof EventEntries

/** The body of a delivery, and a row of the feed of events. */
export interface EventPayload {
  data: {
    meta: {
      event_type: string
      organization_id: string
      event_id: string
      occurred_at: string
      is_simulation?: true
    }
    resource: unknown[]
  }
  timestamp: string
}

/** One event of any type: `switch (event.event_type)` tells what `resource` holds. */
export type StintEvent<Type extends EventType = EventType> = {
  [Each in Type]: {
    event_type: Each
    organization_id: string
    /** Unique per event: skip what you have seen before. */
    event_id: string
    /** RFC 3339, UTC. */
    occurred_at: string
    /** Make no real records from a simulated event. */
    is_simulation: boolean
    /** Of a thin subscription only ids, `status` and `created_at`; fields of categories not granted are null. */
    resource: EventEntries[Each][]
  }
}[Type]

/** An event out of a delivery or out of the feed. A type or a field that a newer service has added passes as it is. */
export function eventOf({ data: { meta, resource } }: EventPayload): StintEvent {
  // The cast holds because the entries of a type are as the catalogue says; a type that is unknown here reaches `default`.
  return { ...meta, is_simulation: meta.is_simulation === true, resource } as StintEvent
}

export type SignatureFault = 'missing_header' | 'malformed_secret' | 'wrong_signature' | 'wrong_time' | 'malformed_body'

/** A delivery that was not made with these keys, or not now: answer 401 and do nothing. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError'
  readonly code: SignatureFault

  constructor(code: SignatureFault, message: string) {
    super(message)
    this.code = code
  }
}

export interface VerifyOptions {
  /**
   * `standard` checks `webhook-signature` (Standard Webhooks 1.0), whose signature covers the time, and is the one to use;
   * `service` checks `x-service-signature`, which an old delivery that somebody sends again passes too.
   */
  scheme?: 'standard' | 'service' | undefined
  /** Seconds between `webhook-timestamp` and now; 300 unless told. */
  tolerance_s?: number | undefined
  /** Milliseconds; for tests. */
  now?: number | undefined
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const tolerance_s_default = 300
const utf8 = new TextEncoder()

/**
 * Checks that a delivery was signed with one of the signing keys of the subscription, and answers its event. It takes the
 * body as it came, before any parser, and while a key is changed both keys. Throws a `SignatureError`.
 */
export async function verifyWebhook(
  raw_body: string | Uint8Array | ArrayBuffer,
  headers: HeaderSource,
  signing_keys: string | readonly string[],
  { scheme = 'standard', tolerance_s = tolerance_s_default, now = Date.now() }: VerifyOptions = {},
): Promise<StintEvent> {
  const body = bytesOf(raw_body)
  const keys = [signing_keys].flat()
  if (keys.length === 0 || keys.some((key) => !key))
    throw new SignatureError('malformed_secret', 'there is no signing key')
  const isGenuine =
    scheme === 'service'
      ? verifyService(body, headers, keys)
      : verifyStandard(body, headers, keys, { tolerance_s, now })
  if (!(await isGenuine))
    throw new SignatureError('wrong_signature', 'no signing key has made this signature of this body')
  return eventIn(body)
}

/** HMAC-SHA256 with the decoded key over `<id>.<timestamp>.<body>`; the header has a signature of each live key. */
async function verifyStandard(
  body: Uint8Array,
  headers: HeaderSource,
  keys: readonly string[],
  { tolerance_s, now }: { tolerance_s: number; now: number },
): Promise<boolean> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  const age_s = now / 1_000 - Number(timestamp)
  // Not a number is outside too.
  if (!(Math.abs(age_s) <= tolerance_s)) {
    throw new SignatureError(
      'wrong_time',
      `webhook-timestamp ${timestamp} is ${Math.round(age_s)} s ago; ${tolerance_s} s are allowed`,
    )
  }
  const message = joined(utf8.encode(`${id}.${timestamp}.`), body)
  const given = (signatures ?? '').split(' ').flatMap((each) => {
    const signature = each.startsWith('v1,') ? fromBase64(each.slice(3)) : null
    return signature ? [signature] : []
  })
  const pairs = keys.flatMap((key) => given.map((signature) => matches(standardKey(key), signature, message)))
  return (await Promise.all(pairs)).includes(true)
}

/** HMAC-SHA256 with the whole key as it is written over `POST` and the body, in hex. */
async function verifyService(body: Uint8Array, headers: HeaderSource, keys: readonly string[]): Promise<boolean> {
  const signature = headerOf(headers, 'x-service-signature')
  const given = /^([0-9a-f]{2})+$/.test(signature) ? signature.match(/../g) : null
  if (!given) return false
  const bytes = Uint8Array.from(given, (pair) => Number.parseInt(pair, 16))
  const message = joined(utf8.encode('POST'), body)
  return (await Promise.all(keys.map((key) => matches(utf8.encode(key), bytes, message)))).includes(true)
}

/** WebCrypto compares in constant time. */
async function matches(key: Bytes, signature: Bytes, message: Bytes): Promise<boolean> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature, message)
}

/** WebCrypto takes no bytes of memory that is shared. */
type Bytes = Uint8Array<ArrayBuffer>

function standardKey(key: string): Bytes {
  const bytes = fromBase64(key.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) {
    throw new SignatureError('malformed_secret', 'a signing key is whsec_ and base64, as the service showed it')
  }
  return bytes
}

function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}

function bytesOf(raw_body: unknown): Uint8Array {
  if (typeof raw_body === 'string') return utf8.encode(raw_body)
  if (raw_body instanceof Uint8Array) return raw_body
  if (raw_body instanceof ArrayBuffer) return new Uint8Array(raw_body)
  throw new TypeError('verifyWebhook takes the raw body: text or bytes, as they came and not parsed')
}

function joined(first: Uint8Array, second: Uint8Array): Bytes {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

function headerOf(headers: HeaderSource, name: string): string {
  const found = isHeaders(headers) ? headers.get(name) : plainHeader(headers, name)
  if (!found) throw new SignatureError('missing_header', `the delivery has no header ${name}`)
  return found
}

/** Also those of another library, which are of no class that we know. */
function isHeaders(headers: HeaderSource): headers is Headers {
  return typeof headers.get === 'function'
}

function plainHeader(headers: Exclude<HeaderSource, Headers>, name: string): string | undefined {
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return typeof value === 'string' ? value : value?.[0]
}

function eventIn(body: Uint8Array): StintEvent {
  try {
    return eventOf(JSON.parse(new TextDecoder().decode(body)))
  } catch {
    throw new SignatureError('malformed_body', 'the body is genuine, but no event of this version')
  }
}
