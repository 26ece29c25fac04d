import type { Actor } from '#core/caller.ts'
import { newId } from '#core/id.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Database } from '#db/database.ts'
import { findUserByEmail, grantMembership, insertUser } from '#identity/account.store.ts'
import { issueToken } from '#identity/issue-token.ts'
import { hashPassword } from '#identity/password.ts'
import { findOrganizationsByName, insertOrganization } from '#resources/organizations/index.ts'

/** What the operator does beside the API: organizations, first owners and tokens, straight in the database. */
const operator: Actor = { kind: 'system', id: null, name: 'operator' }

export interface NewAdministrator {
  email: string
  name: string
  password: string
  organization: {
    name: string
    country: string | null
    default_currency: string
    timezone: string
    is_sandbox: boolean
  }
}

/** Makes a person owner of an organization; both are made where they do not exist yet. */
export async function createAdministrator(
  database: Database,
  { email, name, password, organization }: NewAdministrator,
): Promise<{ organization_id: string; user_id: string; organization_created: boolean }> {
  const password_hash = await hashPassword(password)
  const [existing] = await organizationsNamed(database, organization.name)
  const organization_id = existing?.id ?? newId(Date.now())
  return database.transaction({ role: 'operator', organization_id }, async (tx) => {
    if (!existing) await insertOrganization(tx, { id: organization_id, ...organization })
    const known = await findUserByEmail(tx, email)
    const user_id = known?.id ?? newId(Date.now())
    if (!known) await insertUser(tx, { id: user_id, email, name, password_hash })
    await grantMembership(tx, organization_id, user_id, 'owner')
    return { organization_id, user_id, organization_created: !existing }
  })
}

export interface NewOperatorToken {
  organization: string
  name: string
  scopes: readonly string[]
  sensitive_data: readonly string[]
  expires_at: string | null
}

/** Makes an organization token; the value is in the answer only. */
export async function createOperatorToken(
  database: Database,
  secrets: Secrets,
  wished: NewOperatorToken,
): Promise<{ id: string; token: string; organization_id: string }> {
  const found = await organizationsNamed(database, wished.organization)
  const [organization] = found
  if (!organization)
    throw new Error(`there is no organization "${wished.organization}"; make one with \`stint admin create\``)
  if (found.length > 1)
    throw new Error(`several organizations are called "${wished.organization}"; give the id instead`)
  const organization_id = organization.id
  return database.transaction({ role: 'operator', organization_id }, async (tx) => {
    const { row, token } = await issueToken(tx, secrets, {
      id: newId(Date.now()),
      organization_id,
      kind: 'organization',
      is_sandbox: organization.is_sandbox,
      name: wished.name,
      scopes: [...wished.scopes],
      sensitive_data: [...wished.sensitive_data],
      created_by: operator,
      expires_at: wished.expires_at,
    })
    return { id: row.id, token, organization_id }
  })
}

/** By name or id. Reads all organizations, which only the lookup role may. */
function organizationsNamed(database: Database, nameOrId: string) {
  return database.transaction({ role: 'lookup', read_only: true }, (tx) => findOrganizationsByName(tx, nameOrId))
}
