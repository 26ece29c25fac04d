import { decodeProtectedHeader } from 'jose'
import { Problem } from '#core/problems/problem.ts'
import type { Runtime } from '#core/runtime.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import type { Addresses } from '../addresses.ts'
import { OAuthError } from '../oauth-error.ts'
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
  network: string,
): Promise<FoundClient> {
  // A client is held to its method: who knows the id of one with a secret cannot come without (RFC 6749 §10.1).
  if (!client?.auth_methods.includes(presented.method)) throw invalidClient()
  const { database, secrets } = parts.runtime
  // Nothing to check and nothing to write: the exchange of a public client costs one transaction less.
  if (presented.method === 'none' && wasUsedLately(client)) return client
  const { client_id } = client
  const assertion =
    presented.method === 'private_key_jwt' ? await verifiedBy(parts, client, presented.assertion, network) : null
  await database.transaction({ role: 'lookup' }, async (tx) => {
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

async function verifiedBy(
  { addresses, keySets }: AuthenticationParts,
  client: FoundClient,
  assertion: string,
  network: string,
) {
  const { auth_url } = addresses
  const { client_id, now } = client
  const rules = { client_id, now, audiences: [auth_url, `${auth_url}/oauth/token`] }
  try {
    const kid = keyIdOf(assertion)
    const keys = client.jwks ?? (client.jwks_uri && (await keySets.keysAt(client.jwks_uri, kid, network)))
    if (!keys) throw new Error('the client has no keys')
    return await verifyAssertion(assertion, keys, rules)
  } catch (cause) {
    // That keys cannot be read now, or were asked for too often, says nothing of the assertion.
    if (cause instanceof DatabaseUnavailable || cause instanceof OAuthError || cause instanceof Problem) throw cause
    throw invalidClient(cause)
  }
}

function keyIdOf(assertion: string): string | undefined {
  const { kid } = decodeProtectedHeader(assertion)
  return typeof kid === 'string' ? kid : undefined
}
