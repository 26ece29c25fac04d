import { refuseWhileNamed } from '#core/dependents.ts'
import { sql } from '#db/database.ts'
import { legalEntityRemoving } from '#resources/legal-entities/index.ts'
import { alsoErase, erasedName, erasedReason, inColumn, personRemoving } from '#resources/people/index.ts'
import { teamRemoving } from '#resources/teams/index.ts'
import { open_contracts } from './contract.store.ts'
import { createContract } from './create-contract.ts'
import { getInvitationLink, invitationExpiry, inviteWorker, revokeInvitation } from './invite-worker.ts'
import { getContract, listContracts, workerGetContract, workerListContracts } from './read-contracts.ts'
import {
  archiveContract,
  cancelContract,
  cancelContractTermination,
  contractEnd,
  sandboxSignContract,
  signContract,
  terminateContract,
  unarchiveContract,
  workerRejectContract,
  workerSignContract,
} from './transitions.ts'
import { updateContract } from './update-contract.ts'

export const contractOperations = [
  listContracts,
  createContract,
  getContract,
  updateContract,
  signContract,
  inviteWorker,
  revokeInvitation,
  getInvitationLink,
  cancelContract,
  terminateContract,
  cancelContractTermination,
  archiveContract,
  unarchiveContract,
  workerListContracts,
  workerGetContract,
  workerSignContract,
  workerRejectContract,
  sandboxSignContract,
]

refuseWhileNamed(teamRemoving, {
  ...{ place: 1, ...open_contracts, column: 'team_id' },
  detail: 'A pending or active contract names this team.',
})

refuseWhileNamed(personRemoving, {
  ...{ place: 2, ...open_contracts, column: 'worker_id' },
  detail: 'This person has a pending or active contract.',
})

alsoErase({
  ...{ place: 4, table: 'contracts', whose: inColumn('worker_id') },
  set: sql`${erasedName('worker_sign_name')}, ${erasedReason('termination')}, status_reason = null,
    invitation_message = null, invitation_sealed = null`,
})

refuseWhileNamed(legalEntityRemoving, {
  ...{ place: 1, ...open_contracts, column: 'legal_entity_id' },
  detail: 'A pending or active contract names this legal entity.',
})

export const contractTimers = [contractEnd, invitationExpiry]

export { amendContract, contractEnding, contractRescheduled } from './change-contract.ts'
export { type TermsVersion as WrittenTerms, termsVersions, termsVersionsOf } from './contract.store.ts'
export { type ContractRow, contract, contract_reference, TermsDigest, TermsVersion } from './contract.ts'
export * from './cycle-calendar.ts'
export { sealedInvitations } from './invite-worker.ts'
export { requireNotOver } from './lifecycle.ts'
export { errorsOf, invalidTerms, problemOf, requireTermsVersion, termsChanged } from './problems.ts'
export * from './terms.ts'
export { SignedVersion, SignerName } from './transitions.ts'
export { workerInvitation } from './worker-invitation.ts'
