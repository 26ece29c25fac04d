import type { Cursors, Totals } from '#core/list.ts'
import type { Context } from '#core/operation.ts'
import type { Sql } from '#db/database.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    scim: { base: string; cursors: Cursors; totals: Totals }
  }
}

/** The caller for whom resources are read, and the transaction. */
export type Reader = Pick<Context, 'tx' | 'caller' | 'rooms'>

/** An attribute as `/Schemas` declares it (RFC 7643 §7), with the place where it is kept. */
export interface Attribute extends Readonly<Record<'multiValued' | 'required' | 'caseExact', boolean>> {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  readonly description: string
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
  /** The value in the form of its type, lists as `jsonb`, for filters, sorting and answers. Nothing of it comes from a request. */
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

export interface Schema extends Pick<Attribute, 'name' | 'description'> {
  readonly id: string
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
  /** The attributes of all its schemas; they and their parts by their keys in lower case. */
  readonly places: readonly Place[]
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

function placeOf(own: Attribute, outer: readonly string[], whole?: Place): Place {
  const path = [...outer, own.name]
  const key = whole ? `${whole.key}.${own.name}` : path.join(':')
  const place = { key, path, own, ...(whole && { whole }), parts: [] }
  return { ...place, parts: (own.subAttributes ?? []).map((sub) => placeOf(sub, path, place)) }
}

export const wholeOf = (place: Place): Place => place.whole ?? place
export const isList = ({ own }: Place): boolean => own.multiValued
export const isWritable = ({ own }: Place): boolean => own.mutability !== 'readOnly'
/** Members of a group, which are never loaded. */
export const isApart = (place: Place): boolean => wholeOf(place).own.stored?.is_apart === true
/** Names are alike in any case (RFC 7643 §2.1). */
export const isSame = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase()

/** The place that `[urn:]name[.sub]` names; undefined where the type has none. */
export function findPlace({ schema, by_key }: ResourceType, path: string): Place | undefined {
  const core = `${schema.id}:`
  return by_key.get((isSame(path.slice(0, core.length), core) ? path.slice(core.length) : path).toLowerCase())
}
export const findPart = ({ parts }: Place, name: string): Place | undefined =>
  parts.find(({ own }) => isSame(own.name, name))
export const findSchema = ({ schema, extensions }: ResourceType, urn: string): Schema | undefined =>
  [schema, ...extensions].find(({ id }) => isSame(id, urn))
/** `emails` means `emails.value`, as `manager` means `manager.value`; undefined where the parts have no such name. */
export const withValuePart = (place: Place): Place | undefined =>
  place.own.type === 'complex' ? findPart(place, 'value') : place
