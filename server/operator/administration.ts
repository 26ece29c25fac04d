import type { Actor, Role } from '#core/caller.ts'
import { recordAudit } from '#core/effects.ts'
import { newId } from '#core/values.ts'
import type { Database, Transaction } from '#db/database.ts'
import {
  auditAccount,
  createSetUpLink,
  findUserByEmail,
  grantMembership,
  insertUser,
  roleIn,
} from '#identity/account.store.ts'
import { hashPassword } from '#identity/password.ts'
import { organizationScopes, rightsOf, sensitiveCategories } from '#identity/scopes.ts'
import { issueToken } from '#identity/token.store.ts'
import { findOrganizationsByName, insertOrganization, type OrganizationRow } from '#resources/organizations/index.ts'

/** Work of the operator beside the API: organizations, first owners and tokens, straight in the database. */
const operator: Actor = { kind: 'system', id: null, name: 'operator' }

interface NewAdministrator {
  email: string
  name: string
  /** Null: the person chooses one by a one-time link. */
  password: string | null
  /** Default: owner. */
  role?: Role
  /** `is_new` where one that exists must not be taken. */
  organization: Omit<Parameters<typeof insertOrganization>[1], 'id'> & { is_new?: boolean }
}

/**
 * Makes a person a member of an organization, by default its owner; both are made where they do not exist yet, and left as they are where they do.
 * `link` is the secret of the link by which the person chooses a password; null when there is one already.
 */
export async function createAdministrator(
  database: Database,
  { email, name, password, role = 'owner', organization }: NewAdministrator,
) {
  const password_hash = password === null ? null : await hashPassword(password)
  const { is_new = false, ...made } = organization
  const existing = await organizationNamed(database, organization.name)
  if (existing && is_new)
    throw new Error(
      `there is an organization ${organization.name} already, and what is told of a new one would change nothing: choose another name, or leave that out`,
    )
  const organization_id = existing?.id ?? newId(Date.now())
  return database.transaction({ role: 'operator', organization_id }, async (tx) => {
    if (!existing) await insertOrganization(tx, { id: organization_id, ...made })
    const known = await findUserByEmail(tx, email)
    const user_id = known?.id ?? newId(Date.now())
    if (!known) await insertUser(tx, { id: user_id, email, name, password_hash })
    await grantMembership(tx, organization_id, user_id, role)
    if (!existing) auditOperator(tx, organization_id, 'organizations.create', organization_id)
    auditOperator(tx, organization_id, 'members.create', user_id)
    const hasPassword = (known ?? { password_hash }).password_hash !== null
    const link = hasPassword ? null : await createSetUpLink(tx, user_id)
    return { organization_id, user_id, organization_created: !existing, user_created: !known, link }
  })
}

/**
 * A link by which somebody who has an account chooses a new password: the way back in when it is forgotten. With
 * `resets_factors` it takes off the second factors too, for who lost those as well.
 */
export async function resetAdministrator(
  database: Database,
  email: string,
  { resets_factors = false }: { resets_factors?: boolean } = {},
) {
  return database.transaction({ role: 'lookup' }, async (tx) => {
    const user = await findUserByEmail(tx, email)
    if (!user) throw new Error(`nobody has the address ${email}; make an account with \`stint admin create\``)
    const action = resets_factors ? 'users.reset_with_factors' : 'users.reset'
    await auditAccount(tx, { user, actor: operator, action })
    return { user_id: user.id, link: await createSetUpLink(tx, user.id, { resets_factors }) }
  })
}

interface NewOperatorToken {
  organization: string
  /** Address of the member whose personal token it is; without one it is the organization's. */
  user?: string | undefined
  name: string
  /** All is what the organization, or the role of the member, can have. */
  scopes: readonly string[] | 'all'
  sensitive_data: readonly string[] | 'all'
  expires_at: string | null
}

/** Makes a token of an organization or of one of its members; the value is in the answer only. */
export async function createOperatorToken(database: Database, wished: NewOperatorToken) {
  const organization = await organizationNamed(database, wished.organization)
  if (!organization)
    throw new Error(`there is no organization "${wished.organization}"; make one with \`stint admin create\``)
  const { id: organization_id, is_sandbox } = organization
  return database.transaction({ role: 'operator', organization_id }, async (tx) => {
    const { scopes, sensitive_data, ...holder } = await holderOf(tx, organization_id, wished.user)
    const { row, token } = await issueToken(tx, {
      ...{ id: newId(Date.now()), organization_id, is_sandbox, ...holder },
      name: wished.name,
      scopes: within(wished.scopes, scopes),
      sensitive_data: within(wished.sensitive_data, sensitive_data),
      created_by: operator,
      expires_at: wished.expires_at,
    })
    auditOperator(tx, organization_id, 'api_tokens.create', row.id)
    return { id: row.id, token, organization_id }
  })
}

/** The holder of a token, with the most it can be given: a personal token has what its user's role allows. */
async function holderOf(tx: Transaction, organization_id: string, email: string | undefined) {
  if (email === undefined) {
    return { kind: 'organization', scopes: organizationScopes, sensitive_data: sensitiveCategories } as const
  }
  const user = await findUserByEmail(tx, email)
  const role = user && !user.disabled_at && (await roleIn(tx, organization_id, user.id))
  if (!role) throw new Error(`no member of this organization has the address ${email}, or the account is disabled`)
  const { grantable, sensitive_data } = rightsOf[role]
  return { kind: 'personal', user_id: user.id, scopes: [...grantable], sensitive_data } as const
}

function within(wished: readonly string[] | 'all', most: readonly string[]): string[] {
  if (wished === 'all') return [...most]
  const excess = wished.filter((right) => !most.includes(right))
  if (excess.length > 0) throw new Error(`the role of this member does not allow ${excess.join(', ')}`)
  return [...wished]
}

/** The most powerful hand leaves its line too. */
function auditOperator(tx: Transaction, organization_id: string, action: string, id: string): void {
  const subject = { kind: action.split('.')[0] ?? '', id }
  recordAudit(tx, { organization_id, actor: operator, action, subject })
}

/** By name or id; names need not be unique. Reads all organizations, which only the lookup role may. */
export async function organizationNamed(
  database: Pick<Database, 'transaction'>,
  nameOrId: string,
): Promise<OrganizationRow | undefined> {
  const [found, another] = await database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    findOrganizationsByName(tx, nameOrId),
  )
  if (another) throw new Error(`several organizations are called "${nameOrId}"; give the id instead`)
  return found
}
