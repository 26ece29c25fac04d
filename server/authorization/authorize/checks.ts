import type { Scope } from '#core/caller.ts'
import { default_scopes } from '#identity/scopes.ts'
import type { Addresses, Resource } from '../addresses.ts'
import type { Client } from '../clients/client.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'
import { resourceIn } from '../resource-parameter.ts'
import { scopesIn } from '../scope-text.ts'

const state_characters_max = 4_096
const scopes_max = 50

/** RFC 7636 §4.2: the SHA-256 of a verifier as base64url. */
const challenge_form = /^[A-Za-z0-9_-]{43}$/

/** Returned as it was sent (RFC 6749 §4.1.1). */
export function stateIn(parameters: Parameters): string | null {
  const state = parameters.get('state') ?? null
  if (state && state.length > state_characters_max) {
    throw new OAuthError('invalid_request', `state: must have at most ${state_characters_max} characters`)
  }
  return state
}

/** Codes travel in the query; a fragment would stay in histories and reach scripts (RFC 9700 §2.1.2). */
export function checkResponseMode(parameters: Parameters): void {
  const mode = parameters.get('response_mode')
  if (mode !== undefined && mode !== 'query') throw new OAuthError('invalid_request', 'response_mode: must be query')
}

/** Request objects (RFC 9101) are not supported; ignoring one would ignore what the client believes it asked for. */
export function checkRequestObject(parameters: Parameters): void {
  for (const name of ['request', 'request_uri']) {
    if (parameters.get(name) !== undefined) throw new OAuthError('invalid_request', `${name}: is not supported`)
  }
}

export function checkResponseType(parameters: Parameters): void {
  if (parameters.require('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type: must be code')
  }
}

export function checkGrantType({ grant_types }: Client): void {
  if (!grant_types.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'client_id: the client acts for its organization, not for users')
  }
}

/** PKCE for every client (RFC 9700 §2.1.1); without a method it would mean `plain` (RFC 7636 §4.3). */
export function challengeIn(parameters: Parameters): string {
  const challenge = parameters.require('code_challenge')
  if (parameters.require('code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method: must be S256')
  }
  if (!challenge_form.test(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge: must be 43 characters of base64url')
  }
  return challenge
}

/** What is asked for, within what the client registered; without a wish that is all of it. */
export function requestedScopes(parameters: Parameters, client: Client): Scope[] {
  const text = parameters.get('scope') ?? ''
  if (text.split(' ').length > scopes_max) {
    throw new OAuthError('invalid_scope', `scope: must have at most ${scopes_max} names`)
  }
  const asked = scopesIn(text)
  if (!asked) throw new OAuthError('invalid_scope', 'scope: has a name that is not known')
  if (asked.length === 0) return [...(client.scopes ?? default_scopes)]
  const within = asked.filter((scope) => !client.scopes || isCovered(scope, client.scopes))
  if (within.length === 0) throw new OAuthError('invalid_scope', 'scope: is beyond what the client registered')
  return within
}

export function requestedResource(parameters: Parameters, client: Client, addresses: Addresses): Resource {
  const resource = resourceIn(parameters, addresses)
  const own = client.kind === 'managed' ? client.resources : undefined
  if (resource && own && !own.includes(resource)) {
    throw new OAuthError('invalid_target', 'resource: is not one of the client')
  }
  return resource ?? own?.[0] ?? 'mcp'
}

/** `x:write` covers `x:read`. */
export function isCovered(scope: string, held: readonly string[]): boolean {
  return held.includes(scope) || (scope.endsWith(':read') && held.includes(scope.replace(/:read$/, ':write')))
}
