import type { JSONWebKeySet } from 'jose'
import type { Scope, SensitiveCategory } from '#core/caller.ts'
import { randomBase62 } from '#identity/token-format.ts'
import type { Resource } from '../addresses.ts'
import { OAuthError } from '../parameters.ts'

/** A client, wherever it comes from: it registered itself, its client_id is the address of its document, or an organization made it. */
export interface Client {
  client_id: string
  kind: 'dynamic' | 'document' | 'managed'
  /** The organization that made a managed client, and alone uses it. */
  organization_id: string | null
  organization_name: string | null
  is_sandbox: boolean | null
  name: string
  description: string | null
  client_uri: string | null
  logo_uri: string | null
  application_type: 'web' | 'native' | null
  redirect_uris: string[]
  grant_types: GrantType[]
  auth_methods: AuthMethod[]
  /** Upper bound and default of what it can ask for; null is no bound. */
  scopes: Scope[] | null
  /** Categories that a managed client sees when it acts for its organization. */
  sensitive_data: SensitiveCategory[]
  /** The first is the default. */
  resources: Resource[]
  jwks: JSONWebKeySet | null
  jwks_uri: string | null
  /** The credential that made a managed client: what the client is given ends with it. */
  parent_token_id: string | null
  parent_grant_id: string | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
}

/** A client with the time of the database at which it was found. */
export type FoundClient = Client & { now: string }

/** Ways in which a client authenticates itself at our endpoints (RFC 7591 §2). */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
export type AuthMethod = (typeof authMethods)[number]

/** Methods by which we and the client share a secret. */
export const secretMethods: readonly AuthMethod[] = ['client_secret_basic', 'client_secret_post']

/** Algorithms of a client's signature: asymmetric ones only, so that no public key can pass for a secret (RFC 8725 §2.1). */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const
export type GrantType = (typeof grantTypes)[number]

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

/** About 131 random bits: it is no secret, but nobody meets another's by trying. */
export const newClientId = () => `cli_${randomBase62(22)}`

/** Unknown client and failed authentication read alike. */
export function invalidClient(cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', 'client: is not known here or did not authenticate as it is registered', {
    cause,
  })
}
