import { decodeProtectedHeader, type JSONWebKeySet } from 'jose'
import type { Runtime } from '#core/runtime.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import type { Addresses } from '../addresses.ts'
import { noteAssertion } from './assertion.store.ts'
import { verifyAssertion } from './assertion.ts'
import { noteClientUse, use_noted_every_ms } from './client.store.ts'
import type { FoundClient } from './find-client.ts'
import type { KeySets } from './key-sets.ts'
import { invalidClient, type Presented } from './presented-credentials.ts'
import { isClientSecret } from './verify-secret.ts'

export interface AuthenticationParts {
  runtime: Runtime
  addresses: Addresses
  keySets: KeySets
}

/** Proves that a request comes from the client it names, in the way that client is registered for; throws `invalid_client`. */
export async function authenticateClient(
  parts: AuthenticationParts,
  client: FoundClient | undefined,
  presented: Presented,
): Promise<FoundClient> {
  // A client is held to its method: who knows the id of one with a secret cannot come without (RFC 6749 §10.1).
  if (!client?.auth_methods.includes(presented.method)) throw invalidClient()
  const { database, secrets } = parts.runtime
  // Nothing to check and nothing to write: the exchange of a public client costs one transaction less.
  if (presented.method === 'none' && wasUsedLately(client)) return client
  const { client_id, organization_id } = client
  const assertion = presented.method === 'private_key_jwt' ? await verifiedBy(parts, client, presented.assertion) : null
  await database.transaction({ role: 'app', ...(organization_id && { organization_id }) }, async (tx) => {
    if ('secret' in presented && !(await isClientSecret(tx, secrets, client_id, presented.secret)))
      throw invalidClient()
    if (assertion && !(await noteAssertion(tx, client_id, assertion))) throw invalidClient()
    await noteClientUse(tx, client_id)
  })
  return client
}

/** Times are the database's, read where the client was found; `noteClientUse` writes once in this time. */
function wasUsedLately({ now, last_used_at }: FoundClient): boolean {
  return last_used_at !== null && Date.parse(now) - Date.parse(last_used_at) < use_noted_every_ms
}

async function verifiedBy({ addresses, keySets }: AuthenticationParts, client: FoundClient, assertion: string) {
  const { auth_url } = addresses
  const { client_id, now } = client
  const rules = { client_id, now, audiences: [auth_url, `${auth_url}/oauth/token`] }
  try {
    const keys = await keysOf(client, keySets, assertion)
    return await verifyAssertion(assertion, keys, rules)
  } catch (cause) {
    if (cause instanceof DatabaseUnavailable) throw cause
    throw invalidClient(cause)
  }
}

async function keysOf({ jwks, jwks_uri }: FoundClient, keySets: KeySets, assertion: string): Promise<JSONWebKeySet> {
  if (jwks) return jwks
  const { kid } = decodeProtectedHeader(assertion)
  const keys = jwks_uri && (await keySets.keysAt(jwks_uri, typeof kid === 'string' ? kid : undefined))
  if (!keys) throw new Error('the client has no keys')
  return keys
}
