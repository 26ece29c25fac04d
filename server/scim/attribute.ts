import type { Sql } from '#db/database.ts'

/** An attribute as `/Schemas` declares it (RFC 7643 §7), with the place where it is kept. */
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
  /** Absent where the parts are kept each by itself, and of the parts of lists, which are kept as a whole. */
  readonly stored?: Stored
}

/** Where the value of an attribute is in the database. */
export interface Stored {
  /**
   * The value in the form of its type: a text, a boolean, a time, or a list of objects as `jsonb`. Filters, sorting and
   * answers read it alike. Nothing of it comes from a request.
   */
  read(view: View, path: readonly string[]): Sql
  /** The same in lower case, where an index serves it. */
  readonly folded?: Sql
  /** Ids of the service: only a UUID can be one. */
  readonly is_id?: true
  /** The column that takes the value as it is. */
  readonly column?: string
  /** The value stands as it was sent in the document beside the person, under the same path. */
  readonly is_kept?: true
  /** Columns that follow from the value. */
  sets?(value: unknown): object
  /** Changed by sets and never loaded as a whole. */
  readonly is_apart?: true
}

/** The things beside the row that a value depends on. */
export interface View {
  /** Address below which SCIM answers. */
  readonly base: string
  /** The caller may see home addresses, home e-mail addresses and phones that people entered here. */
  readonly sees_home: boolean
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
  readonly table: 'people' | 'teams'
  readonly tables: Sql
  /** Those of the organization that are resources of this type. */
  visible(organization_id: string): Sql
}

/** An attribute as a path names it. */
export interface Place {
  /** Absent: the core schema. */
  readonly extension?: Schema
  readonly attribute: Attribute
  readonly sub?: Attribute
  /** The type that is asked does not have it, another does: it is unassigned (RFC 7644 §3.4.2.1). */
  readonly is_absent?: true
}

/** The attribute of this name, in any case (RFC 7643 §2.1). */
export function attributeIn(attributes: readonly Attribute[] | undefined, name: string): Attribute | undefined {
  return attributes?.find((one) => one.name.toLowerCase() === name.toLowerCase())
}

/** The schema of a type with this URN, in any case. */
export function schemaOf(type: ResourceType, urn: string): Schema | undefined {
  return [type.schema, ...type.extensions].find(({ id }) => id.toLowerCase() === urn.toLowerCase())
}

/** The attribute that `[urn:]name[.sub]` names; undefined where the type has none. */
export function placeOf(type: ResourceType, path: string): Place | undefined {
  const [, urn, names = ''] = /^(?:(urn:.*):)?([^:]*)$/i.exec(path) ?? []
  const schema = urn === undefined ? type.schema : schemaOf(type, urn)
  const [name = '', sub_name, ...deeper] = names.split('.')
  const attribute = attributeIn(schema?.attributes, name)
  const sub = sub_name === undefined ? undefined : attributeIn(attribute?.subAttributes, sub_name)
  if (!schema || !attribute || deeper.length > 0 || (sub_name !== undefined && !sub)) return undefined
  return { ...(schema !== type.schema && { extension: schema }), attribute, ...(sub && { sub }) }
}

/** Every attribute of a schema of the type, whole. */
export function placesIn(type: ResourceType, schema: Schema): Place[] {
  return schema.attributes.map((attribute) => ({ ...(schema !== type.schema && { extension: schema }), attribute }))
}

/** The parts of an attribute that holds one value, else itself. */
export function partsOf({ sub: _, ...place }: Place): Place[] {
  const { subAttributes = [], multiValued } = place.attribute
  return multiValued || subAttributes.length === 0 ? [place] : subAttributes.map((sub) => ({ ...place, sub }))
}

/** The places that a client writes and that are loaded to be changed. */
export function writablePlaces(type: ResourceType): Place[] {
  const all = [type.schema, ...type.extensions].flatMap((schema) => placesIn(type, schema))
  return all
    .filter(({ attribute }) => !attribute.stored?.is_apart)
    .flatMap(partsOf)
    .filter(isWritable)
}

export const isWritable = ({ attribute, sub }: Place): boolean =>
  attribute.mutability !== 'readOnly' && sub?.mutability !== 'readOnly'

/** The names that lead to a place within a resource. */
export const pathOf = ({ extension, attribute, sub }: Place): string[] =>
  [extension?.id, attribute.name, sub?.name].filter((name) => name !== undefined)

/** A place in words: `userName`, `name.givenName`, `<urn>:manager.value`. */
export function keyOf({ extension, attribute, sub }: Place): string {
  return `${extension ? `${extension.id}:` : ''}${attribute.name}${sub ? `.${sub.name}` : ''}`
}

/** `emails` means `emails.value`, as `manager` means `manager.value`; undefined where the parts have no such name. */
export function withItsValue(place: Place): Place | undefined {
  if (place.sub || place.attribute.type !== 'complex') return place
  const sub = attributeIn(place.attribute.subAttributes, 'value')
  return sub && { ...place, sub }
}
