import { newId } from '#core/values.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { issueToken } from '#identity/token.store.ts'
import { createOperatorToken } from '#operator/administration.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import type { Installation } from './installation.ts'

export interface BenchOrganization {
  id: string
  /** Holds every right. */
  token: string
}

/** An organization that is no sandbox, with a token. */
export async function createOrganization({ database }: Installation, name: string): Promise<BenchOrganization> {
  const id = newId(Date.now())
  await database.transaction({ role: 'app', organization_id: id }, (tx) =>
    insertOrganization(tx, {
      id,
      name,
      country: 'DE',
      default_currency: 'EUR',
      timezone: 'Europe/Berlin',
      is_sandbox: false,
    }),
  )
  const { token } = await createOperatorToken(database, {
    organization: id,
    name: 'bench',
    scopes: organizationScopes,
    sensitive_data: sensitiveCategories,
    expires_at: null,
  })
  return { id, token }
}

/** A user's own token: that of an organization does not open the tool server. */
export function createPersonalToken({ database }: Installation, organization_id: string): Promise<string> {
  return database.transaction({ role: 'owner', organization_id }, async (tx) => {
    const user_id = newId(Date.now())
    await insertUser(tx, { id: user_id, email: 'bench@example.org', name: 'Bench', password_hash: null })
    await grantMembership(tx, organization_id, user_id, 'owner')
    const { token } = await issueToken(tx, {
      id: newId(Date.now()),
      organization_id,
      kind: 'personal',
      name: 'bench',
      is_sandbox: false,
      scopes: ['contracts:read'],
      sensitive_data: ['compensation'],
      user_id,
      created_by: { kind: 'system', id: null, name: 'bench' },
      expires_at: null,
    })
    return token
  })
}
