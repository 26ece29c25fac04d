import type { Static, TArray, TBoolean, TOptional, TSchema, TString, TUnsafe } from 'typebox'
import { raw, type Sql, sql } from '#db/database.ts'
import type { ColumnField, Referred } from '../schema/fields.ts'
import { SetOf, Text, Type } from '../schema/schema.ts'
import { searchedWords, wordsBeginning } from './search.ts'

/** One input of a list and the condition that it makes. `about` are its words where its type does not tell enough. */
export type Filter =
  | { readonly any_of: string; readonly about?: string | undefined }
  | { readonly compares: '=' | '<' | '>=' | '<='; readonly with: string }
  | { readonly is_set: string; readonly about: string }
  | { readonly begins_words: string; readonly by_words_of: Readonly<Record<string, string>> }
  | { readonly matches: TSchema; readonly where: Condition; readonly refers?: Referred | undefined }
  | { readonly shows_deleted: true }

type Condition = (value: never, organization_id: string) => Sql

export interface Filters {
  readonly [name: string]: Filter
}

/** Rows of which the column has one of the values. */
export const anyOf = <const Column extends string>(column: Column, about?: string) => ({ any_of: column, about })
export const equals = <const Column extends string>(column: Column) => ({ compares: '=', with: column }) as const
export const atLeast = <const Column extends string>(column: Column) => ({ compares: '>=', with: column }) as const
export const atMost = <const Column extends string>(column: Column) => ({ compares: '<=', with: column }) as const
/** True: rows where the column has a value; false: the others. */
export const isSet = (column: string, about: string) => ({ is_set: column, about })
/** Rows found by the beginnings of their words, and by those of other kinds, each by the id in a column. */
export const words = (about: string, by_words_of: Readonly<Record<string, string>> = {}) => ({
  begins_words: about,
  by_words_of,
})
/** A condition of its own, written by hand; `refers` names the rows that an id has to be one of. */
export const matching = <Schema extends TSchema>(
  matches: Schema,
  where: (value: Static<Schema>, organization_id: string) => Sql,
  refers?: Referred,
) => ({ matches, where, refers })
/** Without it a list leaves out the rows that have `deleted_at`. */
export const withDeleted = { shows_deleted: true } as const

/** The properties of a list's input. */
export type FilterSchemas<Of extends Filters, Row> = {
  -readonly [Name in Extract<keyof Of, string>]: TOptional<FilterSchema<Of[Name], Row>>
}
type FilterSchema<Of extends Filter, Row> = Of extends { any_of: infer Column extends keyof Row }
  ? TArray<TUnsafe<NonNullable<Row[Column]>>>
  : Of extends { with: infer Column extends keyof Row }
    ? TUnsafe<NonNullable<Row[Column]>>
    : Of extends { matches: infer Schema extends TSchema }
      ? Schema
      : Of extends { begins_words: string }
        ? TString
        : TBoolean

/** The values that a list is called with. */
export type FilterValues<Of extends Filters, Row> = {
  [Name in Extract<keyof Of, string>]?: Static<FilterSchema<Of[Name], Row>> | undefined
}

/** The facts that a filter needs of its table. */
export interface Filtered {
  readonly table: string
  /** Kinds of words that are those of the rows themselves. */
  readonly word_kinds: readonly string[]
  /** The value of a row that is called so; throws where there is none. */
  leaf(name: string): { field: Pick<ColumnField, 'type' | 'refers'>; expression: Sql }
}

export function filterProperties(filters: Filters, of: Filtered): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [name, Type.Optional(filterSchema(filter, of))]),
  )
}

function filterSchema(filter: Filter, of: Filtered): TSchema {
  if ('any_of' in filter) {
    return SetOf(of.leaf(filter.any_of).field.type, filter.about === undefined ? {} : { description: filter.about })
  }
  if ('compares' in filter) return { ...of.leaf(filter.with).field.type }
  if ('is_set' in filter) return Type.Boolean({ description: filter.about })
  if ('begins_words' in filter) return Text(2, 100, { description: filter.begins_words })
  if ('matches' in filter) return filter.matches
  return Type.Boolean({ description: 'Also those that were deleted.' })
}

/** The ids among the filters, each with what it refers to. */
export function referenceFilters(filters: Filters, of: Filtered): [name: string, refers: Referred][] {
  return Object.entries(filters).flatMap(([name, filter]): [string, Referred][] => {
    const refers =
      'compares' in filter ? of.leaf(filter.with).field.refers : 'matches' in filter ? filter.refers : undefined
    return refers ? [[name, refers]] : []
  })
}

/** The conditions of the filters that are given; an absent one restricts nothing, but deleted rows are left out. */
export function conditionsOf(
  filters: Filters,
  of: Filtered,
  organization_id: string,
  values: Readonly<Record<string, unknown>>,
): Sql[] {
  return Object.entries(filters).flatMap(([name, filter]) => {
    const value = values[name]
    if ('shows_deleted' in filter) return value === true ? [] : [sql`${raw(`${of.table}.deleted_at`)} is null`]
    if (value === undefined) return []
    if ('any_of' in filter) return [sql`${of.leaf(filter.any_of).expression} = any (${value})`]
    if ('compares' in filter) return [sql`${of.leaf(filter.with).expression} ${raw(filter.compares)} ${value}`]
    if ('is_set' in filter) return [sql`${of.leaf(filter.is_set).expression} is ${raw(value ? 'not null' : 'null')}`]
    // The cast holds because the input's schema is the filter's.
    if ('matches' in filter) return [filter.where(value as never, organization_id)]
    return conditionsOfWords(filter.by_words_of, of, organization_id, String(value))
  })
}

/** Each word of the search has to begin a word of the row or of a row whose id it holds. */
function conditionsOfWords(
  by_words_of: Readonly<Record<string, string>>,
  { table, word_kinds }: Filtered,
  organization_id: string,
  search: string,
): Sql[] {
  const searched = searchedWords(search)
  if (searched.length === 0) return [sql`false`]
  return searched.map((word) => {
    const own = word_kinds.map(
      (kind) => sql`select w.subject_id from search_words w where ${wordsBeginning(organization_id, kind, word)}`,
    )
    const others = Object.entries(by_words_of).map(
      ([kind, column]) => sql`
        select k.id from search_words w
        join ${raw(table)} k on k.organization_id = w.organization_id and k.${raw(column)} = w.subject_id
        where ${wordsBeginning(organization_id, kind, word)}`,
    )
    const [first = sql`select null::uuid`, ...rest] = [...own, ...others]
    const found = rest.reduce((all, next) => sql`${all} union all ${next}`, first)
    return sql`${raw(table)}.id in (${found})`
  })
}
