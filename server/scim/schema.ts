import { raw, type Sql, sql } from '#db/database.ts'
import {
  addressBook,
  contracts_of_person,
  keptEntries,
  keptText,
  ownFieldsFrom,
  person,
  provisioned_people,
} from '#resources/people/index.ts'
import { team } from '#resources/teams/index.ts'
import { type Attribute, defineType, type Reader, type Schema, type Stored } from './attribute.ts'

/**
 * The attributes of users and groups (RFC 7643), each with the place where it is kept. These tables alone drive `/Schemas`,
 * validation, filters, sorting, projection, the targets of PATCH, the answers and what a write changes.
 */

type Options = Partial<Omit<Attribute, 'name' | 'description' | 'subAttributes'>>

function attribute(name: string, description: string, options: Options = {}, subAttributes?: Attribute[]): Attribute {
  const type = subAttributes ? 'complex' : 'string'
  const rules = { multiValued: false, required: false, caseExact: false } as const
  const defaults = { ...rules, mutability: 'readWrite', returned: 'default', uniqueness: 'none' } as const
  return { name, type, description, ...defaults, ...options, ...(subAttributes && { subAttributes }) }
}

const read_only = { mutability: 'readOnly' } as const
const fixed = (name: string, description: string, options: Options = {}) =>
  attribute(name, description, { ...read_only, ...options })
const all = (texts: Record<string, string>, options: Options) =>
  Object.entries(texts).map(([name, description]) => attribute(name, description, options))
const list = { multiValued: true } as const
const exact = { caseExact: true } as const
const reference = (...referenceTypes: string[]) => ({ ...exact, type: 'reference', referenceTypes }) as const
const time = { type: 'dateTime' } as const
const named = { required: true, uniqueness: 'server' } as const
const immutable = { mutability: 'immutable' } as const

/** A value that is read by this expression; the empty text is none. */
const from = (expression: Sql, more: Partial<Stored> = {}) => ({ stored: { read: () => expression, ...more } })
const textFrom = (expression: Sql, more: Partial<Stored> = {}) => from(sql`nullif(${expression}, '')`, more)
const column = (table: string, name: string) => textFrom(raw(`${table}.${name}`), { column: name })
const oneOf = (column: string, ...canonicalValues: string[]) => ({ canonicalValues, ...from(raw(column)) })

/** Kept in the document beside the person; until something is sent there, the other value is shown. */
const kept = (other?: Sql, sets?: Stored['sets']) => {
  const read = (_: Reader, path: readonly string[]) => keptText(path, other)
  return { stored: { read, is_kept: true, ...(sets && { sets }) } } as const
}
const keptList = (book: (typeof addressBook)[keyof typeof addressBook]) => {
  const read = ({ caller }: Reader, [name = '']: readonly string[]) => keptEntries(name, book, caller)
  return { ...list, stored: { read, is_kept: true, sets: book.fieldsFrom } } as const
}

const kinds = ['work', 'home', 'other']
const phones = [...kinds, 'mobile', 'fax', 'pager']
/** The kind of an entry, and whether it is the preferred one. */
const kindOf = (...canonicalValues: string[]) => [
  attribute('type', 'Its kind.', canonicalValues.length > 0 ? { canonicalValues } : {}),
  attribute('primary', 'Whether it is the preferred one; at most one is.', { type: 'boolean' }),
]
const entry = (what: string, ...of_kinds: string[]) => [
  ...all({ value: what, display: 'Words for people.' }, {}),
  ...kindOf(...of_kinds),
]

const common = (name: 'User' | 'Group', table: 'people' | 'teams', column = 'scim_external_id'): Attribute[] => {
  const address = ({ rooms }: Reader) => sql`${rooms.scim.base}::text || ${raw(`'/${name}s/' || ${table}.id`)}`
  const version = raw(`'W/"' || (extract(epoch from ${table}.updated_at) * 1000)::bigint || '"'`)
  const unique = { ...exact, returned: 'always', uniqueness: 'server' } as const
  return [
    fixed('id', 'Id of the service.', { ...unique, ...from(raw(`${table}.id`), { is_id: true }) }),
    // As it stands, so that an index serves it; it is never empty.
    attribute('externalId', 'Id of the client.', { ...exact, ...from(raw(`${table}.${column}`), { column }) }),
    attribute('meta', 'Facts about the resource.', read_only, [
      fixed('resourceType', 'User or Group.', { ...exact, ...from(raw(`'${name}'::text`)) }),
      fixed('created', 'When it was made.', { ...time, ...from(raw(`${table}.created_at`)) }),
      fixed('lastModified', 'When it changed last.', { ...time, ...from(raw(`${table}.updated_at`)) }),
      fixed('location', 'Its address.', { ...reference('uri'), stored: { read: address } }),
      // It moves with every change by a millisecond at least, and so it is the version too.
      fixed('version', 'Its entity tag.', { ...exact, ...from(version) }),
    ]),
  ]
}

