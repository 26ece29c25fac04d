import { isId } from '#core/values.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import { findPlace, type Reader } from './attribute.ts'
import { conditionOf, valueSql } from './filter-sql.ts'
import type { Filter } from './match.ts'
import { group_type } from './schema.ts'

/** A change of members by sets of ids, so that the members are never loaded. */
export interface MemberChange {
  readonly coming?: readonly string[]
  /** The people who leave: these, those whom a filter finds, or all others than those who come. */
  readonly leaving?: readonly string[] | Filter | 'others'
}

/** The condition on `person_id` that names who leaves a group; whom the client sees no more goes as well. */
export function leavingOf(
  { organization_id, id }: { organization_id: string; id: string },
  { leaving, coming = [] }: MemberChange,
  reader: Reader,
): Sql {
  if (leaving === 'others') return sql`person_id <> all (${coming}::uuid[])`
  const members = findPlace(group_type, 'members')
  if (!leaving || !members) throw new Error('nobody leaves')
  if (!('kind' in leaving)) return sql`person_id = any (${leaving.filter(isId)}::uuid[])`
  return sql`person_id::text in (
    select e ->> 'value' from teams cross join lateral jsonb_array_elements(${valueSql(members, reader)}) e
    where teams.organization_id = ${organization_id} and teams.id = ${id} and ${conditionOf(leaving, reader, raw('e'))})`
}
