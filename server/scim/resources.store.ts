import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import {
  keyOf,
  type Place,
  partsOf,
  placeOf,
  placesIn,
  type ResourceType,
  type View,
  withItsValue,
} from './attribute.ts'
import { parseFilter } from './filter.ts'
import { conditionOf, valueSql } from './filter-sql.ts'
import { refuse } from './refusals.ts'
import { asResource, pruned, type Resource } from './resource.ts'

/** The rows that a statement may see, and the parts of them that are shown. */
export interface Reading {
  readonly tx: Transaction
  readonly organization_id: string
  readonly view: View
}

type Shows = (place: Place) => boolean

/** One resource by its id; undefined where it is none of the organization's, or, with `is_hidden`, of its rows at all. */
export async function findResource(
  { tx, organization_id, view }: Reading,
  type: ResourceType,
  { id, shows, is_hidden = false }: { id: string; shows: Shows; is_hidden?: boolean },
): Promise<Resource | undefined> {
  const { table, tables, visible } = type
  const own = sql`${raw(table)}.organization_id = ${organization_id} and ${raw(table)}.id = ${id}`
  const row = await tx.row<{ resource: Resource }>(sql`
    select ${resourceSql(type, view, shows)} as resource from ${tables}
    where ${own} and ${is_hidden ? raw('true') : visible(organization_id)}`)
  return row && wholeResource(type, row.resource)
}

function resourceSql(type: ResourceType, view: View, shows: Shows): Sql {
  const own = membersSql(placesIn(type, type.schema).filter(shows), view)
  const extended = type.extensions.flatMap((schema) => {
    const places = placesIn(type, schema).filter(shows)
    return places.length > 0 ? [memberSql(schema.id, objectSql(membersSql(places, view)))] : []
  })
  return objectSql([...own, ...extended])
}

const membersSql = (places: readonly Place[], view: View): Sql[] =>
  places.map((place) => memberSql((place.sub ?? place.attribute).name, shownSql(place, view)))

const memberSql = (name: string, value: Sql): Sql => sql`${raw(`'${name}'`)}, ${value}`
const objectSql = (members: readonly Sql[]): Sql => sql`json_build_object(${join(members, ', ')})`

function shownSql(place: Place, view: View): Sql {
  const parts = partsOf(place)
  if (!place.sub && parts.some(({ sub }) => sub)) return objectSql(membersSql(parts, view))
  const value = valueSql(place, view)
  return (place.sub ?? place.attribute).type === 'dateTime' ? timeText(value) : value
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

interface Slice {
  readonly filter?: string | undefined
  readonly sort_by?: string | undefined
  readonly is_descending: boolean
  readonly limit: number
  /** Rows to pass over, of all types together. */
  readonly skipped: number
  readonly beyond?: Position | undefined
}

export interface Found {
  readonly type: ResourceType
  readonly resource: Resource
  readonly position: Position
}

/** A filter that takes longer asks for too much. */
const filter_ms = 2_000

/** One slice of the resources of some types, in their order, with the number of all. */
export async function listResources(
  reading: Reading,
  types: readonly ResourceType[],
  { limit, skipped, beyond, ...slice }: Slice,
  shows: (type: ResourceType) => Shows,
): Promise<{ total: number; found: Found[] }> {
  const { tx, organization_id, view } = reading
  const found: Found[] = []
  let total = 0
  for (const [at, type] of types.entries()) {
    const others = types.filter((other) => other !== type)
    const filter = slice.filter === undefined ? [] : [conditionOf(parseFilter(type, slice.filter, others), view)]
    const where = [type.visible(organization_id), ...filter.map((condition) => sql`(${condition})`)]
    const sorting = sortingOf(type, others, slice, view)
    const left = limit - found.length
    if (filter.length > 0) tx.send(sql`select set_config('statement_timeout', ${String(filter_ms)}, true)`)
    const [counted, rows] = await orTooMany(
      Promise.all([
        tx.row<{ count: number }>(sql`select count(*)::int from ${type.tables} where ${join(where, ' and ')}`),
        left > 0 && at >= (beyond?.at ?? 0)
          ? tx.rows<Omit<Position, 'at'> & { resource: Resource }>(sql`
              select ${resourceSql(type, view, shows(type))} as resource, ${sorting?.key ?? raw(`''`)} as key,
                ${raw(`${type.table}.created_at, ${type.table}.id`)}
              from ${type.tables}
              where ${join(beyond?.at === at ? [...where, beyondSql(type, sorting, beyond)] : where, ' and ')}
              order by ${orderSql(type, sorting)} limit ${left} offset ${Math.max(skipped - total, 0)}`)
          : [],
      ]),
    )
    for (const { resource, ...position } of rows) {
      found.push({ type, resource: wholeResource(type, resource), position: { at, ...position } })
    }
    total += counted?.count ?? 0
  }
  return { total, found }
}

async function orTooMany<Result>(answers: Promise<Result>): Promise<Result> {
  try {
    return await answers
  } catch (error) {
    // The server has cancelled the statement.
    if (!(error instanceof Error && 'code' in error && error.code === '57014')) throw error
    throw refuse('tooMany', 'The filter takes longer than 2 s; ask for less at once.')
  }
}

interface Sorting {
  /** A text that is never null: what is unassigned stands behind all others. */
  readonly key: Sql
  readonly is_descending: boolean
}

function sortingOf(
  type: ResourceType,
  others: readonly ResourceType[],
  { sort_by, is_descending }: Pick<Slice, 'sort_by' | 'is_descending'>,
  view: View,
): Sorting | undefined {
  if (sort_by === undefined) return undefined
  const named = placeOf(type, sort_by)
  if (!named && others.some((other) => placeOf(other, sort_by))) return undefined
  if (!named) throw refuse('invalidPath', `sortBy: ${sort_by} is not an attribute of this resource.`)
  const place = withItsValue(named)
  if (!place) throw refuse('invalidPath', `sortBy: ${keyOf(named)} has parts; name one of them.`)
  return { key: sql`coalesce('0' || ${sortedSql(place, view)}, '1') collate "C"`, is_descending }
}

/** The text that rows are ordered by: without case where the attribute has none; of a list its primary or first element. */
function sortedSql(place: Place, view: View): Sql {
  const { attribute, sub = attribute } = place
  const value = attribute.multiValued
    ? sql`(select e ->> ${sub.name}::text from jsonb_array_elements(${valueSql({ ...place, sub: undefined } as never, view)})
        with ordinality x (e, at) order by (e ->> 'primary')::boolean desc nulls last, at limit 1)`
    : valueSql(place, view)
  if (sub.type === 'dateTime') return timeText(value)
  return sub.caseExact ? sql`(${value})::text` : sql`lower((${value})::text)`
}

/** In descending order the unassigned ones stand first (RFC 7644 §3.4.2.3); the oldest of equal ones always does. */
function orderSql({ table }: ResourceType, sorting: Sorting | undefined): Sql {
  const ties = raw(`${table}.created_at, ${table}.id`)
  return sorting ? sql`${sorting.key} ${raw(sorting.is_descending ? 'desc' : 'asc')}, ${ties}` : ties
}

function beyondSql({ table }: ResourceType, sorting: Sorting | undefined, { key, created_at, id }: Position): Sql {
  const later = sql`(${raw(`${table}.created_at, ${table}.id`)}) > (${created_at}::timestamptz, ${id}::uuid)`
  if (!sorting) return later
  const sign = raw(sorting.is_descending ? '<' : '>')
  return sql`(${sorting.key} ${sign} ${key}::text or (${sorting.key} = ${key}::text and ${later}))`
}
