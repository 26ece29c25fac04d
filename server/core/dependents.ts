import { raw, type Sql, sql } from '#db/database.ts'
import { hasDependents } from './problems.ts'
import { type Happening, on } from './reaction.ts'

/** Rows of a table that stand in the way of a removal while this condition holds. */
export interface Dependents {
  readonly table: string
  readonly standing: Sql
}

interface Refusal extends Dependents {
  /** Order among the reactions to the removal. */
  readonly place: number
  /** The column that names the row that is removed. */
  readonly column: string
  readonly detail: string
}

/** Refuses the removal of a row as long as one of these rows names it. */
export function refuseWhileNamed<Row extends { organization_id: string; id: string }>(
  removing: Happening<Row>,
  { place, table, standing, column, detail }: Refusal,
): void {
  on(removing, {
    place,
    emits: [],
    async react({ organization_id, id }, { tx }) {
      const row = await tx.row(sql`
        select id from ${raw(table)}
        where organization_id = ${organization_id} and ${raw(column)} = ${id} and ${standing} limit 1`)
      if (row) throw hasDependents(detail)
    },
  })
}
