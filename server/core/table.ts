import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { linksOf, writeLinks } from './links.ts'
import { notFound, type Problem, referenceNotFound } from './problems.ts'
import {
  type ColumnField,
  type Fields,
  isComputed,
  isGroup,
  isRef,
  isRefs,
  type Referred,
  type RefField,
  type RefsField,
} from './schema/fields.ts'
import { Id, Ref, Type } from './schema/schema.ts'

/** A value of a row, and how it is read and written. */
export interface Leaf {
  readonly name: string
  readonly field: ColumnField
  readonly expression: Sql
  readonly is_written: boolean
  readonly is_json: boolean
  /** Held by a table of links. */
  readonly linked?: RefsField
}

/** The table of a noun and the fields of its rows. */
export interface TableDefinition {
  readonly name: string
  readonly table: string
  readonly fields: Fields
  /** Columns of a row that no answer shows. */
  readonly internal?: Fields
  /** Tables beside those of references. Left joins over a primary key are left out where rows are only counted. */
  readonly joins?: Sql
  /** The condition that makes a row of the table such a noun; others are never seen. */
  readonly only?: Sql
  /** The words that a row is found by: kinds of words, each with its columns. */
  readonly words?: Readonly<Record<string, readonly string[]>>
  /** The column that tells what a row is called, for rows that refer to it; default `name`. */
  readonly label?: string
  /** Rows with `deleted_at` are found no more. */
  readonly soft_delete?: true
  /** The column that names the organization, where that is the row itself. */
  readonly tenant?: 'id'
}

/** Columns that a row is looked up by; an undefined one does not count. */
export type Match<Row> = { organization_id: string } & { [Column in keyof Row]?: Row[Column] | undefined }

/** The columns of a table as its definition says, with the tables they are read from. */
export function describeTable({ name, table, fields, internal = {}, joins = raw(''), tenant }: TableDefinition) {
  const organization: Leaf = {
    name: 'organization_id',
    field: { type: Id },
    expression: raw(`${table}.${tenant ?? 'organization_id'}`),
    is_written: tenant === undefined,
    is_json: false,
  }
  const leaves = [organization, ...leavesOf(table, internal), ...leavesOf(table, fields)]
  const named = new Map(leaves.map((leaf) => [leaf.name, leaf]))
  return {
    leaves,
    columns: join(
      leaves.map((leaf) => sql`${leaf.expression} as ${raw(leaf.name)}`),
      ', ',
    ),
    tables: sql`${raw([table, ...joinsOf(table, fields)].join('\n  '))} ${joins}`,
    /** The tables that rows are counted in: the others add none and take none away. */
    counted: sql`${raw(table)} ${joins}`,
    leaf: (column: string): Leaf => {
      const leaf = named.get(column)
      if (!leaf) throw new Error(`${name} has no column ${column}`)
      return leaf
    },
  }
}

export type Table = ReturnType<typeof describeTable>

