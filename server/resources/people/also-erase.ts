import { on } from '#core/reaction.ts'
import { moved } from '#core/table.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import { erased_name, personErasing } from './person.ts'

interface Kept {
  /** Order among the reactions to an erasure; those that refuse it come first. */
  readonly place: number
  readonly table: string
  /** The condition of the rows that are about the person of this id. */
  whose(id: string): Sql
  /** Assignments that take the personal data off these rows. */
  readonly set: Sql
}

/** Names personal data that a noun keeps beside the person: they go with an erasure. */
export function alsoErase({ place, table, whose, set }: Kept): void {
  on(personErasing, {
    place,
    emits: [],
    async react({ organization_id, id }, { tx }) {
      await tx.run(sql`
        update ${raw(table)} set ${set}, ${moved(tx)}
        where organization_id = ${organization_id} and ${whose(id)}`)
    },
  })
}

/** Rows with the person in this column. */
export const inColumn = (column: string) => (id: string) => sql`${raw(column)} = ${id}`

/** A signature of somebody who is erased; where nobody signed there is none. */
export const erasedName = (column: string): Sql =>
  sql`${raw(column)} = case when ${raw(column)} is not null then ${erased_name}::text end`

/** An actor where it is a worker, who is one that is erased; others keep their names. */
export const erasedActor = (column: string): Sql => sql`${raw(column)} = case when ${raw(column)} ->> 'kind' = 'worker'
  then jsonb_set(${raw(column)}, '{name}', to_jsonb(${erased_name}::text)) else ${raw(column)} end`

/** The words beside a review or a termination. */
export const erasedReason = (column: string): Sql =>
  sql`${raw(column)} = jsonb_set(${raw(column)}, '{reason}', 'null', false)`
