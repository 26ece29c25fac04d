/** The attributes of users and groups (RFC 7643): they drive `/Schemas`, validation, filters, projection and PATCH alike. */
export interface Attribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  readonly description: string
  readonly multiValued: boolean
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readWrite' | 'readOnly' | 'immutable'
  readonly returned: 'always' | 'default'
  readonly uniqueness: 'none' | 'server'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly Attribute[]
}

export interface Schema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

export interface ResourceType {
  readonly name: 'User' | 'Group'
  readonly endpoint: '/Users' | '/Groups'
  readonly description: string
  readonly schema: Schema
  readonly extensions: readonly Schema[]
}

/** An attribute as a path names it. */
export interface Place {
  /** Absent: the core schema. */
  readonly extension?: Schema
  readonly attribute: Attribute
  readonly sub?: Attribute
}

type Options = Partial<Omit<Attribute, 'name' | 'description' | 'subAttributes'>>

function attribute(name: string, description: string, options: Options = {}, subAttributes?: Attribute[]): Attribute {
  const type = subAttributes ? 'complex' : 'string'
  const rules = { multiValued: false, required: false, caseExact: false } as const
  const defaults = { ...rules, mutability: 'readWrite', returned: 'default', uniqueness: 'none' } as const
  return { name, type, description, ...defaults, ...options, ...(subAttributes && { subAttributes }) }
}

const read_only = { mutability: 'readOnly' } as const
const readOnly = (name: string, description: string, options: Options = {}) =>
  attribute(name, description, { ...read_only, ...options })
const list = { multiValued: true } as const
const primary = attribute('primary', 'Whether it is the preferred one; at most one is.', { type: 'boolean' })
const display = attribute('display', 'Words for people.')
const kindOf = (...canonicalValues: string[]) => attribute('type', 'Its kind.', { canonicalValues })
const reference = (referenceTypes: string[], more: Options = {}): Options => ({
  ...{ type: 'reference', caseExact: true, referenceTypes },
  ...more,
})

const common = [
  readOnly('id', 'Id of the service.', { caseExact: true, returned: 'always', uniqueness: 'server' }),
  attribute('externalId', 'Id of the client.', { caseExact: true }),
  attribute('meta', 'Facts about the resource.', read_only, [
    readOnly('resourceType', 'User or Group.', { caseExact: true }),
    readOnly('created', 'When it was made.', { type: 'dateTime' }),
    readOnly('lastModified', 'When it changed last.', { type: 'dateTime' }),
    readOnly('location', 'Its address.', reference(['uri'], read_only)),
    readOnly('version', 'Its entity tag.', { caseExact: true }),
  ]),
]

export const user_schema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person of the organization.',
  attributes: [
    ...common,
    attribute('userName', 'Unique in the organization, without regard to case.', {
      ...{ required: true, uniqueness: 'server' },
    }),
    attribute('name', 'The parts of the name.', {}, [
      attribute('formatted', 'The whole name.'),
      attribute('familyName', 'Last name.'),
      attribute('givenName', 'First name.'),
      attribute('middleName', 'Middle name.'),
      attribute('honorificPrefix', 'Title before the name.'),
      attribute('honorificSuffix', 'Title behind the name.'),
    ]),
    attribute('displayName', 'The name as it is shown; the full name until one is sent.'),
    attribute('nickName', 'The preferred name.'),
    attribute('profileUrl', 'Address of a page about the person.', reference(['external'])),
    attribute('title', 'Job title.'),
    attribute('userType', 'Relation to the organization, in the words of the client.'),
    attribute('preferredLanguage', 'Preferred language.'),
    attribute('locale', 'Locale; also the person’s own where it is valid.'),
    attribute('timezone', 'Time zone; also the person’s own where it is valid.'),
    attribute('active', 'Whether the person may sign in.', { type: 'boolean' }),
    attribute('emails', 'E-mail addresses.', list, [
      attribute('value', 'The address.'),
      display,
      kindOf('work', 'home', 'other'),
      primary,
    ]),
    attribute('phoneNumbers', 'Telephone numbers.', list, [
      attribute('value', 'The number.'),
      display,
      kindOf('work', 'home', 'mobile', 'fax', 'pager', 'other'),
      primary,
    ]),
    attribute('addresses', 'Postal addresses.', list, [
      attribute('formatted', 'The whole address.'),
      attribute('streetAddress', 'Street and number.'),
      attribute('locality', 'City.'),
      attribute('region', 'State or region.'),
      attribute('postalCode', 'Postal code.'),
      attribute('country', 'Country.'),
      kindOf('work', 'home', 'other'),
      primary,
    ]),
    attribute('groups', 'The teams of the person; changed at the group.', { ...list, ...read_only }, [
      readOnly('value', 'Id of the group.', { caseExact: true }),
      readOnly('$ref', 'Address of the group.', reference(['Group'], read_only)),
      readOnly('display', 'Name of the group.'),
      readOnly('type', 'Always direct.', { canonicalValues: ['direct'] }),
    ]),
    attribute('roles', 'Roles in the words of the client; they grant nothing.', list, [
      attribute('value', 'The role.'),
      display,
      attribute('type', 'Its kind.'),
      primary,
    ]),
  ],
}

