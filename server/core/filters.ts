import type { Static, TArray, TBoolean, TOptional, TSchema, TString, TUnsafe } from 'typebox'
import { raw, type Sql, sql } from '#db/database.ts'
import type { Referred } from './schema/fields.ts'
import { SetOf, Text, Type } from './schema/schema.ts'
import { conditionOfWords } from './table.ts'

/** One input of a list and the condition that it makes. */
interface Filter {
  /** The column that it looks at, if it is one. */
  readonly column?: string
  /** Its schema, made from the type of the column. */
  readonly schema: (type: TSchema) => TSchema
  readonly where: (value: never, place: Place) => Sql
  /** The rows that an id has to be one of, where the column does not tell. */
  readonly refers?: Referred | undefined
}

interface Place {
  readonly expression: Sql
  readonly organization_id: string
  readonly table: string
  /** Kinds of words that are those of the rows themselves. */
  readonly word_kinds: readonly string[]
}

export interface Filters {
  readonly [name: string]: Filter
}

/** Rows of which the column has one of the values. */
export const anyOf = <const Column extends string>(column: Column, about?: string) => ({
  any_of: column,
  column,
  schema: (type: TSchema) => SetOf(type, about === undefined ? {} : { description: about }),
  where: (value: unknown, { expression }: Place) => sql`${expression} = any (${value})`,
})

const comparing =
  (operator: '=' | '>=' | '<=') =>
  <const Column extends string>(column: Column) => ({
    with: column,
    column,
    schema: (type: TSchema) => ({ ...type }),
    where: (value: unknown, { expression }: Place) => sql`${expression} ${raw(operator)} ${value}`,
  })
export const equals = comparing('=')
export const atLeast = comparing('>=')
export const atMost = comparing('<=')

/** True: rows where the column has a value; false: the others. */
export const isSet = (column: string, about: string) => ({
  column,
  schema: () => Type.Boolean({ description: about }),
  where: (value: boolean, { expression }: Place) => sql`${expression} is ${raw(value ? 'not null' : 'null')}`,
})

/** Rows found by the beginnings of their words, and by those of other kinds, each by the id in a column. */
export const words = (about: string, by_words_of: Readonly<Record<string, string>> = {}) => ({
  begins_words: true,
  schema: () => Text(2, 100, { description: about }),
  where: (search: string, place: Place) => conditionOfWords(by_words_of, place, search),
})

/** A condition of its own, written by hand; `refers` names the rows that an id has to be one of. */
export const matching = <Schema extends TSchema>(
  matches: Schema,
  where: (value: Static<Schema>, organization_id: string) => Sql,
  refers?: Referred,
) => ({
  matches,
  schema: () => matches,
  where: (value: Static<Schema>, { organization_id }: Place) => where(value, organization_id),
  refers,
})

/** Without it a list leaves out the rows that have `deleted_at`. */
export const withDeleted = {
  schema: () => Type.Boolean({ description: 'Also those that were deleted.' }),
  where: (value: boolean | undefined, { table }: Place) =>
    value ? raw('true') : sql`${raw(`${table}.deleted_at`)} is null`,
}

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
      : Of extends { begins_words: boolean }
        ? TString
        : TBoolean

/** The values that a list is called with. */
export type FilterValues<Of extends Filters, Row> = {
  [Name in Extract<keyof Of, string>]?: Static<FilterSchema<Of[Name], Row>> | undefined
}
