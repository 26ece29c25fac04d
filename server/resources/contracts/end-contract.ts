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
  contractStatusUpdated,
  contractTerminated,
  contractTerminationCancelled,
  contractTerminationRequested,
  contractUnarchived,
} from './events.ts'
import { archive, cancel, cancelTermination, end, reject, terminate, unarchive } from './lifecycle.ts'
import { alreadySigned } from './problems.ts'

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
  tool: { name: 'cancel_contract', text: 'Withdraw a pending contract for good. An active one: terminate_contract.' },
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