export const enterprise_schema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'The place of a person in the organization.',
  attributes: [
    attribute('employeeNumber', 'Number of the employee.'),
    attribute('costCenter', 'Cost centre.'),
    attribute('organization', 'Name of the organization.'),
    attribute('division', 'Name of the division.'),
    attribute('department', 'Name of the department; one that does not exist is made.'),
    attribute('manager', 'The manager.', {}, [
      attribute('value', 'Id of the manager’s user; anything else is kept and resolved later.', { caseExact: true }),
      attribute('$ref', 'Address of the manager’s user.', reference(['User'])),
      readOnly('displayName', 'Name of the manager.'),
    ]),
  ],
}

export const stint_schema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:stint:2.0:User',
  name: 'StintUser',
  description: 'The person’s work here; read only.',
  attributes: [
    readOnly('workerType', 'Contractor or employee.', { canonicalValues: ['contractor', 'employee'] }),
    readOnly('status', 'The status that follows from the contracts.', {
      canonicalValues: ['pending', 'active', 'offboarding', 'inactive'],
    }),
    readOnly('startDate', 'First day, YYYY-MM-DD.'),
    attribute('contracts', 'The contracts of the person.', { ...list, ...read_only }, [
      readOnly('id', 'Id of the contract.', { caseExact: true }),
      readOnly('type', 'Its type.'),
      readOnly('status', 'Its status.'),
      readOnly('startDate', 'Its first day, YYYY-MM-DD.'),
      readOnly('endDate', 'Its last day, YYYY-MM-DD.'),
    ]),
  ],
}

export const group_schema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A team of the organization.',
  attributes: [
    ...common,
    attribute('displayName', 'Name of the team, unique without regard to case.', {
      ...{ required: true, uniqueness: 'server' },
    }),
    attribute('members', 'The people of the team.', list, [
      attribute('value', 'Id of a user.', { caseExact: true, mutability: 'immutable' }),
      attribute('$ref', 'Address of the user.', reference(['User'], { mutability: 'immutable' })),
      attribute('type', 'Always User.', { canonicalValues: ['User'], mutability: 'immutable' }),
      readOnly('display', 'Name of the user.'),
    ]),
  ],
}

export const user_type: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: 'People of the organization.',
  schema: user_schema,
  extensions: [enterprise_schema, stint_schema],
}

export const group_type: ResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Teams of the organization.',
  schema: group_schema,
  extensions: [],
}

export const resource_types = [user_type, group_type] as const

const isNamed = (name: string) => (one: { name: string }) => one.name.toLowerCase() === name.toLowerCase()

/** The attribute of this name, in any case (RFC 7643 §2.1). */
export function attributeIn(attributes: readonly Attribute[] | undefined, name: string): Attribute | undefined {
  return attributes?.find(isNamed(name))
}

/** The schema of a type with this URN, in any case. */
export function schemaOf({ schema, extensions }: ResourceType, urn: string): Schema | undefined {
  return [schema, ...extensions].find(({ id }) => id.toLowerCase() === urn.toLowerCase())
}

/** The attribute that `[urn:]name[.sub]` names; undefined where the type has none. */
export function placeOf(type: ResourceType, path: string): Place | undefined {
  const schema = [type.schema, ...type.extensions].find(({ id }) =>
    path.toLowerCase().startsWith(`${id.toLowerCase()}:`),
  )
  const [name = '', sub_name, ...deeper] = (schema ? path.slice(schema.id.length + 1) : path).split('.')
  const extension = schema && schema !== type.schema ? { extension: schema } : {}
  const attribute = attributeIn((schema ?? type.schema).attributes, name)
  if (!attribute || deeper.length > 0) return undefined
  if (sub_name === undefined) return { ...extension, attribute }
  const sub = attributeIn(attribute.subAttributes, sub_name)
  return sub && { ...extension, attribute, sub }
}

/** The key of a place in tables of columns: `userName`, `name.givenName`, `<urn>:manager.value`. */
export function keyOf({ extension, attribute, sub }: Place): string {
  return `${extension ? `${extension.id}:` : ''}${attribute.name}${sub ? `.${sub.name}` : ''}`
}
