import type { Cursors, Totals } from '#core/list.ts'
import type { Context } from '#core/operation.ts'
import type { Sql } from '#db/database.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    /** The address below which SCIM answers, and what seals the places of pages and counts long lists. */
    scim: { base: string; cursors: Cursors; totals: Totals }
  }
}

/** The caller for whom resources are read, and the transaction. */
export type Reader = Pick<Context, 'tx' | 'caller' | 'rooms'>

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

/** The place of a value in the database. */
export interface Stored {
  /** The value in the form of its type, lists as `jsonb`: filters, sorting and answers read it alike. Nothing of it comes from a request. */
  read(reader: Reader, path: readonly string[]): Sql
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
  /** The attributes of all its schemas. */
  readonly places: readonly Place[]
  /** The same and their parts by their keys in lower case. */
  readonly by_key: ReadonlyMap<string, Place>
}

/** An attribute, or a part of one, as a path names it. */
export interface Place {
  /** `userName`, `name.givenName`, `<urn>:manager.value`. */
  readonly key: string
  /** The names that lead to it within a resource. */
  readonly path: readonly string[]
  readonly own: Attribute
  /** The attribute of which it is a part. */
  readonly whole?: Place
  readonly parts: readonly Place[]
}

export function defineType(definition: Omit<ResourceType, 'places' | 'by_key'>): ResourceType {
  const { schema, extensions } = definition
  const places = [schema, ...extensions].flatMap(({ id, attributes }) =>
    attributes.map((own) => placeOf(own, schema.id === id ? [] : [id])),
  )
  const all = places.flatMap((place) => [place, ...place.parts])
  return { ...definition, places, by_key: new Map(all.map((place) => [place.key.toLowerCase(), place])) }
}

function placeOf(own: Attribute, outer: readonly string[]): Place {
  const path = [...outer, own.name]
  const whole: Place = { key: path.join(':'), path, own, parts: [] }
  const { subAttributes = [] } = own
  const parts = subAttributes.map((sub) => {
    return { key: `${whole.key}.${sub.name}`, path: [...path, sub.name], own: sub, whole, parts: [] }
  })
  return { ...whole, parts }
}

export const wholeOf = (place: Place): Place => place.whole ?? place
export const isList = ({ own }: Place): boolean => own.multiValued
/** Members of a group, which are never loaded. */
export const isApart = (place: Place): boolean => wholeOf(place).own.stored?.is_apart === true
export const isWritable = ({ own }: Place): boolean => own.mutability !== 'readOnly'

/** The place that `[urn:]name[.sub]` names, in any case (RFC 7643 §2.1); undefined where the type has none. */
export function findPlace({ schema, by_key }: ResourceType, path: string): Place | undefined {
  const [key, core] = [path.toLowerCase(), `${schema.id.toLowerCase()}:`]
  return by_key.get(key.startsWith(core) ? key.slice(core.length) : key)
}

/** The part of an attribute with this name, in any case. */
export const findPart = ({ parts }: Place, name: string): Place | undefined =>
  parts.find(({ own }) => own.name.toLowerCase() === name.toLowerCase())

/** The schema of a type with this URN, in any case. */
export const findSchema = ({ schema, extensions }: ResourceType, urn: string): Schema | undefined =>
  [schema, ...extensions].find(({ id }) => id.toLowerCase() === urn.toLowerCase())

/** `emails` means `emails.value`, as `manager` means `manager.value`; undefined where the parts have no such name. */
export const withValuePart = (place: Place): Place | undefined =>
  place.own.type === 'complex' ? findPart(place, 'value') : place
