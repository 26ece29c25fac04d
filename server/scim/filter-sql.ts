import { isId } from '#core/values.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import { refuse } from './errors.ts'
import { type Comparison, type Filter, isExact } from './filter.ts'
import { keyOf, type Place } from './schema.ts'

/**
 * The place of an attribute in the database, in the form of its schema: a text, a boolean, a time, or a list of objects as
 * `jsonb`. Nothing here comes from a request.
 */
export interface Column {
  readonly expression: Sql
  /** The same in lower case, where an index serves it. */
  readonly folded?: Sql
  /** Ids of the service: only a UUID can be one. */
  readonly is_id?: true
}

/** The columns of a resource type by the keys of their places (`keyOf`); of a list there is one for the whole. */
export type Columns = Readonly<Record<string, Column>>

/**
 * The condition that says what a filter says. Every literal is bound. Unknown counts as false at every level, so `not` asks
 * for `is not true`, and a test alone stays in the form that an index serves.
 */
export function conditionOf(filter: Filter, columns: Columns): Sql {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const [left, right] = filter.parts.map((part) => conditionOf(part, columns))
      return sql`(${left} ${raw(filter.kind)} ${right})`
    }
    case 'not':
      return sql`(${conditionOf(filter.part, columns)}) is not true`
    case 'element':
      return anyElement(filter.place, columns, (part) => elementCondition(filter.part, part))
    default:
      return filter.place.attribute.multiValued
        ? anyElement(filter.place, columns, (part) => elementCondition(filter, part))
        : testOf(filter, columnAt(columns, filter.place))
  }
}

type Test = Filter & { kind: 'present' | 'compare' }

/** A test of a list holds if one of its elements satisfies it. */
function anyElement(place: Place, columns: Columns, condition: (partOf: (name: string) => Sql) => Sql): Sql {
  const { expression } = columnAt(columns, { ...place, sub: undefined })
  return sql`exists (
    select 1 from jsonb_array_elements(${expression}) e where ${condition((name) => sql`e ->> ${name}::text`)})`
}

function elementCondition(filter: Filter, partOf: (name: string) => Sql): Sql {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const [left, right] = filter.parts.map((part) => elementCondition(part, partOf))
      return sql`(${left} ${raw(filter.kind)} ${right})`
    }
    case 'not':
      return sql`(${elementCondition(filter.part, partOf)}) is not true`
    case 'element':
      return raw('false')
    default: {
      const { sub } = filter.place
      if (!sub) return raw('true')
      const text = partOf(sub.name)
      return testOf(filter, { expression: sub.type === 'boolean' ? sql`(${text})::boolean` : text })
    }
  }
}

function columnAt(columns: Columns, place: Omit<Place, 'sub'> & { sub?: Place['sub'] | undefined }): Column {
  const { sub, ...rest } = place
  const column = columns[keyOf(sub ? { ...rest, sub } : rest)]
  if (!column) throw refuse('invalidFilter', `${keyOf(sub ? { ...rest, sub } : rest)} cannot be filtered by.`)
  return column
}

function testOf(filter: Test, column: Column): Sql {
  const { expression } = column
  if (filter.kind === 'present') return sql`${expression} is not null`
  const { operator, value, place } = filter
  const { type } = place.sub ?? place.attribute
  // Of a value that is not there, `ne` is true.
  const orAbsent = (condition: Sql) => (operator === 'ne' ? sql`(${condition}) is not false` : condition)
  if (typeof value === 'boolean') return orAbsent(sql`${expression} ${raw(signs[operator])} ${value}::boolean`)
  if (type === 'dateTime') return orAbsent(sql`${expression} ${raw(signs[operator])} ${value}::timestamptz`)
  if (column.is_id) return orAbsent(idTest(expression, operator, value))
  if (isExact(place)) return orAbsent(textTest(expression, operator, sql`${value}::text`))
  return orAbsent(textTest(column.folded ?? sql`lower(${expression})`, operator, sql`lower(${value}::text)`))
}

const signs: Record<Comparison, string> = {
  ...{ eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' },
  // Booleans and times take none of these: the parser has refused them.
  ...{ co: '=', sw: '=', ew: '=' },
}

/** Texts are ordered by their bytes, whatever the database is set to. */
function textTest(expression: Sql, operator: Comparison, value: Sql): Sql {
  switch (operator) {
    case 'co':
      return sql`position(${value} in ${expression}) > 0`
    case 'sw':
      return sql`starts_with(${expression}, ${value})`
    case 'ew':
      return sql`right(${expression}, length(${value})) = ${value}`
    case 'eq':
    case 'ne':
      return sql`${expression} ${raw(signs[operator])} ${value}`
    default:
      return sql`${expression} collate "C" ${raw(signs[operator])} ${value}`
  }
}

function idTest(expression: Sql, operator: Comparison, value: string): Sql {
  const isOrdered = operator !== 'eq' && operator !== 'ne'
  if (isOrdered) return textTest(sql`${expression}::text`, operator, sql`${value}::text`)
  if (!isId(value)) return raw(operator === 'ne' ? 'true' : 'false')
  return sql`${expression} ${raw(signs[operator])} ${value}::uuid`
}
