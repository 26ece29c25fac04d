import { newId } from '#core/values.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
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