const groups = ({ rooms }: Reader) => sql`(select coalesce(jsonb_agg(jsonb_build_object('value', t.id,
    '$ref', ${rooms.scim.base}::text || '/Groups/' || t.id, 'display', t.name, 'type', 'direct') order by t.name, t.id), '[]')
  from team_members m join teams t on t.organization_id = m.organization_id and t.id = m.team_id
  where m.organization_id = people.organization_id and m.person_id = people.id)`
const members = ({ rooms }: Reader) => sql`(select coalesce(jsonb_agg(jsonb_build_object('value', people.id,
    '$ref', ${rooms.scim.base}::text || '/Users/' || people.id, 'type', 'User', 'display', people.full_name)
    order by people.full_name, people.id), '[]')
  from team_members m join people on people.id = m.person_id and ${provisioned_people(sql`m.organization_id`)}
  where m.organization_id = teams.organization_id and m.team_id = teams.id)`
/** A part of the name; who was sent without any is called by the name that is shown. */
const ifNamed = (expression: string) => raw(`case when not people.scim_bag ? 'nameless' then ${expression} end`)
const user_name = from(sql`coalesce(people.user_name, people.email)`, { folded: sql`people.user_name_lower` })
const manager = sql`coalesce(people.manager_id::text, people.manager_ref)`
const manager_address = ({ rooms }: Reader) => sql`${rooms.scim.base}::text || '/Users/' || people.manager_id`
const accessFrom = (active: unknown) => ({ access: active === false ? 'disabled' : 'enabled' })
const access = from(sql`(people.access <> 'disabled')`, { sets: accessFrom })
const roles = { ...list, ...from(raw(`coalesce(people.scim_bag -> 'roles', '[]')`), { is_kept: true }) }

const user_schema: Schema = {
  ...{ id: 'urn:ietf:params:scim:schemas:core:2.0:User', name: 'User', description: 'A person of the organization.' },
  attributes: [
    ...common('User', 'people'),
    attribute('userName', 'Unique in the organization, without regard to case.', { ...named, ...user_name }),
    attribute('name', 'The parts of the name.', {}, [
      attribute('formatted', 'The whole name.', kept(ifNamed(`btrim(people.first_name || ' ' || people.last_name)`))),
      attribute('familyName', 'Last name.', textFrom(ifNamed('people.last_name'))),
      attribute('givenName', 'First name.', textFrom(ifNamed('people.first_name'))),
      ...all({ middleName: 'Middle name.', honorificPrefix: 'Title before the name.' }, kept()),
      ...all({ honorificSuffix: 'Title behind the name.' }, kept()),
    ]),
    attribute('displayName', 'The name that is shown; the full name until one is sent.', kept(raw('people.full_name'))),
    attribute('nickName', 'The preferred name.', column('people', 'preferred_name')),
    attribute('profileUrl', 'Address of a page about the person.', { ...reference('external'), ...kept() }),
    attribute('title', 'Job title.', column('people', 'job_title')),
    ...all({ userType: 'Relation to the organization.', preferredLanguage: 'Preferred language.' }, kept()),
    attribute('locale', 'Locale; also the person’s own where it is valid.', kept(undefined, ownFieldsFrom.locale)),
    attribute('timezone', 'Time zone; the person’s own where it is valid.', kept(undefined, ownFieldsFrom.timezone)),
    attribute('active', 'Whether the person may sign in.', { type: 'boolean', ...access }),
    attribute('emails', 'E-mail addresses.', keptList(addressBook.emails), entry('The address.', ...kinds)),
    attribute('phoneNumbers', 'Telephones.', keptList(addressBook.phoneNumbers), entry('The number.', ...phones)),
    attribute('addresses', 'Postal addresses.', keptList(addressBook.addresses), [
      ...all({ formatted: 'The whole address.', streetAddress: 'Street and number.', locality: 'City.' }, {}),
      ...all({ region: 'State or region.', postalCode: 'Postal code.', country: 'Country.' }, {}),
      ...kindOf(...kinds),
    ]),
    attribute('groups', 'The teams; changed at the group.', { ...list, ...read_only, stored: { read: groups } }, [
      ...[fixed('value', 'Id of the group.', exact), fixed('$ref', 'Address of the group.', reference('Group'))],
      ...[fixed('display', 'Name of the group.'), fixed('type', 'Always direct.', { canonicalValues: ['direct'] })],
    ]),
    attribute('roles', 'Roles in the words of the client; they grant nothing.', roles, entry('The role.')),
  ],
}

