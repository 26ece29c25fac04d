import { createAmendment } from './create-amendment.ts'
import { amendmentEffective } from './effective-amendment.ts'
import { amendmentEnding } from './end-amendments.ts'
import { amendmentEvents } from './events.ts'
import { getAmendment } from './get-amendment.ts'
import { listAmendments } from './list-amendments.ts'
import { sandboxSignAmendment } from './sandbox-sign-amendment.ts'
import { signAmendment } from './sign-amendment.ts'
import { updateAmendment } from './update-amendment.ts'
import { withdrawAmendment } from './withdraw-amendment.ts'
import { workerDeclineAmendment } from './worker-decline-amendment.ts'
import { workerGetAmendment } from './worker-get-amendment.ts'
import { workerListAmendments } from './worker-list-amendments.ts'
import { workerSignAmendment } from './worker-sign-amendment.ts'

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
export const amendmentTimers = [amendmentEffective]
export { amendmentEnding, amendmentEvents }
