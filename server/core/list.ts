import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { canonicalJson, sha256 } from './json.ts'
import { invalidCursor } from './problems.ts'
import { type Page, type PageRequest, page_rows_max } from './schema/schema.ts'
import { derivedEnvelopes, type Secrets } from './secrets.ts'
import { valueIn } from './table.ts'

/** A keyset list: what to read, which rows match, and the columns that order it (unique together). */
export interface ListQuery {
  columns: Sql
  from: Sql
  /** As `from`, without tables that neither conditions nor the number of rows depend on; default: the same. */
  counted?: Sql
  /** Conditions that the filters make; the organization's condition is one of them. */
  where: readonly Sql[]
  /** Columns of the rows under their own names; default `created_at`, `id`. */
  order?: readonly string[]
  direction?: 'desc' | 'asc'
  /** Column that `updated_after` is compared with; null where it has no effect. */
  updated_at?: string | null
}

/** The list, caller and filters that a cursor and a kept total are bound to. */
export interface ListBinding {
  operation: string
  organization_id: string
  filters: object
}

/** Reads one page and the exact total in one statement, hence in one snapshot. */
export async function readPage<Row extends object, Item>(
  { tx, cursors, totals }: { tx: Transaction; cursors: Cursors; totals: Totals },
  list: ListQuery,
  { limit, updated_after, cursor }: PageRequest,
  binding: ListBinding,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> {
  const {
    columns,
    from,
    counted = from,
    order = ['created_at', 'id'],
    direction = 'desc',
    updated_at = 'updated_at',
  } = list
  const changed = updated_after && updated_at ? [sql`${raw(updated_at)} > ${updated_after}`] : []
  const conditions = [...list.where, ...changed]
  const filtered = join(conditions, ' and ', 'true')
  // Told apart from the limit at hand where only the organization's condition stands. A plan for any limit reckons with a tenth of
  // the rows, so each page of a long list was planned anew (1.1 ms, as long as it took). Filters ask for that: rare values have plans
  // of their own. The limit at hand stays a parameter: each text is a statement that every connection keeps, 0.3 MB with its plan.
  const most = raw(conditions.length === 1 ? `limit ${page_rows_max + 1}` : '')
  const keys = cursor === undefined ? [] : cursors.read(cursor, binding).map((key) => sql`${key}`)
  const beyond = sql`and (${raw(order.join(', '))}) ${raw(direction === 'desc' ? '<' : '>')} (${join(keys, ', ')})`
  const known = totals.known(binding)
  const total = known === undefined ? fewSql(counted, filtered) : sql`select ${known}::int as total_count`
  const rows = await tx.rowsBeside<number, Row>(sql`
    select total.total_count, page.* from (${total}) total
    left join lateral (
      select * from (
        select ${columns} from ${from} where ${filtered} ${keys.length > 0 ? beyond : raw('')}
        order by ${raw(order.map((name) => `${name} ${direction}`).join(', '))} ${most}) few limit ${limit + 1}) page on true`)
  // Both times (to the millisecond) and ids are read as exactly as they are compared.
  const keysOf = (row: Row) => order.map((name) => valueIn(row, name.slice(name.indexOf('.') + 1)))
  const found = rows.filter(({ row }) => keysOf(row)[0] !== null)
  const data = found.slice(0, limit)
  const last = data.at(-1)
  const has_more = found.length > limit && last !== undefined
  let total_count = known ?? rows[0]?.first ?? 0
  if (known === undefined && total_count > exact_rows_max) {
    total_count = await totals.count(binding, () => countAll(tx, counted, filtered))
  }
  const next = has_more ? cursors.write(keysOf(last.row), binding) : null
  return { data: data.map(({ row }) => itemOf(row)), cursor: next, has_more, total_count }
}

/** The total of a list whose pages are read in another way: exact, or of a large list as old as those of `readPage`. */
export async function readTotal(
  { tx, totals }: { tx: Transaction; totals: Totals },
  counted: Sql,
  where: Sql,
  binding: ListBinding,
): Promise<number> {
  const known = totals.known(binding)
  if (known !== undefined) return known
  const row = await tx.row<{ total_count: number }>(fewSql(counted, where))
  const few = row?.total_count ?? 0
  return few > exact_rows_max ? totals.count(binding, () => countAll(tx, counted, where)) : few
}

/** Counts no further than it takes to know that there are many. */
const fewSql = (counted: Sql, where: Sql) =>
  sql`select count(*)::int as total_count from (select from ${counted} where ${where} limit ${exact_rows_max + 1}) counted`

async function countAll(tx: Transaction, counted: Sql, where: Sql): Promise<number> {
  const row = await tx.row<{ all: number }>(sql`select count(*)::int as all from ${counted} where ${where}`)
  return row?.all ?? 0
}

/** A page of rows that the program holds itself (a catalogue), ordered by a unique text key ascending. */
export function pageOfRows<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { limit, cursor }: PageRequest,
  binding: ListBinding,
  cursors: Cursors,
): Page<Item> {
  const after = cursor === undefined ? undefined : cursors.read(cursor, binding)[0]
  const rest = after === undefined ? items : items.filter((item) => keyOf(item) > after)
  const data = rest.slice(0, limit)
  const last = data.at(-1)
  const has_more = rest.length > limit && last !== undefined
  return { data, cursor: has_more ? cursors.write([keyOf(last)], binding) : null, has_more, total_count: items.length }
}

