import type { PersonRow } from '#resources/people/index.ts'
import { asResource, isAssigned, type Resource } from './match.ts'
import { enterprise_schema, stint_schema, user_schema } from './schema.ts'

const enterprise = enterprise_schema.id

/** A contract as the extension of the service shows it. */
export interface ShownContract {
  id: string
  type: string
  status: string
  start_date: string
  end_date: string | null
}

/** The things that a representation depends on beside the row. */
export interface Showing {
  /** Address below which SCIM answers. */
  readonly base: string
  /** The caller may see home addresses, home e-mail addresses and phones that people entered here. */
  readonly sees_home: boolean
}

/** The name that a user signs in by at its identity provider. */
export const userNameOf = ({ user_name, email }: Pick<PersonRow, 'user_name' | 'email'>) => user_name ?? email ?? ''

/** The parts of a representation that a client may write, and nothing that is unassigned (RFC 7643 §2.5). */
export function writableOf(row: PersonRow, sees_home: boolean): Resource {
  const { emails, phoneNumbers, addresses, ...bag } = row.scim_bag as Resource
  const { [enterprise]: described, name, nameless: _, displayName, ...rest } = bag
  const came = (attribute: string) => row.scim_written.includes(attribute)
  const atHome = (attribute: string, entries: unknown, kinds: readonly string[]) =>
    sees_home || came(attribute) ? entries : withoutKinds(entries, kinds)
  return assigned({
    externalId: row.scim_external_id,
    userName: userNameOf(row),
    name: nameOf(row, asResource(name)),
    displayName: displayName ?? row.full_name,
    nickName: row.preferred_name,
    title: row.job_title,
    ...rest,
    active: row.access !== 'disabled',
    emails: atHome('emails', emails ?? ownEmails(row), ['home']),
    phoneNumbers: atHome('phoneNumbers', phoneNumbers ?? ownPhones(row), ['home', 'mobile']),
    addresses: atHome('addresses', addresses ?? ownAddresses(row), ['home']),
    [enterprise]: assigned({
      ...asResource(described),
      department: row.department_name,
      manager: managerOf(row),
    }),
  })
}

/** A user as it is answered: with what only the service writes. */
export function userOf(row: PersonRow, contracts: readonly ShownContract[], { base, sees_home }: Showing): Resource {
  const written = writableOf(row, sees_home)
  const described = asResource(written[enterprise])
  const manager = asResource(described?.manager)
  const groups = row.teams.map(({ id, name }) => ({
    ...{ value: id, $ref: `${base}/Groups/${id}`, display: name, type: 'direct' },
  }))
  const shown = assigned({
    ...written,
    groups,
    [enterprise]: manager && row.manager_id !== null ? { ...described, manager: shownManager(row, base) } : described,
    [stint_schema.id]: assigned({
      workerType: row.worker_type,
      status: row.status,
      startDate: row.start_date,
      contracts: contracts.map(({ start_date: startDate, end_date: endDate, ...contract }) =>
        assigned({ ...contract, startDate, endDate }),
      ),
    }),
  })
  const extensions = [enterprise, stint_schema.id].filter((urn) => urn in shown)
  return { schemas: [user_schema.id, ...extensions], id: row.id, ...shown, meta: metaOf('User', row, base) }
}

/** `updated_at` moves with every change, so it is the version too (RFC 7644 §3.14: a weak tag). */
export function metaOf(
  resourceType: 'User' | 'Group',
  { id, created_at, updated_at }: Pick<PersonRow, 'id' | 'created_at' | 'updated_at'>,
  base: string,
): Resource {
  const location = `${base}/${resourceType}s/${id}`
  return { resourceType, created: created_at, lastModified: updated_at, location, version: versionOf(updated_at) }
}

const versionOf = (updated_at: string) => `W/"${Date.parse(updated_at).toString(36)}"`

/** Without members that are unassigned. */
export function assigned(resource: Resource): Resource {
  return Object.fromEntries(
    Object.entries(resource).filter(([, value]) => {
      const inner = asResource(value)
      return isAssigned(value) && (!inner || Object.keys(inner).length > 0)
    }),
  )
}

function nameOf({ first_name, last_name, scim_bag }: PersonRow, sent: Resource | undefined): Resource {
  const parts = 'nameless' in scim_bag ? {} : { familyName: last_name, givenName: first_name }
  const formatted = Object.values(parts).length === 0 ? '' : `${first_name} ${last_name}`.trim()
  return assigned({ formatted, ...parts, ...sent })
}

function managerOf({ manager_id, manager_ref }: PersonRow): Resource | undefined {
  const value = manager_id ?? manager_ref
  return value === null ? undefined : { value }
}

const shownManager = ({ manager_id, manager_name }: PersonRow, base: string) =>
  assigned({ value: manager_id, $ref: `${base}/Users/${manager_id}`, displayName: manager_name })

const ownEmails = ({ email, personal_email }: PersonRow) => [
  ...(email ? [{ value: email, type: 'work', primary: true }] : []),
  ...(personal_email ? [{ value: personal_email, type: 'home' }] : []),
]

const ownPhones = ({ phone }: PersonRow) => (phone ? [{ value: phone, type: 'mobile' }] : [])

function ownAddresses({ home_address }: PersonRow): Resource[] {
  if (!home_address) return []
  const { line_1, line_2, city, region, postal_code, country } = home_address
  const streetAddress = [line_1, line_2].filter(Boolean).join('\n')
  return [assigned({ streetAddress, locality: city, region, postalCode: postal_code, country, type: 'home' })]
}

const withoutKinds = (entries: unknown, kinds: readonly string[]) =>
  Array.isArray(entries) ? entries.filter((entry) => !kinds.includes(String(asResource(entry)?.type))) : entries
