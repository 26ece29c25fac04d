import type { RecordedEventRow, WitnessRow } from './timeline.store.ts'

export const skipReasons = [
  'type_not_listed',
  'created_later',
  'deleted_before',
  'changed_concurrently',
  'simulation_for_other',
  'about_itself',
] as const

export type SkipReason = (typeof skipReasons)[number]

/** Why an event did not go to a subscription that has no delivery of it. */
export function skipReason(
  event: Pick<RecordedEventRow, 'is_simulation' | 'entries'>,
  { webhook_id, status_then, listed_then }: Pick<WitnessRow, 'webhook_id' | 'status_then' | 'listed_then'>,
): SkipReason {
  if (status_then === null) return 'created_later'
  if (status_then === 'deleted') return 'deleted_before'
  if (event.is_simulation) return 'simulation_for_other'
  if (!listed_then) return 'type_not_listed'
  if (event.entries.some((entry) => entry.webhook_id === webhook_id)) return 'about_itself'
  // It listed the type when the event was recorded, yet the event's transaction had not seen that change committed.
  return 'changed_concurrently'
}