export type Cursors = ReturnType<typeof createCursors>

/**
 * A walk that began at the primary, where there is a replica, stays there: rows that its first page has seen around may
 * not have arrived at the replica, and would be left out.
 */
export function createCursors(secrets: Secrets, reading_on?: 'primary' | 'replica') {
  const anywhere = derivedEnvelopes(secrets, 'stint list cursor')
  const at_primary = derivedEnvelopes(secrets, 'stint list cursor of the primary')
  const written = reading_on === 'primary' ? at_primary : anywhere
  const readable = reading_on === 'replica' ? [anywhere] : [anywhere, at_primary]
  const digestOf = ({ operation, organization_id, filters }: ListBinding) =>
    sha256(operation, organization_id, canonicalJson(filters))
  return {
    /**
     * A text holding the keys of the last row, sealed and bound to operation, filters and organization: it tells its
     * holder nothing, not even whether it is of the same place as another one.
     */
    write(keys: readonly unknown[], binding: ListBinding): string {
      return written.wrap(Buffer.from(JSON.stringify(keys)), digestOf(binding)).toString('base64url')
    },
    /** The keys of a cursor; throws `invalid_cursor` for one that is foreign, altered or of other filters. */
    read(cursor: string, binding: ListBinding): string[] {
      const bytes = Buffer.from(cursor, 'base64url')
      // Decoding skips what is not base64url, so an altered text may hold the same bytes.
      const isOurs = bytes.toString('base64url') === cursor
      const digest = digestOf(binding)
      const text = isOurs
        ? readable
            .values()
            .map((one) => one.unwrap(bytes, digest))
            .find((found) => found !== undefined)
        : undefined
      if (!text) throw invalidCursor()
      return JSON.parse(text.toString()) as string[]
    },
  }
}

/** Up to here the total is counted in the page's own snapshot (0.9 ms); counting 1,000,000 rows takes 46–57 ms. */
const exact_rows_max = 10_000
/** A larger total may be this old. */
const age_max_ms = 5_000
const kept_totals_max = 1_000

export type Totals = ReturnType<typeof createTotals>

/** Totals of large lists, kept per organization and filters so that paging does not count them every time. */
export function createTotals(now: () => number) {
  const kept = new Map<string, { total: number; counted_at: number }>()
  const counting = new Map<string, Promise<number>>()
  const keep = (key: string, total: number) => {
    const [oldest] = kept.keys()
    if (kept.size >= kept_totals_max && oldest !== undefined) kept.delete(oldest)
    kept.set(key, { total, counted_at: now() })
  }
  return {
    /** A kept total that is fresh enough. */
    known(binding: ListBinding): number | undefined {
      const entry = kept.size === 0 ? undefined : kept.get(keyOf(binding))
      return entry && now() - entry.counted_at <= age_max_ms ? entry.total : undefined
    },
    /** Counts and keeps it; readers who come meanwhile wait for the same count. */
    count(binding: ListBinding, count: () => Promise<number>): Promise<number> {
      const key = keyOf(binding)
      const running = counting.get(key)
      if (running) return running
      const begun = count()
        .then((total) => {
          keep(key, total)
          return total
        })
        .finally(() => counting.delete(key))
      counting.set(key, begun)
      return begun
    },
  }
}

function keyOf({ operation, organization_id, filters }: ListBinding): string {
  return canonicalJson([operation, organization_id, filters])
}
