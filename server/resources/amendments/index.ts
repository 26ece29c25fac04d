import { on } from '#core/reaction.ts'
import { contractEnding } from '#resources/contracts/index.ts'
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
export { agreedTerms } from './draft-amendment.ts'
export const amendmentTimers = [amendmentEffective]

on(contractEnding, { place: 1, emits: [amendmentDeclined, amendmentStatusUpdated], react: endAmendments })
