import type { JSONWebKeySet } from 'jose'
import type { Scope, SensitiveCategory } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import { randomBase62 } from '#identity/token-format.ts'
import type { Addresses, Resource } from '../addresses.ts'
import type { OAuthRequest } from '../oauth-endpoint.ts'

/** A client, wherever it comes from: it registered itself, its client_id is the address of its document, or an organization made it. */
export interface Client {
  client_id: string
  kind: 'dynamic' | 'document' | 'managed'
  /** The organization that made a managed client, and alone uses it. */
  organization_id: string | null
  organization_name: string | null
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

export interface AuthenticatedClient {
  client: Client
  /** The proof of its identity; `none` proves nothing. */
  method: AuthMethod
}

/** Questions of the endpoints about clients. */
export interface Clients {
  /** The client of this id, or undefined; a document is fetched where no fresh copy is kept. */
  find(client_id: string, network: string): Promise<Client | undefined>
  /** Proves who sends this request (RFC 6749 §2.3); throws `invalid_client`. */
  authenticate(request: OAuthRequest): Promise<AuthenticatedClient>
  /** Returns true when a client may be described by a document at this moment, as the metadata say. */
  offersDocuments(): boolean
  /** Counts a code or token of this client that was refused, against the network it came from; throws beyond the limit. */
  noteFailure(client_id: string, network: string): void
  /** Counts what was refused to a client, which only for one that proves nothing was not counted before. */
  noteRefusal(authenticated: AuthenticatedClient, network: string): void
  /** Counts a use of a grant; throws beyond the limit. */
  countGrant(grant_id: string): void
}

/** Parts that the endpoints of the flows share. */
export interface FlowParts {
  runtime: Runtime
  addresses: Addresses
  clients: Clients
  /** Days that a permission given by a user lasts. */
  grant_days: number
}

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
export interface ClientMetadata {
  client_name: string
  redirect_uris: string[]
  grant_types: GrantType[]
  auth_methods: AuthMethod[]
  code_challenge_method: 'S256' | null
  application_type: 'web' | 'native' | null
  client_uri: string | null
  logo_uri: string | null
  client_description: string | null
  scopes: Scope[] | null
  jwks: JSONWebKeySet | null
  jwks_uri: string | null
}

/** Fields of a request body or document as they were sent; read by own properties only. */
export type Fields = Record<string, unknown>

/** About 131 random bits: it is no secret, but nobody meets another's by trying. */
export const newClientId = () => `cli_${randomBase62(22)}`
