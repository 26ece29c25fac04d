import type { Cursors } from '#core/list.ts'
import { Problem } from '#core/problems.ts'
import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { refuse } from './errors.ts'
import { parseFilter } from './filter.ts'
import { type Columns, conditionOf } from './filter-sql.ts'
import { type Asked, sortPlaceOf } from './projection.ts'
import { keyOf, type Place, type ResourceType } from './schema.ts'

export const list_urn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const search_urn = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
export const page_limits = { default: 100, most: 200, cursor_s: 3_600 } as const

/** A query for resources (RFC 7644 §3.4.2), from an address or a body of `.search`. */
export interface Query extends Asked {
  readonly filter?: string | undefined
  readonly sort_by?: string | undefined
  readonly sort_order?: string | undefined
  readonly start_index?: number | undefined
  readonly count?: number | undefined
  /** Empty to begin with; present: pages by cursor (RFC 9865). */
  readonly cursor?: string | undefined
}

/** The resources of one type: where they are read, which there are, and how their attributes are read. */
export interface Listed {
  readonly type: ResourceType
  readonly columns: Sql
  readonly from: Sql
  readonly table: 'people' | 'teams'
  /** Those of the organization that are users, or groups. */
  readonly visible: Sql
  readonly places: Columns
}

interface Sorting {
  key: Sql
  is_descending: boolean
}

export interface Listing<Row> {
  rows: Row[]
  total: number
  next_cursor?: string
}

type Keyed = { sort_key: string | null; created_at: string; id: string }

interface Parts {
  tx: Transaction
  cursors: Cursors
  organization_id: string
}

/** Reads one page of resources with the number of all, in one snapshot. Throws refusals in SCIM's shape. */
export async function readListing<Row>({ tx, cursors, organization_id }: Parts, of: Listed, query: Query) {
  const filter = query.filter === undefined ? undefined : parseFilter(of.type, query.filter)
  const sorting = sortingOf(of, query)
  const where = [of.visible, ...(filter ? [sql`(${conditionOf(filter, of.places)})`] : [])]
  const { filter: text, sort_by, sort_order } = query
  const binding = { operation: `scim ${of.type.name}`, organization_id, filters: { text, sort_by, sort_order } }
  const count = countOf(query)
  const counting = tx.row<{ total: number }>(sql`
    select count(*)::int as total from ${of.from} where ${join(where, ' and ')}`)
  if (count === 0) return { rows: [], total: (await counting)?.total ?? 0 } satisfies Listing<Row>
  const beyond = query.cursor ? [beyondOf(of, sorting, readCursor(cursors, query.cursor, binding, tx.now))] : []
  const skipped = query.cursor === undefined ? startOf(query) - 1 : 0
  const [found, rows] = await Promise.all([
    counting,
    tx.rows<Row & Keyed>(sql`
      select ${of.columns}, ${sorting?.key ?? raw('null::text')} as sort_key from ${of.from}
      where ${join([...where, ...beyond], ' and ')} order by ${orderOf(of, sorting)} limit ${count + 1} offset ${skipped}`),
  ])
  const page = rows.slice(0, count)
  const last = page.at(-1)
  const next = query.cursor !== undefined && rows.length > count && last
  const keys = last && [tx.now, last.sort_key ?? '', String(last.sort_key === null), last.created_at, last.id]
  return {
    ...{ rows: page as Row[], total: found?.total ?? 0 },
    ...(next && { next_cursor: cursors.write(keys ?? [], binding) }),
  } satisfies Listing<Row>
}

function countOf({ count = page_limits.default, cursor }: Query): number {
  if (cursor !== undefined && count > page_limits.most)
    throw refuse('invalidCount', `count is ${page_limits.most} at most.`)
  return Math.min(Math.max(count, 0), page_limits.most)
}

const startOf = ({ start_index = 1 }: Query) => Math.max(start_index, 1)

function sortingOf({ type, places }: Listed, { sort_by, sort_order = 'ascending' }: Query): Sorting | null {
  const order = sort_order.toLowerCase()
  if (order !== 'ascending' && order !== 'descending') {
    throw refuse('invalidValue', 'sortOrder is ascending or descending.')
  }
  if (sort_by === undefined) return null
  return { key: keySql(places, sortPlaceOf(type, sort_by)), is_descending: order === 'descending' }
}

/** The text that rows are ordered by: without case where the attribute has none, times as they stand. */
function keySql(places: Columns, place: Place): Sql {
  const { attribute, sub, ...rest } = place
  const own = sub ?? attribute
  const list = attribute.multiValued ? places[keyOf({ ...rest, attribute })] : undefined
  const expression = list
    ? sql`(select e ->> ${own.name}::text from jsonb_array_elements(${list.expression}) with ordinality x (e, at)
        order by (e ->> 'primary')::boolean desc nulls last, at limit 1)`
    : places[keyOf(place)]?.expression
  if (!expression) throw refuse('invalidPath', `${keyOf(place)} cannot be sorted by.`)
  if (own.type === 'dateTime') return sql`to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS')`
  return own.caseExact ? sql`${expression}::text collate "C"` : sql`lower(${expression}::text) collate "C"`
}

/** Unassigned ones stand last, or first in descending order (RFC 7644 §3.4.2.3); then the oldest first. */
function orderOf({ table }: Listed, sorting: Sorting | null): Sql {
  const ties = raw(`${table}.created_at, ${table}.id`)
  return sorting
    ? sql`${sorting.key} ${raw(sorting.is_descending ? 'desc nulls first' : 'asc nulls last')}, ${ties}`
    : ties
}

interface Position {
  key: string | null
  created_at: string
  id: string
}

function readCursor(cursors: Cursors, cursor: string, binding: Parameters<Cursors['read']>[1], now: string): Position {
  try {
    const [at = '', key = '', is_null, created_at = '', id = ''] = cursors.read(cursor, binding)
    if (Date.parse(now) - Date.parse(at) > page_limits.cursor_s * 1_000) {
      throw refuse('expiredCursor', 'The cursor is older than an hour; begin again.')
    }
    return { key: is_null === 'true' ? null : key, created_at, id }
  } catch (error) {
    if (error instanceof Problem) throw refuse('invalidCursor', 'The cursor is not of this query.')
    throw error
  }
}

/** The rows behind the last one of the page before. */
function beyondOf({ table }: Listed, sorting: Sorting | null, { key, created_at, id }: Position): Sql {
  const later = sql`(${raw(`${table}.created_at, ${table}.id`)}) > (${created_at}::timestamptz, ${id}::uuid)`
  if (!sorting) return later
  const { key: own, is_descending } = sorting
  if (key === null) {
    const others = is_descending ? sql`${own} is not null or` : raw('')
    return sql`(${others} (${own} is null and ${later}))`
  }
  const others = is_descending ? sql`${own} < ${key}` : sql`${own} > ${key} or ${own} is null`
  return sql`(${others} or (${own} = ${key} and ${later}))`
}
