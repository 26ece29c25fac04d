import { type Call, invoke } from '#core/invoke.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import { contractCreated } from '#resources/contracts/events.ts'
import type { LocalService } from './local-service.ts'

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
  const call = { caller, from_text: false, request_id: 'bench', trace_id: null, address: null }
  const source = local.runtime.registry.operation('contracts.create')
  return {
    committed_at_ms,
    async commit(events) {
      const event_ids: string[] = []
      // The one place where the ids of a call's events are known before they are sent.
      const fanOut: typeof local.runtime.fanOut = (tx, origin, recorded) => {
        event_ids.push(...recorded.map(({ event_id }) => event_id))
        return local.runtime.fanOut(tx, origin, recorded)
      }
      const made: Call = { ...call, operation: emitting(source, events), input: {} }
      await invoke({ ...local.runtime, fanOut }, made)
      const now_ms = monotonicNow_ms()
      for (const event_id of event_ids) committed_at_ms.set(event_id, now_ms)
    },
  }
}

/** An operation of which nothing is left but its events. */
function emitting(operation: RegisteredOperation, events: number): RegisteredOperation {
  const { definition } = operation
  return {
    ...operation,
    validate: () => ({ ok: true, value: {} }),
    definition: {
      ...definition,
      status: 200,
      async handle(_, { emit }) {
        for (let index = 0; index < events; index += 1) emit(contractCreated, contractCreated.example)
        return {}
      },
    },
  }
}

/** One clock for all processes of the machine; `performance.now` begins with each of them. */
export function monotonicNow_ms(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
