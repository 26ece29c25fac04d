import type { Runtime } from '../invoke.ts'
import { clockAdvancing } from '../problems.ts'
import { readClock } from '../sandbox-clock.ts'
import type { createFiring } from './fire-timers.ts'

declare module '../operation.ts' {
  interface Rooms {
    sandbox: ReturnType<typeof createClockRun>
  }
}

/** A call waits no longer for the clock, since none may take 30 s (authorization design 5.4); the sweep takes the clock on. */
const call_ms_max = 20_000

/** Takes the clocks of sandboxes to where they were sent; any number of processes, and the sweep, may be at one clock. */
export function createClockRun(runtime: Pick<Runtime, 'database'>, firing: ReturnType<typeof createFiring>) {
  const { database } = runtime
  const read = (organization_id: string) =>
    database.transaction({ role: 'app', organization_id, read_only: true }, (tx) => readClock(tx, organization_id))
  return {
    /** The kinds of timers that follow the clock. */
    kinds: firing.business_kinds,
    /** Fires every timer up to where the clock was sent, one by one; ends when it has arrived, or refuses in time. */
    async arrive(organization_id: string): Promise<void> {
      const sent = await read(organization_id)
      if (sent.target === null) return
      await firing.run(organization_id, performance.now() + call_ms_max)
      const { target } = await read(organization_id)
      if (target !== null) throw clockAdvancing(`It is on its way to ${target}.`)
    },
  }
}
