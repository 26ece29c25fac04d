import type { EventType } from '#core/event.ts'
import { defineTimer, type TimerDefinition } from '#core/jobs/timer.ts'
import { personUpdated } from '#resources/people/index.ts'
import { emitWorkerStatus, writeContract } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { applyEndings, type ContractEnding, emitEnd } from './contract-ending.ts'
import { contract_end } from './contract-timers.ts'
import { contractCompleted, contractStatusUpdated, contractTerminated } from './events.ts'
import { end } from './lifecycle.ts'

/** The day after the last one of an active contract has begun. */
export const contractEnd = (endings: readonly ContractEnding[]): TimerDefinition<readonly EventType[]> =>
  defineTimer({
    ...contract_end,
    subject: 'contracts',
    emits: [
      contractTerminated,
      contractCompleted,
      contractStatusUpdated,
      personUpdated,
      ...endings.flatMap(({ emits }) => emits),
    ],

    async fire({ organization_id, subject_id }, context) {
      const before = await lockContract(context.tx, organization_id, subject_id)
      if (before.status !== 'active') return
      const { row, worker } = await writeContract(context.tx, before, end(before, context.now))
      emitEnd(context, before, row)
      emitWorkerStatus(context, worker)
      await applyEndings(endings, row, context)
    },
  })
