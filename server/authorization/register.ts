import { Problem } from '#core/problems.ts'
import { createRateLimit, type RateLimit } from '#core/rate-limit.ts'
import { insertClient } from './clients/client.store.ts'
import { type ClientMetadata, newClientId } from './clients/client.ts'
import { readRegistration } from './clients/client-metadata.ts'
import type { FlowParts } from './clients/clients.ts'
import type { OAuthEndpoint } from './oauth-endpoint.ts'
import { OAuthError } from './parameters.ts'

/**
 * Some clients register at every connection, often twice, from addresses they share: the limits leave room. Refused ones
 * are counted apart, so that a program that goes on trying keeps nobody behind its address from registering.
 */
const accepted_per_hour_max = 300
const refused_per_10_min_max = 30
const accepted_words = `more than ${accepted_per_hour_max} clients registered from this address within an hour`
const refused_words = `more than ${refused_per_10_min_max} refused registrations from this address within 10 minutes`

/** Dynamic client registration (RFC 7591 §3), open to everyone. */
export function registrationEndpoint({ runtime: { database, clock } }: FlowParts): OAuthEndpoint {
  const { now } = clock
  const accepted = createRateLimit('registrations', { requests_max: accepted_per_hour_max, window_s: 3_600, now })
  const refused = createRateLimit('refusals', { requests_max: refused_per_10_min_max, window_s: 600, now })

  return {
    operation: 'oauth.register',
    method: 'POST',
    path: '/oauth/register',
    body: 'json',
    cors: true,
    async handle({ json, network }) {
      const client = readOrCount(json, () => countAs(refused, network, refused_words))
      countAs(accepted, network, accepted_words)
      const client_id = newClientId()
      const body = await database.transaction({ role: 'lookup' }, async (tx) => {
        const client_secret = await insertClient(tx, { ...client, client_id, kind: 'dynamic' }, false)
        return {
          client_id,
          client_id_issued_at: Math.floor(Date.parse(tx.now) / 1_000),
          ...(client_secret && { client_secret, client_secret_expires_at: 0 }),
          ...registered(client),
        }
      })
      return { status: 201, body }
    },
  }
}

/** Beyond the limit, says what was counted and until when. */
function countAs(limit: RateLimit, network: string, words: string): void {
  try {
    limit.take(network)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { headers = {} } = error.details
    const wait_s = headers['Retry-After']
    throw new OAuthError('temporarily_unavailable', `request: ${words}; come again in ${wait_s} seconds`, {
      status: error.definition.status,
      headers,
    })
  }
}

function readOrCount(json: string, count: () => void): ClientMetadata {
  try {
    return readRegistration(json)
  } catch (error) {
    if (error instanceof OAuthError) count()
    throw error
  }
}

/** Every registered field with its value, and only those (RFC 7591 §3.2.1). */
function registered({ auth_methods, scopes, name, description, ...more }: ClientMetadata) {
  const fields = {
    client_name: name,
    ...more,
    response_types: ['code'],
    token_endpoint_auth_method: auth_methods[0],
    client_description: description,
    scope: scopes?.join(' ') ?? null,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
