import { newId } from '#core/id.ts'
import { organizationScopes } from '#identity/scopes.ts'
import { sensitiveCategories } from '#identity/sensitive-categories.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import { createOperatorToken } from '../administration.ts'
import type { Running } from '../main.ts'

export interface Demo {
  organization_id: string
  token: string
}

const name = 'Harbour Pine'

/**
 * Fills a new, empty database with one sandbox organization and answers a token for it. A database that holds an
 * organization is left as it is: then there is nothing to answer.
 */
export async function seedDemo({ storage }: Running): Promise<Demo | null> {
  if (!(await storage.isNew())) return null
  const id = newId(Date.now())
  const { database, secrets } = storage
  await database.transaction({ role: 'operator', organization_id: id }, (tx) =>
    insertOrganization(tx, {
      id,
      name,
      country: 'DE',
      default_currency: 'EUR',
      timezone: 'Europe/Berlin',
      is_sandbox: true,
    }),
  )
  const { token } = await createOperatorToken(database, secrets, {
    organization: id,
    name: 'demo',
    scopes: organizationScopes,
    sensitive_data: sensitiveCategories,
    expires_at: null,
  })
  return { organization_id: id, token }
}
