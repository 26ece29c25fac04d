import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { type CustomFieldRow, customField } from './custom-field.ts'

export type Entity = CustomFieldRow['entity']

const tables = { person: 'people', contract: 'contracts' } as const

/**
 * The values of a row by the keys of their definitions, as `LabelledValues`: null where there is none, so that whether a
 * value is withheld or missing looks the same. Most organizations define nothing, which is found out once a statement:
 * each look into another table costs a row of a list some 5 µs under row-level security.
 */
export function shownValues(entity: Entity, values = `${tables[entity]}.custom_fields`): Sql {
  const defined = sql`
    from custom_fields f
    where f.organization_id = current_organization() and f.entity = ${raw(`'${entity}'`)} and f.deleted_at is null`
  const value = raw(`${values} -> f.id::text`)
  return sql`case when exists (select ${defined}) then (
    select jsonb_object_agg(f.key, case when f.category is null then ${value}
      else jsonb_build_object('category', f.category, 'value', ${value}) end) ${defined}
  ) else '{}' end`
}

/** The same of a row that has no values. */
export const noValues = (entity: Entity): Sql => shownValues(entity, `'{}'::jsonb`)

/** The definitions of an entity; those of these keys are held against a change until the transaction ends. */
export function definitionsOf(tx: Transaction, organization_id: string, entity: Entity, keys: readonly string[]) {
  const theirs = sql`organization_id = ${organization_id} and entity = ${entity} and deleted_at is null`
  if (keys.length > 0) tx.send(sql`select id from custom_fields where ${theirs} and key = any (${keys}) for share`)
  return tx.rows<CustomFieldRow>(sql`select ${customField.columns} from ${customField.tables} where ${theirs}`)
}

/** Counts the definitions of an entity; of two who add one the second waits. */
export async function countFields(tx: Transaction, { organization_id, entity }: CustomFieldRow): Promise<number> {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const counted = await tx.row<{ fields: number }>(sql`
    select count(*)::int as fields from custom_fields
    where organization_id = ${organization_id} and entity = ${entity} and deleted_at is null`)
  return counted?.fields ?? 0
}

/** An option that a person or contract still has, if there is one. Reads the whole organization: a rare question. */
export async function usedOption(
  tx: Transaction,
  { organization_id, id, entity }: CustomFieldRow,
  options: readonly string[],
): Promise<string | undefined> {
  const standing = raw(entity === 'person' ? 'and t.deleted_at is null' : '')
  const row = await tx.row<{ option: string }>(sql`
    select o.option from ${raw(tables[entity])} t join unnest(${options}::text[]) o (option)
      on t.custom_fields -> ${id}::text @> to_jsonb(o.option)
    where t.organization_id = ${organization_id} ${standing} limit 1`)
  return row?.option
}
