import { isUtf8 } from 'node:buffer'
import { Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'

const Milliseconds = (description: string) => Nullable(Type.Number({ minimum: 0, description, example: 12 }))
const Headers = (description: string) =>
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), { description })

/** An address that an attempt contacted. */
const Contact = Type.Object({
  address: Type.String({ example: '203.0.113.7' }),
  connection_reused: Type.Boolean(),
  tls_version: Nullable(Type.String({ example: 'TLSv1.3' })),
  started_ms: Type.Number({ minimum: 0, description: 'From the start of the attempt.', example: 3.21 }),
  connect_ms: Milliseconds('Connecting.'),
  tls_ms: Milliseconds('TLS handshake.'),
  ended_ms: Type.Number({
    minimum: 0,
    description: 'From the start of the attempt until the connection stood, or was given up.',
    example: 14.7,
  }),
  error_class: Nullable(
    Type.String({
      description: 'Why no request went over it, or a reused connection was replaced; null if it served.',
      example: 'connect_refused',
    }),
  ),
  error_detail: Nullable(Type.String()),
})

/** One HTTP request of a delivery with all its evidence. */
export const Attempt = Type.Object({
  id: Id,
  series: Type.Integer({ minimum: 1 }),
  attempt_no: Type.Integer({ minimum: 0 }),
  counted: Type.Boolean({ description: 'Whether it counts towards disabling the subscription.' }),
  started_at: Timestamp,
  dns_ms: Milliseconds('Looking up the addresses.'),
  connect_ms: Milliseconds('Connecting to the address contacted last.'),
  tls_ms: Milliseconds('TLS handshake.'),
  first_byte_ms: Milliseconds('From the start to the first byte of the answer.'),
  total_ms: Milliseconds('From the start to the end.'),
  connection_reused: Nullable(Type.Boolean()),
  addresses: Type.Array(Contact, { description: 'Every address contacted, in the order in which they were tried.' }),
  resolved_ip: Nullable(Type.String({ description: 'Address contacted last; null if nothing was contacted.' })),
  tls_version: Nullable(Type.String({ example: 'TLSv1.3' })),
  url: Type.String({ example: 'https://receiver.example.org/hooks/stint' }),
  request_headers: Headers('As sent. Signatures are shortened for callers without webhooks:write.'),
  key_labels: Type.Array(Type.String({ example: 'payroll-2026-01' }), {
    description: 'Signing keys used, the primary one first.',
  }),
  response_status: Nullable(Type.Integer({ example: 204 })),
  response_headers: Nullable(Headers('As received.')),
  response_body: Nullable(Type.String({ description: 'Base64 of at most 16 KiB.' })),
  response_text: Nullable(Type.String({ description: 'The same as text, when it is valid UTF-8.' })),
  response_cut: Nullable(
    Type.Enum(['size', 'time', 'closed'], { description: 'Why the answer body is not all of it.' }),
  ),
  retry_after: Nullable(Type.String({ description: 'As received; without influence on the schedule.' })),
  outcome: Type.Enum(['succeeded', 'failed', 'unknown']),
  error_class: Nullable(Type.String()),
  error_phase: Nullable(Type.String()),
  error_detail: Nullable(Type.String()),
  decision: Type.Enum(['done', 'retry', 'exhausted', 'held', 'cancelled', 'repeat', 'none']),
  next_attempt_at: Nullable(Timestamp),
  worker: Type.String({ example: 'stint-1' }),
  applied: Type.Boolean({ description: 'False for a result that came after another worker had taken over.' }),
})

export interface AttemptRow extends Omit<Static<typeof Attempt>, 'response_body' | 'response_text' | 'addresses'> {
  response_body: Buffer | null
  /** Null of attempts recorded before addresses were. */
  addresses: Static<typeof Contact>[] | null
}

/** Signatures are shown in full only to who may write webhooks; others see that a request was signed. */
export function attemptOf(row: AttemptRow, shows_signatures: boolean): Static<typeof Attempt> {
  const body = row.response_body
  return {
    ...row,
    addresses: row.addresses ?? [],
    request_headers: shows_signatures ? row.request_headers : shortened(row.request_headers),
    response_body: body?.toString('base64') ?? null,
    response_text: body && isUtf8(body) ? body.toString() : null,
  }
}

const signature_headers = ['x-service-signature', 'webhook-signature']
const signature_shown_max = 12

function shortened(headers: AttemptRow['request_headers']): AttemptRow['request_headers'] {
  const shown = signature_headers.filter((name) => name in headers)
  return {
    ...headers,
    ...Object.fromEntries(shown.map((name) => [name, `${String(headers[name]).slice(0, signature_shown_max)}…`])),
  }
}
