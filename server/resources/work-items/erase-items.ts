import { refuseWhileNamed } from '#core/dependents.ts'
import { sql } from '#db/database.ts'
import { alsoErase, erasedActor, erasedReason, inColumn, personErasing } from '#resources/people/index.ts'

/**
 * Items that may still be paid stand in the way of an erasure of their worker; of settled ones the worker's name and the
 * words of the review go. The description stays: it is a line of the invoice.
 */
export function eraseItems({ table }: { table: string }, places: { refusal: number; erasure: number }): void {
  refuseWhileNamed(personErasing, {
    ...{ place: places.refusal, table, standing: sql`status in ('pending', 'approved') and deleted_at is null` },
    ...{ column: 'worker_id', detail: `The ${table.replaceAll('_', ' ')} of this person are not settled yet.` },
  })
  alsoErase({
    ...{ place: places.erasure, table, whose: inColumn('worker_id') },
    set: sql`${erasedActor('submitted_by')}, ${erasedReason('review')}`,
  })
}