export const enterprise_schema: Schema = {
  ...{
    id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    name: 'EnterpriseUser',
    description: 'The place of a person in the organization.',
  },
  attributes: [
    ...all({ employeeNumber: 'Number of the employee.', costCenter: 'Cost centre.' }, kept()),
    ...all({ organization: 'Name of the organization.', division: 'Name of the division.' }, kept()),
    attribute('department', 'Name of the department; one that does not exist is made.', textFrom(sql`department.name`)),
    attribute('manager', 'The manager.', {}, [
      attribute('value', 'Id of their user; anything else is resolved later.', { ...exact, ...textFrom(manager) }),
      fixed('$ref', 'Address of the manager’s user.', { ...reference('User'), stored: { read: manager_address } }),
      fixed('displayName', 'Name of the manager.', textFrom(sql`manager.full_name`)),
    ]),
  ],
}

const stint_schema: Schema = {
  ...{
    id: 'urn:ietf:params:scim:schemas:extension:stint:2.0:User',
    name: 'StintUser',
    description: 'The person’s work here; read only.',
  },
  attributes: [
    fixed('workerType', 'Contractor or employee.', oneOf('people.worker_type', 'contractor', 'employee')),
    fixed('status', 'Its status.', oneOf('people.status', 'pending', 'active', 'offboarding', 'inactive')),
    fixed('startDate', 'First day, YYYY-MM-DD.', from(sql`people.start_date::text`)),
    attribute('contracts', 'The contracts of the person.', { ...list, ...read_only, ...from(contracts_of_person) }, [
      ...[fixed('id', 'Id of the contract.', exact), ...all({ type: 'Its type.', status: 'Its status.' }, read_only)],
      ...all({ startDate: 'Its first day, YYYY-MM-DD.', endDate: 'Its last day, YYYY-MM-DD.' }, read_only),
    ]),
  ],
}

const group_schema: Schema = {
  ...{ id: 'urn:ietf:params:scim:schemas:core:2.0:Group', name: 'Group', description: 'A team of the organization.' },
  attributes: [
    ...common('Group', 'teams'),
    attribute('displayName', 'The name, unique without regard to case.', { ...named, ...column('teams', 'name') }),
    attribute('members', 'The people of the team.', { ...list, stored: { read: members, is_apart: true } }, [
      attribute('value', 'Id of a user.', { ...exact, ...immutable }),
      attribute('$ref', 'Address of the user.', { ...reference('User'), ...immutable }),
      attribute('type', 'Always User.', { canonicalValues: ['User'], ...immutable }),
      fixed('display', 'Name of the user.'),
    ]),
  ],
}

export const user_type = defineType({
  ...{ name: 'User', endpoint: '/Users', description: 'People of the organization.', schema: user_schema },
  ...{ extensions: [enterprise_schema, stint_schema], table: 'people', tables: person.tables },
  visible: provisioned_people,
})

export const group_type = defineType({
  ...{ name: 'Group', endpoint: '/Groups', description: 'Teams of the organization.', schema: group_schema },
  ...{ extensions: [], table: 'teams', tables: team.tables },
  visible: (organization_id) => sql`teams.organization_id = ${organization_id} and teams.deleted_at is null`,
})

export const resource_types = [user_type, group_type] as const
