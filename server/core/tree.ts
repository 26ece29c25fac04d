import { raw, sql, type Transaction } from '#db/database.ts'
import { hierarchyCycle } from './problems.ts'

/** A table whose rows stand below one another. */
interface Tree {
  readonly table: string
  /** The column that names the row above. */
  readonly parent: string
  readonly levels_max?: number
}

/** Counted this far at most: without a maximum of its own a tree may be as deep as it likes. */
const levels_counted_max = 10_000

/**
 * Refuses a place below `parent_id` where a row, or one of several, would stand below itself, or too deep with all that is below
 * it. Changes of an organization's trees wait for one another, since two that are right alone can make a circle together.
 */
export async function requirePlace(
  tx: Transaction,
  { table, parent, levels_max = levels_counted_max }: Tree,
  { organization_id, id, parent_id }: { organization_id: string; id: string | readonly string[]; parent_id: string },
): Promise<void> {
  const ids = [id].flat()
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const place = await tx.row<{ is_circle: boolean; levels: number }>(sql`
    with recursive above (id, level) as (
      select ${parent_id}::uuid, 1
      union all
      select t.${raw(parent)}, a.level + 1 from above a
      join ${raw(table)} t on t.organization_id = ${organization_id} and t.id = a.id
      where t.${raw(parent)} is not null and a.id <> all (${ids}::uuid[]) and a.level <= ${levels_max}::int
    ), below (id, level) as (
      select id, 1 from unnest(${ids}::uuid[]) id
      union all
      select t.id, b.level + 1 from below b
      join ${raw(table)} t on t.organization_id = ${organization_id} and t.${raw(parent)} = b.id
      where t.deleted_at is null and b.level <= ${levels_max}::int and ${levels_max < levels_counted_max}::boolean
    )
    select exists (select from above where id = any (${ids}::uuid[])) as is_circle,
           (select max(level) from above) + (select max(level) from below) as levels`)
  if (place?.is_circle) throw refusal('is the same one or stands below it', parent)
  if (place && place.levels > levels_max) throw refusal(`leaves a tree of more than ${levels_max} levels`, parent)
}

function refusal(message: string, parent: string) {
  return hierarchyCycle(undefined, { errors: [{ pointer: `/${parent}`, message }] })
}
