import type { JSONWebKeySet } from 'jose'
import type { Scope } from '#core/caller.ts'
import type { AuthMethod, GrantType } from './auth-methods.ts'

/** What a client says of itself (RFC 7591 §2), checked. */
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
