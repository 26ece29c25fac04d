import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { addWords, replaceWords, wordsOf } from './lists/search.ts'
import { notFound } from './problems.ts'
import {
  type ColumnField,
  type Fields,
  isComputed,
  isGroup,
  isRef,
  type Referred,
  type RefField,
} from './schema/fields.ts'
import { Id } from './schema/schema.ts'

/** A value of a row, and how it is read and written. */
export interface Leaf {
  readonly name: string
  readonly field: ColumnField
  readonly expression: Sql
  readonly is_written: boolean
  readonly is_json: boolean
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
  const { name, table, words = {}, only, soft_delete } = definition
  const written = of.leaves.filter(({ is_written }) => is_written)
  const texts = [
    `insert into ${table} (${written.map((leaf) => leaf.name).join(', ')}) values (`,
    ...written.slice(1).map(() => ', '),
    ')',
  ]
  const existing = [...(only ? [only] : []), ...(soft_delete ? [raw(`${table}.deleted_at is null`)] : [])]
  const own = (row: { organization_id: string; id?: unknown }) =>
    sql`${raw(definition.tenant ?? 'organization_id')} = ${row.organization_id} and id = ${valueIn(row, 'id')}`

  const find = (tx: Transaction, match: Match<Row>): Promise<Row | undefined> => {
    const conditions = Object.entries(match).flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${of.leaf(column).expression} = ${value}`],
    )
    return tx.row<Row>(sql`select ${of.columns} from ${of.tables} where ${join([...conditions, ...existing], ' and ')}`)
  }
  const get = async (tx: Transaction, match: Match<Row>): Promise<Row> => {
    const row = await find(tx, match)
    if (!row) throw notFound()
    return row
  }
  const changed = (before: Row, after: Row): Leaf[] =>
    written.filter((leaf) => {
      const [old, next] = [valueIn(before, leaf.name), valueIn(after, leaf.name)]
      return leaf.is_json ? !isDeepStrictEqual(old, next) : old !== next
    })

  return {
    /** The row of a table that an id of the path names; undefined where there is none. */
    find,
    /** The same; throws `not_found`. */
    get,
    /**
     * The same, locked until the transaction ends. The row is read by a statement of its own after the lock, so that it
     * and what is joined to it are those of after any change that was ahead.
     */
    async lock(tx: Transaction, match: Match<Row> & { id: string }): Promise<Row> {
      const [, row] = await Promise.all([
        tx.run(sql`select id from ${raw(table)} where ${own(match)} for no key update`),
        get(tx, match),
      ])
      return row
    },
    /** Writes a new row; false where it violates the unique index that `unless` names. */
    async insert(tx: Transaction, row: Row, unless?: Sql): Promise<boolean> {
      const values = written.map((leaf) => bound(leaf, valueIn(row, leaf.name)))
      const addWordsTo = ([kind, columns]: readonly [string, readonly string[]]) => {
        const found = wordsIn(row, columns)
        return found.length > 0 && addWords(tx, row.organization_id, kind, String(valueIn(row, 'id')), found)
      }
      if (unless) {
        const inserted = await tx.run(sql`${{ strings: texts, values }} on conflict ${unless} do nothing`)
        if (inserted === 0) return false
        await Promise.all(Object.entries(words).map(addWordsTo))
      } else await Promise.all([tx.run({ strings: texts, values }), ...Object.entries(words).map(addWordsTo)])
      return true
    },
    /** The columns in which two states of a row differ. */
    changes: (before: Row, after: Row): string[] => changed(before, after).map((leaf) => leaf.name),
    /**
     * Writes what differs between a locked row and the row as it is to be. `updated_at` moves at least by its own
     * precision, so that every change appears under `updated_after` its former value.
     */
    async save(tx: Transaction, before: Row, after: Row, also: readonly Sql[] = []): Promise<Row> {
      const assignments = changed(before, after).map(
        (leaf) => sql`${raw(leaf.name)} = ${bound(leaf, valueIn(after, leaf.name))}`,
      )
      const moved = sql`updated_at = greatest(${tx.now}, updated_at + interval '1 millisecond')`
      const [saved] = await Promise.all([
        tx.row<{ updated_at: string }>(sql`
          update ${raw(table)} set ${join([...assignments, ...also, moved], ', ')}
          where ${own(before)} returning updated_at`),
        ...Object.entries(words)
          .filter(([, columns]) => columns.some((column) => valueIn(before, column) !== valueIn(after, column)))
          .map(([kind, columns]) =>
            replaceWords(tx, before.organization_id, kind, String(valueIn(before, 'id')), wordsIn(after, columns)),
          ),
      ])
      if (!saved) throw new Error(`there is no ${name} ${valueIn(before, 'id')}`)
      return { ...after, ...saved }
    },
  }
}

/** Tells if an id names a row of the organization. */
export async function exists(tx: Transaction, refers: Referred, organization_id: string, id: string): Promise<boolean> {
  const row = await tx.row(sql`select id from ${raw(refers.table)} where ${named(refers, organization_id, id)}`)
  return row !== undefined
}

/** A row that is about to be referred to, locked against deletion until the transaction ends. */
export function hold(
  tx: Transaction,
  refers: Referred,
  organization_id: string,
  id: string,
): Promise<{ id: string; name: string } | undefined> {
  const { table, label = 'name' } = refers
  return tx.row(sql`
    select id, ${raw(label)} as name from ${raw(table)} where ${named(refers, organization_id, id)} for key share`)
}

function named({ soft_delete }: Referred, organization_id: string, id: string): Sql {
  return sql`organization_id = ${organization_id} and id = ${id} ${raw(soft_delete ? 'and deleted_at is null' : '')}`
}

function leavesOf(table: string, fields: Fields): Leaf[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (isGroup(field)) return leavesOf(table, field.group)
    if (isComputed(field)) return []
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

function leavesOfRef(table: string, name: string, { refers, nullable }: RefField): Leaf[] {
  const field = { type: Id, refers, ...(nullable && { nullable }) }
  const held = { name: `${name}_id`, field, expression: raw(`${table}.${name}_id`), is_written: true, is_json: false }
  const label = raw(`${name}.${refers.label ?? 'name'}`)
  return [held, { ...held, name: `${name}_name`, expression: label, is_written: false }]
}

/** Left joins by primary key, so that counting a list leaves them out altogether. */
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

function wordsIn(row: object, columns: readonly string[]): string[] {
  return wordsOf(...columns.map((column) => valueIn(row, column) as string | null))
}

/** The cast holds for every object; it may lack the name. */
export function valueIn(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name]
}
