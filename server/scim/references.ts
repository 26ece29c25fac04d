import type { Context } from '#core/operation.ts'
import { Problem } from '#core/problems.ts'
import { requirePlace } from '#core/tree.ts'
import { sql } from '#db/database.ts'
import { department, departmentEvents } from '#resources/departments/index.ts'
import type { PersonRow } from '#resources/people/index.ts'
import { refuse } from './errors.ts'
import { findManager } from './users.store.ts'

/** The department of this name; one that does not exist is made at the top (design 4). */
export async function holdDepartment(
  { tx, caller: { organization_id }, newId, emit }: Context<typeof departmentEvents.created>,
  name: string | null,
): Promise<Pick<PersonRow, 'department_id' | 'department_name'>> {
  if (name === null) return { department_id: null, department_name: null }
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const found = await tx.rows<{ id: string }>(sql`
    select id from departments where organization_id = ${organization_id} and name = ${name} and deleted_at is null
    order by parent_id nulls first limit 2 for key share`)
  const [only, other] = found
  if (only && !other) return { department_id: only.id, department_name: name }
  if (other) throw refuse('invalidValue', `department: several departments are called ${name}.`)
  const row = department.newRow(tx, { organization_id, id: newId(), name })
  await department.insert(tx, row)
  emit(departmentEvents.created, department.entryOf(row))
  return { department_id: row.id, department_name: name }
}

/** The manager whom a value names; one who is nobody yet is kept as it was sent, and found later. */
export async function holdManager(
  { tx, caller: { organization_id } }: Pick<Context, 'tx' | 'caller'>,
  { id }: PersonRow,
  value: string | null,
): Promise<Pick<PersonRow, 'manager_id' | 'manager_name' | 'manager_ref'>> {
  const manager_id = value === null ? null : await findManager(tx, organization_id, value)
  if (manager_id === null) return { manager_id: null, manager_name: null, manager_ref: value }
  try {
    await requirePlace(tx, { table: 'people', parent: 'manager_id' }, { organization_id, id, parent_id: manager_id })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw refuse('invalidValue', 'manager: a person cannot report to itself or to those who report to it.')
  }
  const row = await tx.row<{ full_name: string }>(sql`
    select full_name from people where organization_id = ${organization_id} and id = ${manager_id} for key share`)
  return { manager_id, manager_name: row?.full_name ?? null, manager_ref: null }
}
