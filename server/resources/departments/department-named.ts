import type { Context } from '#core/operation.ts'
import { departmentsNamed } from './department.store.ts'
import { department, departmentEvents } from './department.ts'

/** The id of the department of this name, held; one that does not exist is made at the top. Undefined where several have it. */
export async function departmentNamed(
  {
    tx,
    caller: { organization_id },
    newId,
    emit,
  }: Pick<Context<typeof departmentEvents.created>, 'tx' | 'caller' | 'newId' | 'emit'>,
  name: string,
): Promise<string | undefined> {
  const [only, other] = await departmentsNamed(tx, organization_id, name)
  if (only) return other ? undefined : only.id
  const row = department.newRow(tx, { organization_id, id: newId(), name })
  await department.insert(tx, row)
  emit(departmentEvents.created, department.entryOf(row))
  return row.id
}
