import { isId } from '#core/values.ts'
import { join, raw, type Sql, sql } from '#db/database.ts'
import { isList, type Place, type Reader } from './attribute.ts'
import type { Comparison, Filter } from './filter.ts'

/**
 * The condition that a filter is, of a row or, with `element`, of one element of a list; every literal is bound. Unknown counts
 * as false at every level, so `not` asks for `is not true`, and a test alone stays in the form that an index serves.
 */
export function conditionOf(filter: Filter, reader: Reader, element?: Sql): Sql {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const [left, right] = filter.parts.map((part) => conditionOf(part, reader, element))
      return sql`(${left} ${raw(filter.kind)} ${right})`
    }
    case 'not':
      return sql`(${conditionOf(filter.part, reader, element)}) is not true`
    case 'element':
      return sql`exists (select 1 from jsonb_array_elements(${valueSql(filter.place, reader)}) e
        where ${conditionOf(filter.part, reader, raw('e'))})`
    default: {
      const value = element ? partSql(element, filter.place) : valueSql(filter.place, reader)
      if (filter.kind === 'present') return sql`${value} is not null`
      const condition = comparisonOf(filter, value)
      // Of a value that is not there, `ne` is true.
      return filter.operator === 'ne' ? sql`(${condition}) is not false` : condition
    }
  }
}

const forms: Readonly<Record<string, string>> = { boolean: 'boolean', dateTime: 'timestamptz' }

/** The place in the statement of a type that lacks it: unassigned (RFC 7644 §3.4.2.1). */
export function unassigned(place: Place): Place {
  const { own, parts, whole } = place
  const read = () => raw(isList(place) ? `'[]'::jsonb` : `null::${forms[own.type] ?? 'text'}`)
  const absent = { ...place, own: { ...own, stored: { read } }, parts: parts.map(unassigned) }
  return whole ? { ...absent, whole: unassigned(whole) } : absent
}

/** The value at a place of a row, in the form of its type; of an attribute with parts, any of them that is assigned. */
export function valueSql({ own: { stored }, path, parts }: Place, reader: Reader): Sql {
  if (stored) return stored.read(reader, path)
  return sql`coalesce(${join(
    parts.map((part) => sql`${valueSql(part, reader)}::text`),
    ', ',
  )})`
}

function partSql(element: Sql, { own, whole }: Place): Sql {
  if (!whole) return element
  const text = sql`${element} ->> ${own.name}::text`
  return own.type === 'boolean' ? sql`(${text})::boolean` : text
}

function comparisonOf({ place, operator, value: literal }: Filter & { kind: 'compare' }, value: Sql): Sql {
  const { type, caseExact, stored } = place.own
  const [form, sign] = [forms[type], raw(signs[operator])]
  if (form) return sql`${value} ${sign} ${literal}::${raw(form)}`
  if (stored?.is_id && (operator === 'eq' || operator === 'ne'))
    return isId(String(literal)) ? sql`${value} ${sign} ${literal}::uuid` : raw(`${operator === 'ne'}`)
  if (caseExact) return textTest(sql`(${value})::text`, operator, sql`${literal}::text`)
  return textTest(stored?.folded ?? sql`lower(${value})`, operator, sql`lower(${literal}::text)`)
}

/** Tests of parts of texts are none of booleans and times: the parser has refused them. */
const signs = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=', co: '', sw: '', ew: '' }

function textTest(value: Sql, operator: Comparison, literal: Sql): Sql {
  if (operator === 'co') return sql`position(${literal} in ${value}) > 0`
  if (operator === 'sw') return sql`starts_with(${value}, ${literal})`
  if (operator === 'ew') return sql`right(${value}, length(${literal})) = ${literal}`
  // Texts are ordered by their bytes, whatever the database is set to; equal ones are found by an index.
  const order = raw(operator === 'eq' || operator === 'ne' ? '' : 'collate "C"')
  return sql`${value} ${order} ${raw(signs[operator])} ${literal}`
}
