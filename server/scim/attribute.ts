import type { Cursors } from '#core/list.ts'
import type { Context } from '#core/operation.ts'
import type { Sql } from '#db/database.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    scim: {
      /** Address below which SCIM answers, e.g. `https://stint.example/scim/v2`. */
      base: string
      /** Seals the places at which pages go on. */
      cursors: Cursors
    }
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
  /**
   * The value in the form of its type: a text, a boolean, a time, or a list of objects as `jsonb`. Filters, sorting and
   * answers read it alike. Nothing of it comes from a request.
   */
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

export function defineType(definition: Omit<ResourceType, 'places'>): ResourceType {
  const { schema, extensions } = definition
  const places = [schema, ...extensions].flatMap(({ id, attributes }) =>
    attributes.map((own) => placeOf(own, schema.id === id ? [] : [id])),
  )
  return { ...definition, places }
}

function placeOf(own: Attribute, outer: readonly string[]): Place {
  const path = [...outer, own.name]
  const key = path.join(':')
  const whole: Place = { key, path, own, parts: [] }
  const { subAttributes = [] } = own
  const parts = subAttributes.map((sub) => {
    return { key: `${key}.${sub.name}`, path: [...path, sub.name], own: sub, whole, parts: [] }
  })
  return { ...whole, parts }
}

export const wholeOf = (place: Place): Place => place.whole ?? place

/** The place that `[urn:]name[.sub]` names, in any case (RFC 7643 §2.1); undefined where the type has none. */
export function findPlace(type: ResourceType, path: string): Place | undefined {
  const [key, core] = [path.toLowerCase(), `${type.schema.id.toLowerCase()}:`]
  const wanted = key.startsWith(core) ? key.slice(core.length) : key
  return type.places.flatMap((place) => [place, ...place.parts]).find((place) => place.key.toLowerCase() === wanted)
}

/** The part of an attribute with this name, in any case. */
export const findPart = ({ parts }: Place, name: string): Place | undefined =>
  parts.find(({ own }) => own.name.toLowerCase() === name.toLowerCase())

/** The schema of a type with this URN, in any case. */
export function findSchema({ schema, extensions }: ResourceType, urn: string): Schema | undefined {
  return [schema, ...extensions].find(({ id }) => id.toLowerCase() === urn.toLowerCase())
}

/** The places that a client writes, of attributes that are loaded to be changed; single values are written part by part. */
export function writablePlaces(type: ResourceType): Place[] {
  const places = type.places.filter(({ own }) => !own.stored?.is_apart)
  const parted = places.flatMap((place) => (isList(place) || place.parts.length === 0 ? [place] : place.parts))
  return parted.filter(({ own }) => own.mutability !== 'readOnly')
}

export const isList = ({ own }: Place): boolean => own.multiValued

/** `emails` means `emails.value`, as `manager` means `manager.value`; undefined where the parts have no such name. */
export const withValuePart = (place: Place): Place | undefined =>
  place.own.type === 'complex' ? findPart(place, 'value') : place
