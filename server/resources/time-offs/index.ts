import { refuseWhileNamed } from '#core/dependents.ts'
import { on } from '#core/reaction.ts'
import { businessDate } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { contractEnding } from '#resources/contracts/index.ts'
import { alsoErase, erasedActor, erasedReason, inColumn, personRemoving } from '#resources/people/index.ts'
import { timeOffPolicyRemoving } from '#resources/time-off-policies/index.ts'
import { cancelAfter, timeOffEnd } from './move-time-off.ts'
import {
  getTimeOff,
  listEntitlements,
  listTimeOffs,
  workerListEntitlements,
  workerListTimeOffs,
} from './read-time-offs.ts'
import { createTimeOff, updateTimeOff, workerRequestTimeOff } from './request-time-off.ts'
import { cancelTimeOff, reviewTimeOff, workerCancelTimeOff } from './settle-time-off.ts'
import { absenteeOf, open_time_offs } from './time-off.store.ts'
import { timeOffCancelled } from './time-off.ts'

export const timeOffOperations = [
  listTimeOffs,
  createTimeOff,
  getTimeOff,
  updateTimeOff,
  reviewTimeOff,
  cancelTimeOff,
  listEntitlements,
  workerListTimeOffs,
  workerListEntitlements,
  workerRequestTimeOff,
  workerCancelTimeOff,
]
export const timeOffTimers = [timeOffEnd]
export { timeOff } from './time-off.ts'

refuseWhileNamed(timeOffPolicyRemoving, {
  ...{ place: 1, ...open_time_offs, column: 'policy_id' },
  detail: 'Requested or approved time off is under this policy.',
})

// With the last contract that was pending or active the person leaves.
on(contractEnding, {
  place: 9,
  emits: [timeOffCancelled],
  async react({ organization_id, worker_id: id, last_day }, context) {
    const absentee = await absenteeOf(context.tx, organization_id, id, false)
    if (absentee?.status === 'inactive' && last_day !== null)
      await cancelAfter(last_day, { organization_id, id }, context)
  },
})

on(personRemoving, {
  place: 9,
  emits: [timeOffCancelled],
  async react({ organization_id, id }, context) {
    const { timezone = 'UTC' } = (await absenteeOf(context.tx, organization_id, id, false)) ?? {}
    await cancelAfter(businessDate(context.now, timezone), { organization_id, id }, context)
  },
})

alsoErase({
  ...{ place: 6, table: 'time_offs', whose: inColumn('person_id') },
  set: sql`${erasedActor('requested_by')}, ${erasedReason('review')}, reason = null, cancel_reason = null`,
})