/** Reads and writes single rows by their id. */
export function rowsOf<Row extends { organization_id: string }>(definition: TableDefinition, of: Table) {
  const { table, label = 'name', only, soft_delete } = definition
  const ever = only ? [only] : []
  const existing = [...ever, ...(soft_delete ? [raw(`${table}.deleted_at is null`)] : [])]
  const matching = (match: Match<Row>, also = existing): Sql => {
    const conditions = Object.entries(match).flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${of.leaf(column).expression} = ${value}`],
    )
    return join([...conditions, ...also], ' and ')
  }
  const find = (tx: Transaction, match: Match<Row>, also = existing): Promise<Row | undefined> =>
    tx.row(sql`select ${of.columns} from ${of.tables} where ${matching(match, also)}`)
  const get = async (tx: Transaction, match: Match<Row>, also = existing): Promise<Row> => {
    const row = await find(tx, match, also)
    if (!row) throw notFound()
    return row
  }
  const lock = async (tx: Transaction, match: Match<Row> & { id: string }, strength: string, also = existing) => {
    const [, row] = await Promise.all([
      tx.run(sql`select id from ${raw(table)} where ${own(definition, match)} ${raw(strength)}`),
      get(tx, match, also),
    ])
    return row
  }
  return {
    /** The row of a table that an id of the path names; undefined where there is none. */
    find: (tx: Transaction, match: Match<Row>) => find(tx, match),
    /** The same; throws `not_found`. */
    get: (tx: Transaction, match: Match<Row>) => get(tx, match),
    /** The same, also of a row that is marked as removed. */
    getRemovedToo: (tx: Transaction, match: Match<Row>) => get(tx, match, ever),
    /**
     * The same, locked until the transaction ends. The row is read by a statement of its own after the lock, so that it
     * and what is joined to it are those of after any change that was ahead.
     */
    lock: (tx: Transaction, match: Match<Row> & { id: string }) => lock(tx, match, 'for no key update'),
    /**
     * The same for many, by their ids. They are locked in the order of these, so that whoever locks several waits for nobody
     * who waits for him.
     */
    async lockAll(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<Map<string, Row>> {
      const named = sql`${raw(`${table}.organization_id`)} = ${organization_id} and ${raw(`${table}.id`)} = any (${ids})`
      const [, rows] = await Promise.all([
        tx.run(sql`select id from ${raw(table)} where ${named} order by id for no key update`),
        tx.rows<Row & { id: string }>(sql`
          select ${of.columns} from ${of.tables} where ${join([named, ...existing], ' and ')}`),
      ])
      if (rows.length < new Set(ids).size) throw notFound()
      return new Map(rows.map((row) => [row.id, row]))
    },
    /** The same, also against those that are about to refer to it (`hold`): for a removal, which only marks the row. */
    lockToRemove: (tx: Transaction, match: Match<Row> & { id: string }) => lock(tx, match, 'for update'),
    /** The same, also of a row that is marked as removed. */
    lockRemovedToo: (tx: Transaction, match: Match<Row> & { id: string }) => lock(tx, match, 'for update', ever),
    /** A row that the field at `pointer` is about to refer to, locked against deletion until the transaction ends. */
    async hold(tx: Transaction, match: Match<Row>, pointer: string): Promise<{ id: string; name: string }> {
      const row = await tx.row<{ id: string; name: string }>(
        sql`select id, ${raw(label)} as name from ${raw(table)} where ${matching(match)} for key share`,
      )
      if (!row) throw missing(pointer)
      return row
    },
    ...writesOf<Row>(definition, of),
  }
}

/**
 * The assignment that belongs to every change of a row, by the alias that its table has: `updated_at` moves at least by its
 * own precision, so that each change appears under `updated_after` its former value.
 */
export function moved({ now }: Pick<Transaction, 'now'>, alias?: string): Sql {
  const before = raw(alias === undefined ? 'updated_at' : `${alias}.updated_at`)
  return sql`updated_at = greatest(${now}, ${before} + interval '1 millisecond')`
}

function writesOf<Row extends { organization_id: string }>(definition: TableDefinition, of: Table) {
  const { name, table, words = {} } = definition
  const written = of.leaves.filter(({ is_written }) => is_written)
  const insertion = [
    `insert into ${table} (${written.map((leaf) => leaf.name).join(', ')}) values (`,
    ...written.slice(1).map(() => ', '),
    ')',
  ]
  const linked = of.leaves.filter((leaf) => leaf.linked)
  const requirePlain = () => {
    if (linked.length + Object.keys(words).length > 0) throw new Error(`rows of ${name} are written one by one`)
  }
  const changed = (before: Row, after: Row): Leaf[] =>
    [...written, ...linked].filter((leaf) => {
      const [old, next] = [valueIn(before, leaf.name), valueIn(after, leaf.name)]
      return leaf.is_json || Array.isArray(next) ? !isDeepStrictEqual(old, next) : old !== next
    })

  return {
    /** Writes a new row; false where it violates the unique index that `unless` names. */
    async insert(tx: Transaction, row: Row, unless?: Sql): Promise<boolean> {
      const insert = { strings: insertion, values: written.map((leaf) => bound(leaf, valueIn(row, leaf.name))) }
      if (!unless) tx.insert(insert)
      else if ((await tx.run(sql`${insert} on conflict ${unless} do nothing`)) === 0) return false
      for (const [kind, columns] of Object.entries(words)) addWords(tx, row, kind, columns)
      for (const leaf of linked) keepLinks(tx, leaf, [null, row])
      return true
    },
    /** Writes new rows by one statement. */
    insertAll(tx: Transaction, rows: readonly Row[]): void {
      requirePlain()
      if (rows.length === 0) return
      const columns = raw(written.map((leaf) => leaf.name).join(', '))
      tx.insert(sql`
        insert into ${raw(table)} (${columns})
        select ${columns} from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(rows)}::json)`)
    },
    /** The columns in which two states of a row differ. */
    changes: (before: Row, after: Row): string[] => changed(before, after).map((leaf) => leaf.name),
    /**
     * Writes what differs between a locked row and the row as it is to be.
     */
    async save(tx: Transaction, before: Row, after: Row, also: readonly Sql[] = []): Promise<Row> {
      const different = changed(before, after)
      for (const leaf of different) keepLinks(tx, leaf, [before, after])
      const own_columns = different.filter((leaf) => !leaf.linked)
      const assignments = own_columns.map((leaf) => sql`${raw(leaf.name)} = ${bound(leaf, valueIn(after, leaf.name))}`)
      const answer = tx.row<{ updated_at: string }>(sql`
        update ${raw(table)} set ${join([...assignments, ...also, moved(tx)], ', ')}
        where ${own(definition, before)} returning updated_at`)
      for (const [kind, columns] of Object.entries(words)) {
        if (!different.some((leaf) => columns.includes(leaf.name))) continue
        dropWords(tx, before, kind, columns)
        addWords(tx, after, kind, columns)
      }
      const saved = await answer
      if (!saved) throw new Error(`there is no ${name} ${valueIn(before, 'id')}`)
      return { ...after, ...saved }
    },
    /** The same for many rows of an organization, by one statement: each has all the columns written in which one differs. */
    async saveAll(tx: Transaction, moves: readonly (readonly [before: Row, after: Row])[]): Promise<Row[]> {
      requirePlain()
      const [first] = moves
      if (!first) return []
      const names = new Set(moves.flatMap(([before, after]) => changed(before, after).map((leaf) => leaf.name)))
      const columns = written.filter((leaf) => names.has(leaf.name)).map((leaf) => leaf.name)
      const after = moves.map(([, row]) =>
        Object.fromEntries(['id', ...columns].map((each) => [each, valueIn(row, each)])),
      )
      const ids = after.map(({ id }) => id)
      const rows = await tx.rows<{ id: string; updated_at: string }>(sql`
        update ${raw(table)} t set ${raw(columns.map((each) => `${each} = n.${each}, `).join(''))}
          ${moved(tx, 't')}
        from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(after)}::json) n
        where t.organization_id = ${first[0].organization_id} and t.id = any (${ids}) and t.id = n.id
        returning t.id, t.updated_at`)
      const versions = new Map<unknown, string>(rows.map(({ id, updated_at }) => [id, updated_at]))
      return moves.map(([, row]) => {
        const updated_at = versions.get(valueIn(row, 'id'))
        if (updated_at === undefined) throw new Error(`there is no ${name} ${valueIn(row, 'id')}`)
        return { ...row, updated_at }
      })
    },
  }
}

/** Brings the links of a row from one state into another; null: a new row. The casts hold because such a leaf has references. */
function keepLinks<Row extends { organization_id: string }>(
  tx: Transaction,
  { name, linked }: Leaf,
  [before, after]: readonly [Row | null, Row],
): void {
  const refs = (row: Row | null) => (row ? (valueIn(row, name) as { id: string; name: string }[]) : [])
  const states = [refs(before), refs(after)] as const
  if (linked && states.some((each) => each.length > 0)) writeLinks(tx, linked, after, states)
}

/** The condition that names a row by its id. */
function own({ tenant }: TableDefinition, row: { organization_id: string }): Sql {
  return sql`${raw(tenant ?? 'organization_id')} = ${row.organization_id} and id = ${valueIn(row, 'id')}`
}

/** Refuses an id in the field at `pointer` that names no row of the organization. */
export async function requireRow(
  tx: Transaction,
  { table, soft_delete }: Referred,
  organization_id: string,
  id: unknown,
  pointer: string,
): Promise<void> {
  const existing = raw(soft_delete ? 'and deleted_at is null' : '')
  const row = await tx.row(
    sql`select id from ${raw(table)} where organization_id = ${organization_id} and id = ${id} ${existing}`,
  )
  if (!row) throw missing(pointer)
}

/** The row that the field at `pointer` is about to refer to, locked against deletion until the transaction ends. */
export async function holdRow(
  tx: Transaction,
  { table, label = 'name', soft_delete }: Referred,
  organization_id: string,
  id: unknown,
  pointer: string,
): Promise<{ id: string; name: string }> {
  const existing = raw(soft_delete ? 'and deleted_at is null' : '')
  const row = await tx.row<{ id: string; name: string }>(sql`
    select id, ${raw(label)} as name from ${raw(table)}
    where organization_id = ${organization_id} and id = ${id} ${existing} for key share`)
  if (!row) throw missing(pointer)
  return row
}

function missing(pointer: string): Problem {
  return referenceNotFound(undefined, { errors: [{ pointer, message: 'does not exist' }] })
}

function leavesOf(table: string, fields: Fields): Leaf[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (isGroup(field)) return leavesOf(table, field.group)
    if (isComputed(field)) return []
    if (isRefs(field)) return leafOfLinks(table, name, field)
    if (isRef(field)) return leavesOfRef(table, name, field)
    const { column = name, type, generated, read_from } = field
    const expression = read_from ?? `${table}.${column}`
    return {
      name: column,
      field,
      expression: typeof expression === 'string' ? raw(expression) : expression,
      is_written: !generated && read_from === undefined,
      is_json: isJson(type),
    }
  })
}

function leavesOfRef(table: string, name: string, { refers, nullable, category }: RefField): Leaf[] {
  const field = { type: Id, refers, ...(nullable && { nullable }), ...(category && { category }) }
  const held = { name: `${name}_id`, field, expression: raw(`${table}.${name}_id`), is_written: true, is_json: false }
  const label = raw(`${name}.${refers.label ?? 'name'}`)
  return [held, { ...held, name: `${name}_name`, expression: label, is_written: false }]
}

function leafOfLinks(table: string, name: string, linked: RefsField): Leaf {
  const field = { type: Type.Array(Ref), initial: [] }
  return { name, field, expression: linksOf(table, linked), is_written: false, is_json: true, linked }
}

/**
 * Left joins by primary key, so that rows are counted without them. PostgreSQL 15 leaves them out itself, but no index
 * serves alone then: 1,000,000 contracts were read from end to end, 57,000 buffers where the index has 875.
 */
function joinsOf(table: string, fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const joined = isRef(field) ? name : (field as ColumnField).joined_as
    const { refers } = field as ColumnField
    if (joined === undefined || !refers) return []
    const column = isRef(field) ? `${name}_id` : name
    return `left join ${refers.table} ${joined} on ${joined}.organization_id = ${table}.organization_id and ${joined}.id = ${table}.${column}`
  })
}

function isJson(schema: TSchema): boolean {
  const { type, items, anyOf } = schema as { type?: string; items?: TSchema; anyOf?: TSchema[] }
  return type === 'object' || (items !== undefined && isJson(items)) || (anyOf ?? []).some(isJson)
}

function bound({ is_json }: Leaf, value: unknown): unknown {
  return is_json && value !== null ? JSON.stringify(value) : value
}

/** The cast holds for every object; it may lack the name. */
export function valueIn(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name]
}

/**
 * Search by the beginnings of words, without case and accents. The words stand in a table of their own whose index
 * answers a prefix by plain comparison: under row-level security an index is used for leakproof operators only, which
 * `like`, full-text and trigram operators are not, so with those every search would read the whole organization.
 */

/** Each word of a search is a condition of its query: planning 50 of them takes over twice as long as 32. */
const searched_words_max = 32
const characters_max = 64

/** Letters that Unicode does not decompose into a base letter and an accent. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
}

/**
 * The distinct words of some texts in lower case and without accents: "Zoë Weiß-Łuk" → zoe, weiss, luk. They are as many
 * as the fields they come from can hold, so that a long title is found by its last word too.
 */
export function wordsOf(...texts: readonly (string | null | undefined)[]): string[] {
  const plain = texts
    .join(' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđðþłħı]/g, (letter) => plainLetters[letter] ?? letter)
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return [...new Set(words.map((word) => word.slice(0, characters_max)))]
}

/** The words that a search looks for. */
export function searchedWords(search: string): string[] {
  return wordsOf(search).slice(0, searched_words_max)
}

/** Writes the words of one kind that a row is found by. */
function addWords(tx: Transaction, row: { organization_id: string }, kind: string, columns: readonly string[]) {
  const words = wordsIn(row, columns)
  if (words.length === 0) return
  tx.insert(sql`
    insert into search_words (organization_id, kind, word, subject_id)
    select ${row.organization_id}::uuid, ${kind}::text, word, ${valueIn(row, 'id')}::uuid from unnest(${words}::text[]) word`)
}

/** Takes them away, by the words themselves: so one index serves search and change. */
function dropWords(tx: Transaction, row: { organization_id: string }, kind: string, columns: readonly string[]): void {
  tx.send(sql`
    delete from search_words
    where organization_id = ${row.organization_id} and kind = ${kind} and word = any (${wordsIn(row, columns)})
      and subject_id = ${valueIn(row, 'id')}`)
}

/** The cast holds because words are made of texts only. */
const wordsIn = (row: object, columns: readonly string[]) =>
  wordsOf(...columns.map((column) => valueIn(row, column) as string | null))

/** Each word of the search has to begin a word of the row or of a row whose id it holds. */
export function conditionOfWords(
  by_words_of: Readonly<Record<string, string>>,
  { table, word_kinds, organization_id }: { table: string; word_kinds: readonly string[]; organization_id: string },
  search: string,
): Sql {
  const conditions = searchedWords(search).map((word) => {
    const own = word_kinds.map(
      (kind) => sql`select w.subject_id from search_words w where ${wordsBeginning(organization_id, kind, word)}`,
    )
    const others = Object.entries(by_words_of).map(
      ([kind, column]) => sql`
        select k.id from search_words w
        join ${raw(table)} k on k.organization_id = w.organization_id and k.${raw(column)} = w.subject_id
        where ${wordsBeginning(organization_id, kind, word)}`,
    )
    return sql`${raw(table)}.id in (${join([...own, ...others], ' union all ')})`
  })
  return join(conditions, ' and ', 'false')
}

/** `word` of table `w` begins with the prefix; the words are of one kind. */
function wordsBeginning(organization_id: string, kind: string, prefix: string): Sql {
  return sql`w.organization_id = ${organization_id} and w.kind = ${kind}
    and w.word >= ${prefix} and w.word < ${`${prefix}\u{10ffff}`}`
}
