import { system_actor } from '../caller.ts'
import { collectEffects, type Runtime, recordChange } from '../invoke.ts'
import { type DueTimer, lockTimersOf, markFired, nextDueTimer, postpone } from './due-timer.store.ts'
import type { TimerDefinition } from './timer.ts'

export type TimerKinds = ReadonlyMap<string, TimerDefinition>

/** `idle`: nothing is due, or another sweep is at work; `gone`: cancelled or moved while it was about to fire. */
export type Firing = 'fired' | 'failed' | 'gone' | 'idle'

const pause_first_ms = 1_000
const pause_max_ms = 3_600_000

/** The next due timer of one organization in a transaction of its own: effect, events, audit line and mark, or nothing. */
export async function fireNext(runtime: Runtime, kinds: TimerKinds, organization_id: string): Promise<Firing> {
  const scope = { role: 'app', organization_id } as const
  let timer: DueTimer | undefined
  try {
    return await runtime.database.transaction(scope, async (tx) => {
      timer = (await lockTimersOf(tx, organization_id))
        ? await nextDueTimer(tx, organization_id, [...kinds.keys()])
        : undefined
      if (!timer) return 'idle'
      const { kind, subject_id, due_at } = timer
      const definition = definitionOf(kinds, kind)
      const { effects, base } = collectEffects(runtime, tx, due_at)
      await definition.fire(timer, { ...base, now: due_at, actor: system_actor })
      if (!(await markFired(tx, timer))) throw new TimerGone()
      await recordChange(runtime, tx, effects.events, {
        organization_id,
        actor: system_actor,
        action: kind,
        subject: { kind: effects.subject.kind ?? definition.subject, id: effects.subject.id ?? subject_id },
        changed_fields: effects.subject.changed_fields ?? [],
      })
      return 'fired'
    })
  } catch (error) {
    if (!timer) throw error
    if (error instanceof TimerGone) return 'gone'
    return retryLater(runtime, timer, error)
  }
}

/** Carries the rollback out of the transaction; never seen outside. */
class TimerGone extends Error {
  override readonly name = 'TimerGone'
}

async function retryLater(runtime: Runtime, timer: DueTimer, error: unknown): Promise<Firing> {
  const { organization_id, id, kind, failures } = timer
  const pause_ms = Math.min(pause_first_ms * 2 ** failures, pause_max_ms)
  const noted = await runtime.database.transaction({ role: 'app', organization_id }, (tx) =>
    postpone(tx, timer, pause_ms),
  )
  if (!noted) return 'gone'
  runtime.log.error(
    { organization_id, timer_id: id, kind, failures: failures + 1, pause_ms, err: error },
    'timer_failed',
  )
  return 'failed'
}

function definitionOf(kinds: TimerKinds, kind: string): TimerDefinition {
  const definition = kinds.get(kind)
  if (!definition) throw new Error(`there is no timer ${kind}`)
  return definition
}
