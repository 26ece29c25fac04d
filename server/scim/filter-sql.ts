import { isId } from '#core/values.ts'
import { join, raw, type Sql, sql } from '#db/database.ts'
import { type Attribute, type Place, partsOf, pathOf, type View } from './attribute.ts'
import { type Comparison, type Filter, isExact } from './match.ts'

/**
 * The condition that says what a filter says, of a row or, with `element`, of one element of a list. Every literal is bound.
 * Unknown counts as false at every level, so `not` asks for `is not true`, and a test alone stays in the form that an
 * index serves.
 */
export function conditionOf(filter: Filter, view: View, element?: Sql): Sql {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const [left, right] = filter.parts.map((part) => conditionOf(part, view, element))
      return sql`(${left} ${raw(filter.kind)} ${right})`
    }
    case 'not':
      return sql`(${conditionOf(filter.part, view, element)}) is not true`
    case 'element':
      return sql`exists (select 1 from jsonb_array_elements(${valueSql(filter.place, view)}) e
        where ${conditionOf(filter.part, view, raw('e'))})`
    default:
      return testOf(filter, element ? partOf(element, filter.place.sub) : valueSql(filter.place, view))
  }
}

/** The value at a place of a row, in the form of its type; of an attribute with parts, any of them that is assigned. */
export function valueSql(place: Place, view: View): Sql {
  const { type, stored } = place.sub ?? place.attribute
  if (place.is_absent) return absent[place.attribute.multiValued && !place.sub ? 'list' : type]
  if (stored) return stored.read(view, pathOf(place))
  const parts = partsOf(place).map((part) => sql`${valueSql(part, view)}::text`)
  return sql`coalesce(${join(parts, ', ')})`
}

const absent = {
  ...{ string: raw('null::text'), reference: raw('null::text'), complex: raw('null::text') },
  ...{ boolean: raw('null::boolean'), dateTime: raw('null::timestamptz'), list: raw(`'[]'::jsonb`) },
}

function partOf(element: Sql, sub: Attribute | undefined): Sql {
  if (!sub) return element
  const text = sql`${element} ->> ${sub.name}::text`
  return sub.type === 'boolean' ? sql`(${text})::boolean` : text
}

function testOf(filter: Filter & { kind: 'present' | 'compare' }, value: Sql): Sql {
  if (filter.kind === 'present') return sql`${value} is not null`
  const condition = comparisonOf(filter, value)
  // Of a value that is not there, `ne` is true.
  return filter.operator === 'ne' ? sql`(${condition}) is not false` : condition
}

function comparisonOf({ place, operator, value: literal }: Filter & { kind: 'compare' }, value: Sql): Sql {
  const { type, stored } = place.sub ?? place.attribute
  const sign = raw(signs[operator])
  if (typeof literal === 'boolean') return sql`${value} ${sign} ${literal}::boolean`
  if (type === 'dateTime') return sql`${value} ${sign} ${literal}::timestamptz`
  if (stored?.is_id && (operator === 'eq' || operator === 'ne')) {
    return isId(literal) ? sql`${value} ${sign} ${literal}::uuid` : raw(operator === 'ne' ? 'true' : 'false')
  }
  if (isExact(place)) return textTest(sql`(${value})::text`, operator, sql`${literal}::text`)
  return textTest(stored?.folded ?? sql`lower(${value})`, operator, sql`lower(${literal}::text)`)
}

const signs: Record<Comparison, string> = {
  ...{ eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' },
  // Booleans and times take none of these: the parser has refused them.
  ...{ co: '=', sw: '=', ew: '=' },
}

/** Texts are ordered by their bytes, whatever the database is set to. */
function textTest(value: Sql, operator: Comparison, literal: Sql): Sql {
  switch (operator) {
    case 'co':
      return sql`position(${literal} in ${value}) > 0`
    case 'sw':
      return sql`starts_with(${value}, ${literal})`
    case 'ew':
      return sql`right(${value}, length(${literal})) = ${literal}`
    case 'eq':
    case 'ne':
      return sql`${value} ${raw(signs[operator])} ${literal}`
    default:
      return sql`${value} collate "C" ${raw(signs[operator])} ${literal}`
  }
}
