import { Type } from '#core/schema/schema.ts'
import type { Json } from './components.ts'

const text = { type: 'string' }

const words = (description: string) => Type.String({ description })

/** The members of every problem document (RFC 9457), whatever its code. */
export const problemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Documentation page of the code.' }),
    title: words('What went wrong, the same for every problem of the code.'),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: words('What went wrong this time, or what to do about it.'),
    code: words('Stable name of the problem; programs decide by it.'),
    request_id: words('Tell it to the operator; the log of the service has it too.'),
    errors: Type.Optional(
      Type.Array(
        Type.Object({ pointer: words('JSON Pointer (RFC 6901) into the flat input.'), message: Type.String() }),
        { description: 'Places of the input that were refused, at most 20.' },
      ),
    ),
    required_scopes: Type.Optional(
      Type.Array(Type.String(), { description: 'With `insufficient_scope`: scopes of which any one suffices.' }),
    ),
  },
  { description: 'RFC 9457 problem document.' },
)

/** The member that a dry run adds to the answer; alone where the change answers nothing. */
export const dryRunSchema = Type.Object({
  dry_run: Type.Object({
    digest: Type.String({ description: 'For `Stint-Confirm`.' }),
    events: Type.Array(Type.Object({ type: Type.String(), entry: Type.Record(Type.String(), Type.Unknown()) }), {
      description: 'One for each entry of each event, in order.',
    }),
    postings: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'Transactions of the ledger with their entries.',
    }),
  }),
})

/** `*`, or entity tags with commas between them (RFC 9110 §8.8.3). */
const entity_tags = '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$'

const optional = (name: string, description: string, schema: Json): Json => ({
  ...{ name, in: 'header', required: false },
  description,
  schema,
})

/** Parameters that belong to requests as such, not to one operation. */
export const parameters: Json = {
  IdempotencyKey: optional(
    'Idempotency-Key',
    'Makes the request repeatable: for 24 hours the same key answers the same, with `Idempotent-Replayed: true`, without doing anything again. 1 to 255 printable ASCII characters.',
    { ...text, minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  ),
  DryRun: optional(
    'Stint-Dry-Run',
    '`true`: the change is rehearsed. It answers what it would answer (200 in place of 204) with a member `dry_run`: `{digest, events: [{type, entry}], postings}`, what it would tell and book. Nothing of it stays; no idempotency key is used up and no secret is shown.',
    { type: 'boolean', default: false },
  ),
  Confirm: optional(
    'Stint-Confirm',
    'The `dry_run.digest` of a dry run of the same change: it is made if its effects still are the same, else the answer is 409 `confirmation_outdated`.',
    { ...text, pattern: '^[A-Za-z0-9_-]{43}$' },
  ),
  IfMatch: optional(
    'If-Match',
    'The `ETag` of the resource as it was read: it is changed only if it still is the same, else the answer is 412. What the service notes of its use (a last use, a backlog) does not count as a change.',
    { ...text, maxLength: 1_024, pattern: entity_tags },
  ),
  IfNoneMatch: optional(
    'If-None-Match',
    'The `ETag` of an earlier answer: if the resource still is the same, the answer is 304 without a body.',
    { ...text, maxLength: 1_024, pattern: entity_tags },
  ),
  RequestId: optional(
    'Request-Id',
    'An id of your own for this request, at most 64 letters, digits, dots, hyphens and underscores: it comes back and stands in the log. In place of none, or of another form, the service makes one.',
    text,
  ),
  LastEventId: optional(
    'Last-Event-ID',
    'With `Accept: text/event-stream`: the stream goes on after the event of this id.',
    { ...text, minLength: 1, maxLength: 512 },
  ),
  CacheControl: optional(
    'Cache-Control',
    'For a service that reads lists from a replica: `no-cache` asks for what is there now, `max-age=<seconds>` for what was there at most so long ago (RFC 9111). Pages behind a first one that was current are current too.',
    text,
  ),
}

const header = (description: string, schema: Json = text): Json => ({ description, schema })

/** Headers of answers. */
export const headers: Json = {
  RequestId: header('The id of this request.'),
  RateLimit: header('What is left in this window: `"requests";r=<left>;t=<seconds>`.'),
  RateLimitPolicy: header('Requests allowed per window: `"requests";q=<requests>;w=<seconds>`.'),
  RetryAfter: header('Seconds to wait before the request may succeed.', { type: 'integer' }),
  ETag: header('Version of the resource as this credential sees it (RFC 9110): for `If-Match` and `If-None-Match`.'),
  Location: header('Address of what was created.', { type: 'string', format: 'uri' }),
  IdempotentReplayed: header('`true` when this is the kept answer of an earlier request with the same key.'),
  SensitiveDataWithheld: header(
    'Sensitive categories of this answer that the credential was not granted, comma-separated; their fields are null.',
  ),
  StintReadAgeMs: header(
    'The list was read from a replica and may leave out what was committed in the last so many milliseconds; absent: nothing is left out.',
    { type: 'integer', minimum: 0 },
  ),
  WWWAuthenticate: header('What the credential lacks (RFC 6750) and where the resource metadata is (RFC 9728).'),
}

/** Headers of every webhook delivery. */
export const deliveryHeaders: readonly Json[] = [
  [
    'x-service-signature',
    'Lowercase hex HMAC-SHA-256, keyed with the signing key, of `POST` followed by the raw body.',
  ],
  ['x-service-hmac-label', 'Label of the signing key that `x-service-signature` was made with.'],
  ['x-service-webhook-version', 'API version that the body was serialized with.'],
  ['webhook-id', 'The event id: the same in every attempt.'],
  ['webhook-timestamp', 'Start of this attempt in Unix seconds.'],
  ['webhook-signature', 'Standard Webhooks 1.0: `v1,<base64>` per live signing key, separated by a space.'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: text }))
