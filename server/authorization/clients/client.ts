import type { JSONWebKeySet } from 'jose'
import type { Scope } from '#core/caller.ts'
import {
  ActorSchema,
  Closed,
  Id,
  MultilineText,
  Nullable,
  Observed,
  SetOf,
  ShownOnce,
  type Static,
  Text,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import { ScopeList, SensitiveList } from '#identity/api-tokens/api-token.ts'
import { randomBase62 } from '#identity/token-format.ts'
import { OAuthError } from '../parameters.ts'

/** Ways in which a client authenticates itself at our endpoints (RFC 7591 §2). */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
export type AuthMethod = (typeof authMethods)[number]

/** Methods by which we and the client share a secret. */
export const secretMethods: readonly AuthMethod[] = ['client_secret_basic', 'client_secret_post']

/** Algorithms of a client's signature: asymmetric ones only, so that no public key can pass for a secret (RFC 8725 §2.1). */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const
export type GrantType = (typeof grantTypes)[number]

export const verdicts = ['verified', 'blocked', 'none'] as const
export type Verdict = (typeof verdicts)[number]

/** Members of public keys (RFC 7518 §6); one of a private key is refused by its name. */
const Key = Closed({
  kty: Type.Enum(['RSA', 'EC', 'OKP']),
  kid: Type.Optional(Type.String({ maxLength: 256 })),
  alg: Type.Optional(Type.String({ maxLength: 16 })),
  use: Type.Optional(Type.Enum(['sig'])),
  n: Type.Optional(Type.String({ maxLength: 1_024 })),
  e: Type.Optional(Type.String({ maxLength: 16 })),
  crv: Type.Optional(Type.String({ maxLength: 16 })),
  x: Type.Optional(Type.String({ maxLength: 128 })),
  y: Type.Optional(Type.String({ maxLength: 128 })),
})
/** As they were registered, which for a client of others is within its own bounds. */
const ShownKey = Type.Object(
  Object.fromEntries(Object.keys(Key.properties).map((name) => [name, Type.Optional(Type.String())])),
)
const Keys = Closed(
  { keys: Type.Array(Key, { minItems: 1, maxItems: 10 }) },
  { title: 'KeySet', description: 'Public keys (RFC 7517), for private_key_jwt.' },
)
const Resources = SetOf(Type.Enum(['rest', 'mcp']), {
  description: 'What its tokens open: the REST API, the tool server. The first is the default.',
})
const redirectUri = Type.String({ minLength: 1, maxLength: 2_048, example: 'https://desk.example.org/callback' })

export const OAuthClient = Type.Object({
  id: Type.String({ description: 'The client_id.', example: 'cli_4Qm8Zt2VbX6nR1cW9yLk3P' }),
  client_id: Type.String({
    description: 'As it stands in OAuth requests; for a document client the address of its document.',
    example: 'cli_4Qm8Zt2VbX6nR1cW9yLk3P',
  }),
  kind: Type.Enum(['dynamic', 'document', 'managed'], {
    description: 'Registered itself, is described by a document, or was made by this organization.',
  }),
  name: Type.String({ example: 'Desk Assistant' }),
  description: Nullable(Type.String()),
  client_uri: Nullable(Type.String()),
  logo_uri: Nullable(Type.String()),
  application_type: Nullable(Type.Enum(['web', 'native'])),
  grant_types: Type.Array(Type.Enum([...grantTypes])),
  redirect_uris: Type.Array(Type.String({ example: 'https://desk.example.org/callback' })),
  token_endpoint_auth_methods: Type.Array(Type.Enum([...authMethods])),
  jwks: { ...Nullable(Type.Object({ keys: Type.Array(ShownKey) })), example: null },
  jwks_uri: Nullable(Type.String()),
  scopes: Nullable(
    Type.Array(Type.String({ example: 'contracts:read' }), {
      description: 'Most that it can be given; null is no bound.',
    }),
  ),
  sensitive_data: SensitiveList,
  resources: Type.Array(Type.Enum(['rest', 'mcp'])),
  verdict: Type.Enum([...verdicts], { description: 'What this organization decided about it.' }),
  secrets: Type.Array(
    Type.Object({
      prefix: Type.String({ example: 'stint_ocs_Exam' }),
      last4: Type.String({ example: 'mple' }),
      created_at: Timestamp,
      retires_at: Nullable(Timestamp),
    }),
  ),
  created_by: Nullable(ActorSchema),
  created_with: Nullable({
    ...Id,
    description: 'Token or permission that made it, and that it ends with.',
  } as typeof Id),
  created_at: Timestamp,
  updated_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Observed(
    Nullable({
      ...Timestamp,
      description: 'Of a client of others, when it last took a token for this organization.',
    } as typeof Timestamp),
  ),
})

/** A client as the calling organization sees it, with what that thinks of it. */
export type ClientRow = Omit<
  Static<typeof OAuthClient>,
  'id' | 'token_endpoint_auth_methods' | 'created_with' | 'scopes' | 'jwks'
> & {
  /** The organization that made a managed client, and alone uses it. */
  organization_id: string | null
  auth_methods: AuthMethod[]
  /** Upper bound and default of what it can ask for; null is no bound. */
  scopes: Scope[] | null
  jwks: JSONWebKeySet | null
  /** The credential that made a managed client: what the client is given ends with it. */
  parent_token_id: string | null
  parent_grant_id: string | null
}

/**
 * A client, wherever it comes from: it registered itself, its client_id is the address of its document, or an organization
 * made it.
 */
export type Client = Omit<ClientRow, 'verdict' | 'secrets'> & {
  organization_name: string | null
  is_sandbox: boolean | null
}

/** A client with the time of the database at which it was found. */
export type FoundClient = Client & { now: string }

/** Metadata of a client, as it says them of itself (RFC 7591 §2), checked. */
export type ClientMetadata = Pick<
  Client,
  | 'name'
  | 'description'
  | 'redirect_uris'
  | 'grant_types'
  | 'auth_methods'
  | 'application_type'
  | 'client_uri'
  | 'logo_uri'
  | 'scopes'
  | 'jwks'
  | 'jwks_uri'
> & { code_challenge_method: 'S256' | null }

/** The answer that makes a secret: the only one that ever holds it. */
export const RevealedClient = Type.Object({
  ...OAuthClient.properties,
  client_secret: ShownOnce('The secret; null where none is used.'),
})

export const ClientPath = {
  client_id: Type.String({ pattern: '^(cli_[0-9A-Za-z]{22}|https://[!-~]+)$', maxLength: 2_048, title: 'ClientId' }),
}

export const WritableFields = {
  name: Text(1, 150, { description: 'Name that users see when they are asked.', example: 'Desk Assistant' }),
  description: Nullable(MultilineText(1, 1_000)),
  redirect_uris: Type.Array(redirectUri, { maxItems: 10, set: true, description: 'Where users are sent back to.' }),
  scopes: ScopeList,
  sensitive_data: SensitiveList,
  resources: Resources,
  jwks: Keys,
  jwks_uri: Type.String({ minLength: 1, maxLength: 2_048, description: 'Address of its public keys.' }),
}

export const NewClientInput = Closed({
  ...WritableFields,
  description: Type.Optional(WritableFields.description),
  application_type: Type.Enum(['web', 'native'], { default: 'web' }),
  grant_types: SetOf(Type.Enum(['authorization_code', 'client_credentials']), {
    default: ['authorization_code'],
    description: 'authorization_code acts for users who allow it, client_credentials for this organization.',
  }),
  redirect_uris: { ...WritableFields.redirect_uris, default: [] } as typeof WritableFields.redirect_uris,
  token_endpoint_auth_method: Type.Enum([...authMethods], { default: 'client_secret_basic' }),
  sensitive_data: { ...SensitiveList, default: [] } as typeof SensitiveList,
  resources: { ...Resources, default: ['rest', 'mcp'] } as typeof Resources,
  jwks: Type.Optional(WritableFields.jwks),
  jwks_uri: Type.Optional(WritableFields.jwks_uri),
})

export function oauthClientOf(row: ClientRow): Static<typeof OAuthClient> {
  const { organization_id: _, auth_methods, parent_token_id, parent_grant_id, ...rest } = row
  const created_with = parent_token_id ?? parent_grant_id
  // The cast holds because the columns are only ever written through the schema above and the fields of registration.
  return { id: row.client_id, ...rest, token_endpoint_auth_methods: auth_methods, created_with } as Static<
    typeof OAuthClient
  >
}

/** About 131 random bits: it is no secret, but nobody meets another's by trying. */
export const newClientId = () => `cli_${randomBase62(22)}`

/** Unknown client and failed authentication read alike. */
export function invalidClient(cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', 'client: is not known here or did not authenticate as it is registered', {
    cause,
  })
}
