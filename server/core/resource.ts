import type { Static, TObject, TProperties } from 'typebox'
import { type Sql, sql } from '#db/database.ts'
import {
  conditionsOf,
  type FilterSchemas,
  type Filters,
  type FilterValues,
  filterProperties,
  referenceFilters,
} from './lists/filters.ts'
import type { ListQuery } from './lists/list.ts'
import type { Context } from './operation.ts'
import { referenceNotFound } from './problems.ts'
import {
  type AnswerOf,
  answerProperties,
  type ChangedOf,
  type ComputedOf,
  changeProperties,
  createProperties,
  exampleOfField,
  type Field,
  type Fields,
  type GivenOf,
  isComputed,
  isGroup,
  isRef,
  type NewRowOf,
  type RowOf,
} from './schema/fields.ts'
import { Id, type Page, Type } from './schema/schema.ts'
import { describeTable, exists, rowsOf, type Table, type TableDefinition, valueIn } from './table.ts'

type Rows<Of extends Fields, Own extends Fields> = RowOf<Of, Own> & { organization_id: string }

/** A noun as its entity table describes it; the order of the fields is that of its answers. */
interface Definition<Name extends string, Of extends Fields, Own extends Fields, In extends Filters, Told>
  extends TableDefinition {
  /** In the singular: its id is called `<name>_id`. */
  readonly name: Name
  /** Name of the answer's schema in the reference. */
  readonly title?: string
  readonly fields: Of
  readonly internal?: Own
  /** Computes the parts of answers that no column holds. */
  readonly compute?: (row: Rows<Of, Own>) => ComputedOf<Of>
  readonly filters?: In
  /** The fields that its events tell, in their order; `id` is called `<name>_id` there. */
  readonly told?: Told
}

type EntryOf<Name extends string, Of extends Fields, Told extends readonly string[]> = {
  [Key in Told[number] as Key extends 'id' ? `${Name}_id` : Key]: Key extends keyof AnswerOf<Of>
    ? AnswerOf<Of>[Key]
    : never
}

/** The row of a resource. */
export type RowFrom<Resource extends { show(row: never): unknown }> = Parameters<Resource['show']>[0]

/**
 * Derives from one description of a noun the schemas of its answer and inputs, the type and the columns of its row, its
 * insert and update, the filters of its lists and the entries of its events. No relations, no query language: what is
 * more than a row by its id is SQL of the noun's store.
 */
export function defineResource<
  const Name extends string,
  const Of extends Fields,
  const Own extends Fields = Record<never, never>,
  const In extends Filters = Record<never, never>,
  const Told extends readonly Extract<keyof Of, string>[] = readonly [],
>(definition: Definition<Name, Of, Own, In, Told>) {
  type Row = Rows<Of, Own>
  type Entry = EntryOf<Name, Of, Told>
  type EntryRow = RowOf<Pick<Of, Told[number]>>
  const { name, table, fields, title, told = [] } = definition
  const of = describeTable(definition)
  const properties = answerProperties(fields)
  const fieldsOf = readerOf(fields)
  const toldOf = readerOf(Object.fromEntries(told.map((field) => [field, fields[field] as Field])))
  // The cast holds because both follow the definition field by field.
  const show = (row: Row) => fieldsOf(row, definition.compute?.(row)) as Static<TObject<AnswerOf<Of>>>

  return {
    /** Columns to select, and the tables to select them from. */
    columns: of.columns,
    tables: of.tables,
    /** For those that refer to it. */
    table,
    ...(definition.label !== undefined && { label: definition.label }),
    ...(definition.soft_delete && { soft_delete: definition.soft_delete }),

    answer: Type.Object(properties, title === undefined ? {} : { title }),
    /** Shows a row as answers do. */
    show,
    /** The input that names one of them. */
    // The cast tells the compiler the computed name.
    path: { [`${name}_id`]: Id } as { [Key in `${Name}_id`]: typeof Id },
    create: createProperties(fields),
    change: changeProperties(fields),
    /** Values that a create gives, by column; whatever else is in the input is left out. */
    // The casts hold because an input of these properties has been checked.
    given: (input: object) => givenIn(fields, input) as GivenOf<Of>,
    /** Values that a change gives, by column. */
    changed: (input: object) => givenIn(fields, input) as ChangedOf<Of>,
    /** A row where nobody has done anything yet: null or its initial value where none is given. */
    newRow: (values: NewRowOf<Of, Own> & { organization_id: string }) =>
      // The cast holds because what the type lets be absent is null or has an initial value.
      ({ ...initialOf(of), ...values }) as unknown as Row,

    ...rowsOf<Row>(definition, of),
    ...listsOf<In, Row, Static<TObject<AnswerOf<Of>>>>(definition, of, show),

    /** The entry of an event about it: the properties, the values of a row, and an example. */
    // The casts hold because the type follows the same names as the values.
    entry: entryOf(name, told, properties) as Entry,
    entryOf: (row: EntryRow) => entryOf(name, told, toldOf(row, {})) as Static<TObject<Entry>>,
    entryExample: entryOf(name, told, examplesOf(properties)) as Static<TObject<Entry>>,
  }
}

