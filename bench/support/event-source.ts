import type { Caller } from '#core/caller.ts'
import { invoke } from '#core/invoke.ts'
import type { EventType } from '#core/operation.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import { contractCreated } from '#resources/contracts/events.ts'
import type { LocalService } from './local-service.ts'
import { monotonicNow_ms } from './monotonic.ts'

/** Milliseconds of `process.hrtime` by event id. */
export type Moments = Map<string, number>

export interface EventSource {
  /** Commits one transaction that records this many events and nothing else but its audit line. */
  commit(events: number): Promise<void>
  /** When each event was committed. */
  committed_at_ms: Moments
}

export async function openEventSource(local: LocalService, token: string): Promise<EventSource> {
  const committed_at_ms: Moments = new Map()
  const caller = await local.authenticate(`Bearer ${token}`, null)
  return {
    committed_at_ms,
    async commit(events) {
      const event_ids = await commitEvents(local, caller, Array(events).fill(contractCreated))
      const now_ms = monotonicNow_ms()
      for (const event_id of event_ids) committed_at_ms.set(event_id, now_ms)
    },
  }
}

/** Commits one transaction that records events of these types and nothing else but its audit line; answers their ids. */
export async function commitEvents(
  { runtime }: Pick<LocalService, 'runtime'>,
  caller: Caller,
  types: readonly EventType[],
): Promise<string[]> {
  const event_ids: string[] = []
  // The one place where the ids of a call's events are known before they are sent.
  const fanOut: typeof runtime.fanOut = (tx, origin, recorded) => {
    event_ids.push(...recorded.map(({ event_id }) => event_id))
    return runtime.fanOut(tx, origin, recorded)
  }
  const operation = emitting(runtime.registry.operation('contracts.create'), types)
  const call = { caller, from_text: false, request_id: 'bench', trace_id: null, address: null }
  await invoke({ ...runtime, fanOut }, { ...call, operation, input: {} })
  return event_ids
}

/** An operation of which nothing is left but its events. */
function emitting(operation: RegisteredOperation, types: readonly EventType[]): RegisteredOperation {
  const { definition } = operation
  return {
    ...operation,
    validate: () => ({ ok: true, value: {} }),
    definition: {
      ...definition,
      status: 200,
      async handle(_, { emit }) {
        for (const type of types) emit(type, type.example)
        return {}
      },
    },
  }
}
