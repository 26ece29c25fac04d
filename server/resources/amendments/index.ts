import { on } from '#core/reaction.ts'
import { sql } from '#db/database.ts'
import { contractEnding } from '#resources/contracts/index.ts'
import { alsoErase, erasedActor, erasedName } from '#resources/people/index.ts'
import { endAmendments, withdrawAmendment, workerDeclineAmendment } from './decline-amendment.ts'
import { createAmendment, updateAmendment } from './draft-amendment.ts'
import { amendmentDeclined, amendmentStatusUpdated } from './events.ts'
import { amendmentEffective } from './move-amendment.ts'
import { getAmendment, listAmendments, workerGetAmendment, workerListAmendments } from './read-amendments.ts'
import { sandboxSignAmendment, signAmendment, workerSignAmendment } from './sign-amendment.ts'

export const amendmentOperations = [
  listAmendments,
  createAmendment,
  getAmendment,
  updateAmendment,
  signAmendment,
  withdrawAmendment,
  workerListAmendments,
  workerGetAmendment,
  workerSignAmendment,
  workerDeclineAmendment,
  sandboxSignAmendment,
]
export { amendment } from './amendment.ts'
export { agreedTerms } from './draft-amendment.ts'
export const amendmentTimers = [amendmentEffective]

alsoErase({
  ...{ place: 5, table: 'amendments' },
  whose: (id) => sql`contract_id in (
    select c.id from contracts c where c.organization_id = amendments.organization_id and c.worker_id = ${id})`,
  set: sql`${erasedName('worker_name')}, ${erasedActor('declined_by')}, decline_reason = null, reason = null`,
})

on(contractEnding, { place: 1, emits: [amendmentDeclined, amendmentStatusUpdated], react: endAmendments })
