import { defineOperation } from '#core/operation.ts'
import { invalidState, notFound, sensitiveDataRequired } from '#core/problems.ts'
import { Closed, Nullable, Type } from '#core/schema/schema.ts'
import { businessDate } from '#core/values.ts'
import { workerOf } from '#resources/people/index.ts'
import { cancel, keepTimer, reviewed } from './move-time-off.ts'
import { insufficientEntitlement } from './problems.ts'
import { lockTimeOff, policyOf, requireBalances, requireEntitled } from './request-time-off.ts'
import { ReasonOfReview, requireStatus, timeOff, timeOffCancelled, timeOffReviewed } from './time-off.ts'

const Reason = Type.Optional(Nullable(ReasonOfReview))
const settling = { method: 'POST', subject: 'time_offs', output: timeOff.answer } as const

export const reviewTimeOff = defineOperation({
  ...settling,
  id: 'time_offs.review',
  summary: 'Approve or reject a request for time off',
  description: 'An approval asks for the category health_and_leave, since it depends on the days that are left.',
  path: '/time-offs/:time_off_id/review',
  scopes: ['time-off:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...timeOff.path, status: Type.Enum(['approved', 'rejected']), reason: Reason }),
  problems: [invalidState, insufficientEntitlement, sensitiveDataRequired],
  emits: [timeOffReviewed],

  async handle({ time_off_id, status, reason = null }, { caller, tx, now: reviewed_at, emit }) {
    const { before, absentee } = await lockTimeOff(tx, caller, time_off_id)
    const reviewed_by = caller.actor
    const after = reviewed(before, { status, reason, reviewed_by, reviewed_at })
    if (status === 'approved') {
      requireBalances(caller)
      await requireEntitled(tx, before, await policyOf(tx, before), absentee, 'approval')
    }
    const row = await timeOff.save(tx, before, after)
    await keepTimer(tx, before, row, absentee, reviewed_at)
    emit(timeOffReviewed, { ...timeOff.entryOf(row), reviewed_by })
    return timeOff.show(row)
  },
})

const cancelling = {
  ...settling,
  input: Closed({ ...timeOff.path, reason: Reason }),
  problems: [invalidState],
  emits: [timeOffCancelled],
} as const

export const cancelTimeOff = defineOperation({
  ...cancelling,
  id: 'time_offs.cancel',
  summary: 'Cancel time off that is requested or approved',
  path: '/time-offs/:time_off_id/cancel',
  scopes: ['time-off:write'],
  roles: ['owner', 'admin'],

  async handle({ time_off_id: id, reason = null }, context) {
    const { caller, tx } = context
    const before = await timeOff.lock(tx, { organization_id: caller.organization_id, id })
    return timeOff.show(await cancel(context, before, reason))
  },
})

export const workerCancelTimeOff = defineOperation({
  ...cancelling,
  id: 'worker.cancel_time_off',
  summary: 'Cancel own time off that is requested, or approved and not begun',
  path: '/worker/time-offs/:time_off_id/cancel',
  scopes: ['worker:write'],

  async handle({ time_off_id, reason = null }, context) {
    const { caller, tx } = context
    const { before, absentee } = await lockTimeOff(tx, caller, time_off_id)
    if (before.person_id !== workerOf(caller)) throw notFound()
    requireStatus(before, 'requested', 'approved')
    if (before.status === 'approved' && before.start_date <= businessDate(context.now, absentee.timezone)) {
      throw invalidState('The time off has begun; only the client can cancel it.')
    }
    return timeOff.show(await cancel(context, before, reason))
  },
})
