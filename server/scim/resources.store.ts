import { readTotal } from '#core/list.ts'
import { join, raw, type Sql, sql } from '#db/database.ts'
import { findPlace, isList, type Place, type Reader, type ResourceType, wholeOf, withValuePart } from './attribute.ts'
import { parseFilter, type Target } from './filter.ts'
import { conditionOf, unassigned, valueSql } from './filter-sql.ts'
import { type Asked, projectionOf } from './projection.ts'
import { refuse } from './refusals.ts'
import { asResource, pruned, type Resource } from './resource.ts'

type Shows = (place: Place) => boolean

/** One resource by its id; undefined where there is none, or, with `is_hidden`, no row. */
export async function findResource(
  reader: Reader,
  type: ResourceType,
  { id, shows, is_hidden = false }: { id: string; shows: Shows; is_hidden?: boolean },
): Promise<Resource | undefined> {
  const { organization_id } = reader.caller
  const own = sql`${raw(type.table)}.organization_id = ${organization_id} and ${raw(type.table)}.id = ${id}`
  const row = await reader.tx.row<{ resource: Resource }>(sql`
    select ${resourceSql(type, reader, shows)} as resource from ${type.tables}
    where ${own} and ${is_hidden ? raw('true') : type.visible(organization_id)}`)
  return row && wholeResource(type, row.resource)
}

function resourceSql({ extensions, places }: ResourceType, reader: Reader, shows: Shows): Sql {
  const of = (urn?: string) => places.filter((place) => place.path.at(-2) === urn && shows(place))
  const extended = extensions.map(({ id }) => memberSql(id, objectSql(of(id), reader)))
  return objectSql(of(), reader, extended)
}

function objectSql(places: readonly Place[], reader: Reader, more: readonly Sql[] = []): Sql {
  const members = places.map((place) => memberSql(place.own.name, shownSql(place, reader)))
  return sql`json_build_object(${join([...members, ...more], ', ')})`
}

const memberSql = (name: string, value: Sql): Sql => sql`${raw(`'${name}'`)}, ${value}`

function shownSql(place: Place, reader: Reader): Sql {
  if (place.parts.length > 0 && !isList(place)) return objectSql(place.parts, reader)
  const value = valueSql(place, reader)
  return place.own.type === 'dateTime' ? timeText(value) : value
}

const timeText = (time: Sql) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** `schemas` names the extensions that are there. */
function wholeResource({ schema, extensions }: ResourceType, read: Resource): Resource {
  const resource = pruned(read)
  const urns = extensions.map(({ id }) => id).filter((urn) => asResource(resource[urn]))
  return { schemas: [schema.id, ...urns], ...resource }
}

/** A row by its place in a list: of the type at this place, by the key of the order. */
export type Position = { readonly at: number } & Readonly<Record<'key' | 'created_at' | 'id', string>>
type Found = Position & { readonly resource: Resource }

export interface Query extends Asked, Readonly<Partial<Record<'filter' | 'sortBy' | 'sortOrder', string>>> {
  readonly most: number
  readonly skipped: number
  readonly beyond: Position | undefined
}

/** A filter that takes longer asks for too much. */
const filter_ms = '2000'

