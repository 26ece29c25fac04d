import { cancelTimer, defineTimer, setTimer } from '#core/jobs/timer.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { addDays, latest, startOfDay } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { type Absentee, openAfter } from './time-off.store.ts'
import { moved, type TimeOffRow, timeOff, timeOffCancelled, timeOffStatusUpdated } from './time-off.ts'

type Review = NonNullable<TimeOffRow['review']>

/** The time off with what was decided on it. */
export function reviewed(
  row: TimeOffRow,
  { status, reason = null, ...noted }: Omit<Review, 'reason'> & { reason?: string | null },
): TimeOffRow {
  return moved(row, status, { review: { status, reason, ...noted } })
}

/** It fires after all other timers of the moment (domain rules 3.9). */
const time_off_end = { kind: 'time_off_end', priority: 8 } as const

/** The timer of the day after the last one is there while time off is approved; of days long past it is due at once. */
export async function keepTimer(
  tx: Transaction,
  before: TimeOffRow,
  after: TimeOffRow,
  { timezone }: Pick<Absentee, 'timezone'>,
  now: string,
): Promise<void> {
  const { organization_id, id: subject_id, end_date } = after
  const timer = { ...time_off_end, organization_id, subject_id }
  const due_at = new Date(startOfDay(addDays(end_date, 1), timezone)).toISOString()
  if (after.status === 'approved') await setTimer(tx, { ...timer, due_at: latest(due_at, now) })
  else if (before.status === 'approved') await cancelTimer(tx, timer)
}

/** The last day of approved time off is over. */
export const timeOffEnd = defineTimer({
  ...time_off_end,
  subject: 'time_offs',
  emits: [timeOffStatusUpdated],

  async fire({ organization_id, subject_id: id }, { tx, emit, audit }) {
    const before = await timeOff.lock(tx, { organization_id, id })
    if (before.status !== 'approved') return
    const row = await timeOff.save(tx, before, moved(before, 'used'))
    emit(timeOffStatusUpdated, { ...timeOff.entryOf(row), previous_status: before.status })
    audit({ changed_fields: ['status'] })
  },
})

/** Cancels a locked time off and its timer. */
export async function cancel(
  { tx, now, emit }: Pick<ReactionContext, 'tx' | 'now' | 'emit'>,
  before: TimeOffRow,
  cancel_reason: string | null,
): Promise<TimeOffRow> {
  const row = await timeOff.save(tx, before, moved(before, 'cancelled', { cancelled_at: now, cancel_reason }))
  await keepTimer(tx, before, row, { timezone: 'UTC' }, now)
  emit(timeOffCancelled, timeOff.entryOf(row))
  return row
}

/** A person leaves: what was to begin after this day is cancelled. What has begun by then stays as it is. */
export async function cancelAfter(
  day: string,
  { organization_id, id }: { organization_id: string; id: string },
  context: ReactionContext,
): Promise<void> {
  for (const before of await openAfter(context.tx, organization_id, id, day)) {
    await cancel(context, before, 'person_left')
  }
}
