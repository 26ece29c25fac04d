import { defineTimer } from '#core/jobs/timer.ts'
import { dateOutOfRange, invalidState } from '#core/problems.ts'
import { CalendarDate, MultilineText, Nullable, Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, contract_end, contractEnding, transition } from './change-contract.ts'
import { contract, termination_types } from './contract.ts'
import {
  contractArchived,
  contractCancelled,
  contractCompleted,
  contractRejected,
  contractSignatureAdded,
  contractSigned,
  contractStatusUpdated,
  contractTerminated,
  contractTerminationCancelled,
  contractTerminationRequested,
  contractUnarchived,
} from './events.ts'
import { archive, cancel, cancelTermination, end, reject, sign, terminate, unarchive } from './lifecycle.ts'
import { alreadySigned, termsChanged } from './problems.ts'

export const SignerName = Text(2, 200, { description: 'The name that stands as signature.', example: 'Nora Pine' })
export const SignedVersion = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The `terms_version` that was read; no other is signed.',
})

const signing = {
  problems: [invalidState, alreadySigned, termsChanged],
  emits: [contractSignatureAdded, contractSigned, contractStatusUpdated, personUpdated],
  to: sign,
}

export const signContract = transition({
  ...signing,
  id: 'contracts.sign',
  summary: 'Sign a contract for the client',
  description: 'The parties sign in either order; with the second signature the contract is active.',
  path: '/contracts/:contract_id/sign',
  input: { signer_name: SignerName, terms_version: Type.Optional(SignedVersion) },
  tool: {
    name: 'sign_contract',
    needs_confirm: true,
    text: 'Sign a pending contract for the company, in the name of a person who read it and agreed. With the worker’s signature it becomes active.',
  },
})

export const workerSignContract = transition({
  ...signing,
  id: 'worker.sign_contract',
  summary: 'Sign one of the calling worker’s contracts',
  path: '/worker/contracts/:contract_id/sign',
  audience: 'worker',
  input: { signer_name: SignerName, terms_version: SignedVersion },
  tool: {
    name: 'sign_my_contract',
    needs_confirm: true,
    text: 'Sign a pending contract as the worker, in the worker’s name, after the worker read it and agreed. With the company’s signature it becomes active.',
  },
})

export const sandboxSignContract = transition({
  ...signing,
  id: 'sandbox.sign_contract',
  summary: 'Sign a contract as its worker, in a sandbox',
  description: 'So that an integration can be tried to its end without a second person.',
  path: '/sandbox/contracts/:contract_id/worker-signature',
  audience: 'sandbox',
  input: { signer_name: Type.Optional(SignerName), terms_version: Type.Optional(SignedVersion) },
})

const end_events = [contractTerminated, contractCompleted, contractStatusUpdated, personUpdated] as const

export const cancelContract = transition({
  id: 'contracts.cancel',
  summary: 'Withdraw a contract that is not active yet',
  path: '/contracts/:contract_id/cancel',
  input: {
    reason: Type.Optional(
      Nullable(Text(0, 500, { description: 'Why it is withdrawn.', example: 'The dates have changed.' })),
    ),
  },
  problems: [invalidState],
  emits: [contractCancelled, contractStatusUpdated, personUpdated],
  tool: {
    name: 'cancel_contract',
    needs_confirm: true,
    text: 'Withdraw a pending contract for good. An active one: terminate_contract.',
  },
  to: cancel,
})

export const workerRejectContract = transition({
  id: 'worker.reject_contract',
  summary: 'Reject one of the calling worker’s pending contracts',
  path: '/worker/contracts/:contract_id/reject',
  audience: 'worker',
  input: { reason: Type.Optional(Nullable(Text(0, 500, { example: 'The rate is too low.' }))) },
  problems: [invalidState, alreadySigned],
  emits: [contractRejected, contractStatusUpdated, personUpdated],
  to: reject,
})

export const terminateContract = transition({
  id: 'contracts.terminate',
  summary: 'End an active contract, on a date or at once',
  path: '/contracts/:contract_id/terminate',
  input: {
    type: Type.Enum([...termination_types], { description: 'Who ends it, or that its time is over.' }),
    completion_date: Type.Optional(
      Nullable({
        ...CalendarDate,
        description: 'Last day of the contract; left out, it ends now.',
      } as typeof CalendarDate),
    ),
    reason: Type.Optional(Nullable(Text(0, 500, { description: 'Why it ends.', example: 'The project ends.' }))),
    message: Type.Optional(Nullable(MultilineText(0, 2_000, { description: 'Words to the worker.' }))),
    eligible_for_rehire: Type.Optional(Nullable(Type.Boolean({ description: 'Whether to hire the worker again.' }))),
  },
  problems: [invalidState, dateOutOfRange],
  get emits() {
    return [contractTerminationRequested, ...end_events, ...contractEnding.emits]
  },
  tool: {
    name: 'terminate_contract',
    needs_confirm: true,
    text: 'End an active contract on completion_date; without one it ends at once, which cannot be undone. A pending contract: cancel_contract.',
  },
  to: terminate,
})

export const cancelContractTermination = transition({
  id: 'contracts.cancel_termination',
  summary: 'Withdraw the termination of an active contract',
  path: '/contracts/:contract_id/cancel-termination',
  problems: [invalidState],
  emits: [contractTerminationCancelled, personUpdated],
  to: cancelTermination,
})

/** The day after the last one of an active contract has begun. */
export const contractEnd = defineTimer({
  ...contract_end,
  subject: 'contracts',
  get emits() {
    return [...end_events, ...contractEnding.emits]
  },

  async fire({ organization_id, subject_id: id }, context) {
    const before = await contract.lock(context.tx, { organization_id, id })
    if (before.status !== 'active') return
    await changeContract(context, before, end(before, context.now), { by_timer: true })
  },
})

export const archiveContract = transition({
  id: 'contracts.archive',
  summary: 'Put an ended contract into the archive',
  path: '/contracts/:contract_id/archive',
  problems: [invalidState],
  emits: [contractArchived],
  to: archive,
})

export const unarchiveContract = transition({
  id: 'contracts.unarchive',
  summary: 'Take a contract out of the archive',
  path: '/contracts/:contract_id/unarchive',
  problems: [invalidState],
  emits: [contractUnarchived],
  to: unarchive,
})
