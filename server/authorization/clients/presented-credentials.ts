import { decodeJwt } from 'jose'
import type { OAuthRequest } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'

/** What a request presents to say who its client is, before anything of it is believed. */
export type Presented = { client_id: string } & (
  | { method: 'none' }
  | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
  | { method: 'private_key_jwt'; assertion: string }
)

const assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const assertion_characters_max = 8_192

/** Unknown client and failed authentication read alike. */
export function invalidClient(cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', 'client: is not known here or did not authenticate as it is registered', {
    cause,
  })
}

/** Reads the credential of a client; more than one of them is refused (RFC 6749 §2.3). */
export function presentedCredentials({ authorization, parameters }: OAuthRequest): Presented {
  const client_id = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  const assertion = parameters.get('client_assertion')
  const sent = [authorization, secret, assertion].filter((one) => one !== undefined)
  if (sent.length > 1) throw new OAuthError('invalid_request', 'client: must authenticate in one way only')
  if (authorization !== undefined) return basic(authorization, client_id)
  if (assertion !== undefined) return signed(assertion, parameters.get('client_assertion_type'), client_id)
  if (client_id === undefined) throw invalidClient()
  return secret === undefined ? { method: 'none', client_id } : { method: 'client_secret_post', client_id, secret }
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basic(authorization: string, named: string | undefined): Presented {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString())
  const [client_id, secret] = [formDecoded(parts?.[1]), formDecoded(parts?.[2])]
  if (!client_id || !secret || (named !== undefined && named !== client_id)) throw invalidClient()
  return { method: 'client_secret_basic', client_id, secret }
}

function formDecoded(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** RFC 7523 §2.2; without `client_id` the assertion says whose it is, which its signature then has to prove. */
function signed(assertion: string, type: string | undefined, named: string | undefined): Presented {
  if (type !== assertion_type || assertion.length > assertion_characters_max) throw invalidClient()
  const client_id = named ?? subjectOf(assertion)
  if (typeof client_id !== 'string' || client_id === '') throw invalidClient()
  return { method: 'private_key_jwt', client_id, assertion }
}

function subjectOf(assertion: string): unknown {
  try {
    return decodeJwt(assertion).sub
  } catch (cause) {
    throw invalidClient(cause)
  }
}
