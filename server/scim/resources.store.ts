import { readTotal } from '#core/list.ts'
import { join, raw, type Sql, sql } from '#db/database.ts'
import { findPlace, isList, type Place, type Reader, type ResourceType, wholeOf, withValuePart } from './attribute.ts'
import { parseFilter } from './filter.ts'
import { conditionOf, valueSql } from './filter-sql.ts'
import type { Asked } from './projection.ts'
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

function resourceSql({ schema, extensions, places }: ResourceType, reader: Reader, shows: Shows): Sql {
  const membersOf = (urn: string) =>
    places.filter(({ path }) => (path.length > 1 ? path[0] : schema.id) === urn).filter(shows)
  const extended = extensions.map(({ id }) => memberSql(id, objectSql(membersOf(id), reader)))
  return objectSql(membersOf(schema.id), reader, extended)
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

/** The last row of a page: of the type at this place, by the key of its order. */
export interface Position {
  readonly at: number
  readonly key: string
  readonly created_at: string
  readonly id: string
}

export interface Found {
  readonly resource: Resource
  readonly position: Position
}

interface Slice extends Asked {
  readonly filter?: string
  readonly sortBy?: string
  readonly sortOrder?: string
  readonly shows: Shows
  /** The other types that the same query is about. */
  readonly others: readonly ResourceType[]
  readonly at: number
  readonly limit: number
  readonly skipped: number
  readonly beyond: Position | undefined
}

/** A filter that takes longer asks for too much. */
const filter_ms = '2000'

/** One slice of the resources of a type, with the number of all. */
export async function readSlice(
  reader: Reader,
  type: ResourceType,
  slice: Slice,
): Promise<{ total: number; found: Found[] }> {
  const { tx, caller, rooms } = reader
  const { filter, others, shows, at, limit, skipped, beyond } = slice
  const { organization_id, sensitive_data } = caller
  const condition = filter === undefined ? raw('true') : conditionOf(parseFilter(type, filter, others), reader)
  const where = sql`${type.visible(organization_id)} and (${condition})`
  const { key, order, isBeyond } = orderOf(type, reader, slice)
  if (filter !== undefined) tx.send(sql`select set_config('statement_timeout', ${filter_ms}, true)`)
  const counted = filter === undefined ? raw(type.table) : type.tables
  const filters = { filter, sees_home: sensitive_data.has('home_address') }
  const [rows, total] = await Promise.all([
    limit === 0
      ? []
      : tx.rows<Omit<Position, 'at'> & { resource: Resource }>(sql`
          select ${resourceSql(type, reader, shows)} as resource, ${key} as key, ${tiesOf(type)} from ${type.tables}
          where ${where} ${beyond ? sql`and ${isBeyond(beyond)}` : raw('')}
          order by ${order} limit ${limit} offset ${skipped}`),
    readTotal({ tx, ...rooms.scim }, counted, where, { operation: `scim ${type.name}`, organization_id, filters }),
  ]).catch(tooManyIfCancelled)
  const found = rows.map(({ resource, ...place }) => ({
    ...{ resource: wholeResource(type, resource), position: { ...place, at } },
  }))
  return { total, found }
}

function tooManyIfCancelled(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === '57014')) throw error
  throw refuse('tooMany', 'The filter takes longer than 2 s; ask for less at once.')
}

const tiesOf = ({ table }: ResourceType) => raw(`${table}.created_at, ${table}.id`)

/** Unassigned ones stand last, or first in descending order (RFC 7644 §3.4.2.3); of equal ones the oldest is the first. */
function orderOf(type: ResourceType, reader: Reader, { sortBy, sortOrder, others }: Slice) {
  const ties = tiesOf(type)
  const isLater = ({ created_at, id }: Position) => sql`(${ties}) > (${created_at}::timestamptz, ${id}::uuid)`
  const place = sortBy === undefined ? undefined : sortedPlace(type, sortBy, others)
  if (!place) return { key: raw(`''`), order: ties, isBeyond: isLater }
  // Never null, so that rows can be compared with it.
  const key = sql`coalesce('0' || ${sortedSql(place, reader)}, '1') collate "C"`
  const [direction, sign] = sortOrder?.toLowerCase() === 'descending' ? ['desc', '<'] : ['asc', '>']
  const isBeyond = (last: Position) =>
    sql`(${key} ${raw(sign)} ${last.key}::text or (${key} = ${last.key}::text and ${isLater(last)}))`
  return { key, order: sql`${key} ${raw(direction)}, ${ties}`, isBeyond }
}

/** The place to sort by; undefined where only another type of the same query has it. */
function sortedPlace(type: ResourceType, path: string, others: readonly ResourceType[]): Place | undefined {
  const named = findPlace(type, path)
  if (!named && others.some((other) => findPlace(other, path))) return undefined
  const place = named && withValuePart(named)
  if (!place) throw refuse('invalidPath', `sortBy: ${path} is no attribute of this resource, or has parts.`)
  return place
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
