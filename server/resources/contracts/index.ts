import type { TimerDefinition } from '#core/jobs/timer.ts'
import { archiveContract } from './archive-contract.ts'
import { cancelContract } from './cancel-contract.ts'
import { cancelContractTermination } from './cancel-termination.ts'
import type { ContractEnding } from './contract-ending.ts'
import { createContract } from './create-contract.ts'
import { contractEnd } from './end-contract.ts'
import { invitationExpiry } from './expire-invitation.ts'
import { getContract } from './get-contract.ts'
import { getInvitationLink } from './get-invitation-link.ts'
import { inviteWorker } from './invite-worker.ts'
import { listContracts } from './list-contracts.ts'
import { revokeInvitation } from './revoke-invitation.ts'
import { sandboxSignContract } from './sandbox-sign-contract.ts'
import { signContract } from './sign-contract.ts'
import { terminateContract } from './terminate-contract.ts'
import { unarchiveContract } from './unarchive-contract.ts'
import { updateContract } from './update-contract.ts'
import { workerGetContract } from './worker-get-contract.ts'
import { workerListContracts } from './worker-list-contracts.ts'
import { workerRejectContract } from './worker-reject-contract.ts'
import { workerSignContract } from './worker-sign-contract.ts'

/** `endings`: what rooms to the right end together with a contract, in their order. */
export const contractOperations = (endings: readonly ContractEnding[]) => [
  listContracts,
  createContract,
  getContract,
  updateContract,
  signContract,
  inviteWorker,
  revokeInvitation,
  getInvitationLink,
  cancelContract,
  terminateContract(endings),
  cancelContractTermination,
  archiveContract,
  unarchiveContract,
  workerListContracts,
  workerGetContract,
  workerSignContract,
  workerRejectContract,
  sandboxSignContract,
]

export const contractTimers = (endings: readonly ContractEnding[]): TimerDefinition[] => [
  contractEnd(endings),
  invitationExpiry,
]

export { amendContract } from './amend-contract.ts'
export { findContract, lockContract } from './contract.store.ts'
export { type ContractRow, contract_statuses } from './contract.ts'
export type { ContractEnding } from './contract-ending.ts'
export { amendableFields, TermsDigest, TermsVersion } from './contract-schema.ts'
export {
  type CycleSettings,
  cycle_end_types,
  cycleSettings,
  cyclesFrom,
  frequencies,
  isCycleStart,
  nextCycleStart,
} from './cycle-calendar.ts'
export { contractEntry, contractEntryFields, contractEvents, contractExample } from './events.ts'
export { sealedInvitations } from './invitation-link.ts'
export { requireNotOver, today } from './lifecycle.ts'
export { requireOwnLogin } from './own-login.ts'
export { invalidTerms, ownLoginRequired, requireTermsVersion, termsChanged } from './problems.ts'
export { SignedVersion, SignerName } from './sign-contract.ts'
export {
  amendable_terms,
  applyTermsChange,
  type ContractTerms,
  type ContractType,
  contract_types,
  diffTerms,
  isCycleTerm,
  prorations,
  type Scale,
  scales,
  type Term,
  type TermsChange,
  type TermsDifference,
  type TermsRefusal,
} from './terms.ts'
export { termsVersions } from './terms-version.store.ts'
