import { referenceNotFound } from '../problems.ts'
import type { Page } from '../schema/schema.ts'

/** A filter by id: its name on the wire, the id, and how to see whether the id names something. */
export type ReferenceFilter = [name: string, id: string | undefined, exists: (id: string) => Promise<boolean>]

/**
 * Refuses a list whose filter names a missing row. A filter that found something names something, so only an empty
 * list is looked into: the usual one costs no further statement.
 */
export async function refuseUnknownFilters(
  { total_count }: Pick<Page<unknown>, 'total_count'>,
  filters: readonly ReferenceFilter[],
): Promise<void> {
  if (total_count > 0) return
  for (const [name, id, exists] of filters) {
    if (id === undefined || (await exists(id))) continue
    throw referenceNotFound(undefined, { errors: [{ pointer: `/${name}`, message: 'does not exist' }] })
  }
}