function listsOf<In extends Filters, Row, Answer>(
  { table, filters = {}, words = {}, only }: TableDefinition & { readonly filters?: Filters },
  of: Table,
  show: (row: Row) => Answer,
) {
  const filtered = { table, word_kinds: Object.keys(words), leaf: of.leaf }
  const references = referenceFilters(filters, filtered)
  const list = (organization_id: string, values: FilterValues<In, Row>, also: readonly Sql[] = []): ListQuery => ({
    columns: of.columns,
    from: of.tables,
    where: [
      sql`${of.leaf('organization_id').expression} = ${organization_id}`,
      ...(only ? [only] : []),
      ...also,
      ...conditionsOf(filters, filtered, organization_id, values),
    ],
    order: [`${table}.created_at`, `${table}.id`],
    updated_at: `${table}.updated_at`,
  })
  return {
    /** The input of its lists, beside that of their pages. */
    // The cast holds because the type follows the same cases as `filterProperties`.
    filters: filterProperties(filters, filtered) as FilterSchemas<In, Row>,
    list,
    /** One page of answers. A filter whose id names nothing is refused; only an empty list is looked into for that. */
    async page(
      { caller: { organization_id }, tx, page }: Pick<Context, 'caller' | 'tx' | 'page'>,
      values: FilterValues<In, Row>,
      also: readonly Sql[] = [],
    ): Promise<Page<Answer>> {
      const found = await page<Row & object, Answer>(list(organization_id, values, also), show)
      if (found.total_count > 0) return found
      for (const [filter, refers] of references) {
        const id = valueIn(values, filter)
        if (id === undefined || (await exists(tx, refers, organization_id, String(id)))) continue
        throw referenceNotFound(undefined, { errors: [{ pointer: `/${filter}`, message: 'does not exist' }] })
      }
      return found
    },
  }
}

function initialOf({ leaves }: Table): Record<string, unknown> {
  const begun = leaves.filter(({ field }) => field.nullable || field.initial !== undefined)
  return Object.fromEntries(begun.map(({ name, field }) => [name, field.initial ?? null]))
}

type Reader = (row: object, computed?: object) => object

/**
 * Reads the fields out of a row as answers show them. Written as an object literal, since an object that is filled field by
 * field loses its fixed shape: showing it and writing it as JSON took 75 µs in place of 31 (busy machine, 2026-11-22).
 */
export function readerOf(fields: Fields): Reader {
  // The cast holds for the function as it is written here, of names that definitions alone hold.
  return new Function('row', 'computed', `return ${textOf(fields)}`) as Reader
}

function textOf(fields: Fields): string {
  const members = Object.entries(fields).map(([name, field]) => `${name}: ${readingOf(name, field)}`)
  return `{ ${members.join(', ')} }`
}

function readingOf(name: string, field: Field): string {
  if (isGroup(field)) return textOf(field.group)
  if (isComputed(field)) return `computed.${name}`
  if (isRef(field)) return `row.${name}_id === null ? null : { id: row.${name}_id, name: row.${name}_name ?? '' }`
  return `row.${field.column ?? name}`
}

function givenIn(fields: Fields, input: object): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (isComputed(field)) continue
    const value = valueIn(input, isRef(field) ? `${name}_id` : name)
    if (value === undefined) continue
    if (isGroup(field)) Object.assign(found, givenIn(field.group, Object(value)))
    else if (isRef(field)) found[`${name}_id`] = value
    // The cast holds because the value is of the field's type.
    else found[field.column ?? name] = field.stored && value !== null ? field.stored(value as never) : value
  }
  return found
}

function entryOf(name: string, told: readonly string[], values: object): Record<string, unknown> {
  return Object.fromEntries(told.map((field) => [field === 'id' ? `${name}_id` : field, valueIn(values, field)]))
}

function examplesOf(properties: TProperties): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOfField(schema) ?? null]))
}
