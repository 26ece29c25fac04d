import { defineTimer } from '#core/jobs/timer.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { dateOutOfRange, invalidState } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { CalendarDate, Closed, MultilineText, Nullable, Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, contract_end, emitWorkerStatus, writeContract } from './change-contract.ts'
import { type ContractRow, contract, termination_types } from './contract.ts'
import {
  contractCompleted,
  contractStatusUpdated,
  contractTerminated,
  contractTerminationCancelled,
  contractTerminationRequested,
} from './events.ts'
import { cancelTermination, end, endsByTermination, terminate } from './lifecycle.ts'

/** An active contract has ended; what else ends with it is for those who react. */
export const contractEnding = defineHappening<ContractRow>('contract ending')

const end_events = [contractTerminated, contractCompleted, contractStatusUpdated, personUpdated] as const

const Input = Closed({
  ...contract.path,
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
})

export const terminateContract = defineOperation({
  id: 'contracts.terminate',
  summary: 'End an active contract, on a date or at once',
  method: 'POST',
  path: '/contracts/:contract_id/terminate',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Input,
  output: contract.answer,
  problems: [invalidState, dateOutOfRange],
  get emits() {
    return [contractTerminationRequested, ...end_events, ...contractEnding.emits]
  },
  tool: {
    name: 'terminate_contract',
    text: 'End an active contract on completion_date; without one it ends at once, which cannot be undone. A pending contract: cancel_contract.',
  },

  async handle({ contract_id: id, type, completion_date = null, reason = null, ...rest }, context) {
    const { caller, tx, now, emit } = context
    const { message = null, eligible_for_rehire = null } = rest
    const before = await contract.lock(tx, { organization_id: caller.organization_id, id })
    const wish = { type, completion_date, reason, message, eligible_for_rehire }
    const { row, worker } = await changeContract(tx, before, terminate(before, wish, { at: now, by: caller.actor }))
    if (row.status === 'active') emit(contractTerminationRequested, terminationEntry(row, row))
    else emitEnd(context, before, row)
    emitWorkerStatus(context, worker)
    if (row.status !== 'active') await contractEnding.happen(row, { ...context, actor: caller.actor })
    return contract.show(row)
  },
})

export const cancelContractTermination = defineOperation({
  id: 'contracts.cancel_termination',
  summary: 'Withdraw the termination of an active contract',
  method: 'POST',
  path: '/contracts/:contract_id/cancel-termination',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(contract.path),
  output: contract.answer,
  problems: [invalidState],
  emits: [contractTerminationCancelled, personUpdated],

  async handle({ contract_id: id }, context) {
    const { caller, tx, emit } = context
    const before = await contract.lock(tx, { organization_id: caller.organization_id, id })
    const { row, worker } = await changeContract(tx, before, cancelTermination(before, context.now))
    emit(contractTerminationCancelled, terminationEntry(row, before))
    emitWorkerStatus(context, worker)
    return contract.show(row)
  },
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
    const { row, worker } = await writeContract(context.tx, before, end(before, context.now))
    emitEnd(context, before, row)
    emitWorkerStatus(context, worker)
    await contractEnding.happen(row, context)
  },
})

/** The contract as it is with the termination that `requested` holds, which may be withdrawn already. */
function terminationEntry(row: ContractRow, { termination, completion_date }: ContractRow) {
  if (termination === null || completion_date === null) throw new Error('the contract has no termination')
  return { ...contract.entryOf(row), termination_type: termination.type, completion_date, reason: termination.reason }
}

function emitEnd(
  { emit }: Pick<Context<typeof contractCompleted | typeof contractTerminated | typeof contractStatusUpdated>, 'emit'>,
  before: ContractRow,
  row: ContractRow,
): void {
  const { last_day } = row
  if (last_day === null) throw new Error('a contract without a last day has ended')
  const termination = endsByTermination(row) ? row.termination : null
  emit(row.status === 'completed' ? contractCompleted : contractTerminated, {
    ...contract.entryOf(row),
    completion_date: last_day,
    termination_type: termination?.type ?? null,
    reason: termination?.reason ?? null,
  })
  emit(contractStatusUpdated, { ...contract.entryOf(row), previous_status: before.status })
}