/** A slice of the resources of all types, those of the first type first, and one more where another follows; the number of all. */
export async function readResources(reader: Reader, types: readonly ResourceType[], query: Query) {
  const { tx, caller, rooms } = reader
  const { organization_id, sensitive_data } = caller
  const { filter, most, skipped, beyond } = query
  if (filter !== undefined) tx.send(sql`select set_config('statement_timeout', ${filter_ms}, true)`)
  const found: Found[] = []
  let total = 0
  const absent = (name: string) => types.flatMap((other) => findPlace(other, name) ?? []).map(unassigned)[0]
  for (const [at, type] of types.entries()) {
    const { shows, of } = projectionOf(type, query)
    const condition = filter === undefined ? raw('true') : conditionOf(parseFilter(type, filter, absent), reader)
    const where = sql`${type.visible(organization_id)} and (${condition})`
    const { key, order, isBeyond } = orderOf(type, reader, types, query)
    const limit = most === 0 || at < (beyond?.at ?? 0) ? 0 : most + 1 - found.length
    const rows = tx.rows<Omit<Found, 'at'>>(sql`
      select ${resourceSql(type, reader, shows)} as resource, ${key} as key, ${tiesOf(type)} from ${type.tables}
      where ${where} ${beyond?.at === at ? sql`and ${isBeyond(beyond)}` : raw('')}
      order by ${order} limit ${limit} offset ${Math.max(skipped - total, 0)}`)
    const filters = { filter, sees_home: sensitive_data.has('home_address') }
    const binding = { operation: `scim ${type.name}`, organization_id, filters }
    const counted = filter === undefined ? raw(type.table) : type.tables
    const all = readTotal({ tx, ...rooms.scim }, counted, where, binding)
    const [read, of_type] = await Promise.all([rows, all]).catch(tooManyIfCancelled)
    total += of_type
    found.push(...read.map((row) => ({ ...row, at, resource: of(wholeResource(type, row.resource)) })))
  }
  return { total, found }
}

function tooManyIfCancelled(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === '57014')) throw error
  throw refuse('tooMany', 'The filter takes longer than 2 s; ask for less at once.')
}

const tiesOf = ({ table }: ResourceType) => raw(`${table}.created_at, ${table}.id`)

/** Unassigned ones stand last, or first in descending order (RFC 7644 §3.4.2.3); of equal ones the oldest is the first. */
function orderOf(type: ResourceType, reader: Reader, types: readonly ResourceType[], { sortBy, sortOrder }: Query) {
  const ties = tiesOf(type)
  const isLater = ({ created_at, id }: Position) => sql`(${ties}) > (${created_at}::timestamptz, ${id}::uuid)`
  const named = sortBy === undefined ? undefined : findPlace(type, sortBy)
  // Of nothing, or of what only another type has.
  const is_unsorted = sortBy === undefined || (!named && types.some((other) => findPlace(other, sortBy)))
  if (is_unsorted) return { key: raw(`''`), order: ties, isBeyond: isLater }
  const place = named && withValuePart(named)
  if (!place) throw refuse('invalidPath', `sortBy: ${sortBy} is no attribute of this resource, or has parts.`)
  // Never null, so that rows can be compared with it.
  const key = sql`coalesce('0' || ${sortedSql(place, reader)}, '1') collate "C"`
  const [direction, sign] = sortOrder?.toLowerCase() === 'descending' ? ['desc', '<'] : ['asc', '>']
  const isBeyond = (last: Position) =>
    sql`(${key} ${raw(sign)} ${last.key}::text or (${key} = ${last.key}::text and ${isLater(last)}))`
  return { key, order: sql`${key} ${raw(direction)}, ${ties}`, isBeyond }
}

/** The text that rows are ordered by: without case where the attribute has none; of a list its primary or first element. */
function sortedSql(place: Place, reader: Reader): Sql {
  const { own } = place
  const list = wholeOf(place)
  const value = isList(list)
    ? sql`(select e ->> ${own.name}::text from jsonb_array_elements(${valueSql(list, reader)}) with ordinality x (e, at)
        order by (e ->> 'primary')::boolean desc nulls last, at limit 1)`
    : valueSql(place, reader)
  if (own.type === 'dateTime') return timeText(value)
  return own.caseExact ? sql`(${value})::text` : sql`lower((${value})::text)`
}

/** The condition on `person_id` that names the members of a group whom a filter finds. */
export function membersFound({ place, filter }: Target, id: string | undefined, reader: Reader): Sql {
  return sql`person_id::text in (
    select e ->> 'value' from teams cross join lateral jsonb_array_elements(${valueSql(place, reader)}) e
    where teams.organization_id = ${reader.caller.organization_id} and teams.id = ${id ?? null}
      and ${filter ? conditionOf(filter, reader, raw('e')) : raw('true')})`
}
