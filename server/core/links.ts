import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { referenceNotFound } from './problems.ts'
import type { RefsField } from './schema/fields.ts'

type Ref = { id: string; name: string }
type Owner = { organization_id: string; id?: unknown }

/** The rows that a row of `table` is linked to, as `{id, name}` in the order of their names. */
export function linksOf(table: string, { refers_each, links }: RefsField): Sql {
  const { linked, label } = namesOf(refers_each)
  return sql`(
    select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', ${label}) order by ${label}), '[]')
    from ${raw(links.table)} l
    join ${linked} r on r.organization_id = l.organization_id and r.id = l.${raw(links.other)}
    where l.organization_id = ${raw(table)}.organization_id and l.${raw(links.own)} = ${raw(table)}.id)`
}

/** The rows that are about to be linked, in the order of their names, each held against deletion; `pointer` is the list's. */
export async function holdLinked(
  tx: Transaction,
  { refers_each }: RefsField,
  organization_id: string,
  ids: readonly string[],
  pointer: string,
): Promise<Ref[]> {
  if (ids.length === 0) return []
  const { linked, label } = namesOf(refers_each)
  const existing = raw(refers_each.soft_delete ? 'and deleted_at is null' : '')
  const rows = await tx.rows<Ref>(sql`
    select r.id, ${label} as name from ${linked} r
    where organization_id = ${organization_id} and id = any (${ids}) ${existing} order by ${label} for key share`)
  const errors = ids.flatMap((id, place) =>
    rows.some((row) => row.id === id) ? [] : [{ pointer: `${pointer}/${place}`, message: 'does not exist' }],
  )
  if (errors.length > 0) throw referenceNotFound(undefined, { errors })
  return rows
}

/** Links a row to those that are new among `after`, and takes the links to those that are gone. */
export function writeLinks(
  tx: Transaction,
  { links }: RefsField,
  { organization_id, id }: Owner,
  [before, after]: readonly [readonly Ref[], readonly Ref[]],
): void {
  const without = (refs: readonly Ref[], others: readonly Ref[]) =>
    refs.flatMap((ref) => (others.some((other) => other.id === ref.id) ? [] : [ref.id]))
  const [table, own, other] = [raw(links.table), raw(links.own), raw(links.other)]
  const [gone, come] = [without(before, after), without(after, before)]
  if (gone.length > 0)
    tx.send(sql`
      delete from ${table}
      where organization_id = ${organization_id} and ${own} = ${id} and ${other} = any (${gone})`)
  if (come.length > 0)
    tx.insert(sql`
      insert into ${table} (organization_id, ${own}, ${other}, created_at)
      select ${organization_id}::uuid, ${id}::uuid, linked, ${tx.now}::timestamptz from unnest(${come}::uuid[]) linked`)
}

const namesOf = ({ table, label = 'name' }: RefsField['refers_each']) => ({
  linked: raw(table),
  label: raw(`r.${label}`),
})
