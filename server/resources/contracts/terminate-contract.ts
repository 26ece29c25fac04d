import { defineOperation } from '#core/operation.ts'
import { dateOutOfRange, invalidState } from '#core/problems.ts'
import { CalendarDate, Closed, MultilineText, Nullable, Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, emitWorkerStatus } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { termination_types } from './contract.ts'
import { applyEndings, type ContractEnding, emitEnd } from './contract-ending.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import {
  contractCompleted,
  contractStatusUpdated,
  contractTerminated,
  contractTerminationRequested,
  terminationEntry,
} from './events.ts'
import { terminate } from './lifecycle.ts'

const Input = Closed({
  ...ContractPath,
  type: Type.Enum([...termination_types], { description: 'Who ends it, or that its time is over.' }),
  completion_date: Type.Optional(
    Nullable({
      ...CalendarDate,
      description: 'Last day of the contract; left out, it ends now.',
    } as typeof CalendarDate),
  ),
  reason: Type.Optional(Nullable(Text(0, 500, { description: 'Why it ends.' }))),
  message: Type.Optional(Nullable(MultilineText(0, 2_000, { description: 'Words to the worker.' }))),
  eligible_for_rehire: Type.Optional(Nullable(Type.Boolean({ description: 'Whether to hire the worker again.' }))),
})

/** `endings`: what ends together with a contract that is terminated at once. */
export const terminateContract = (endings: readonly ContractEnding[]) =>
  defineOperation({
    id: 'contracts.terminate',
    summary: 'End an active contract, on a date or at once',
    method: 'POST',
    path: '/contracts/:contract_id/terminate',
    scopes: ['contracts:write'],
    roles: ['owner', 'admin'],
    input: Input,
    output: Contract,
    problems: [invalidState, dateOutOfRange],
    emits: [
      contractTerminationRequested,
      contractTerminated,
      contractCompleted,
      contractStatusUpdated,
      personUpdated,
      ...endings.flatMap(({ emits }) => emits),
    ],
    tool: {
      name: 'terminate_contract',
      text: 'End an active contract on completion_date; without one it ends at once, which cannot be undone. A pending contract: cancel_contract.',
    },

    async handle({ contract_id, type, completion_date = null, reason = null, ...rest }, context) {
      const { caller, tx, now, emit, newId } = context
      const { message = null, eligible_for_rehire = null } = rest
      const before = await lockContract(tx, caller.organization_id, contract_id)
      const wish = { type, completion_date, reason, message, eligible_for_rehire }
      const { row, worker } = await changeContract(tx, before, terminate(before, wish, { at: now, by: caller.actor }))
      if (row.status === 'active') emit(contractTerminationRequested, terminationEntry(row, row))
      else emitEnd(context, before, row)
      emitWorkerStatus(context, worker)
      if (row.status !== 'active') await applyEndings(endings, row, { tx, now, emit, newId, actor: caller.actor })
      return contractOf(row)
    },
  })
