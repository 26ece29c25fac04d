import { hasDependents, sensitiveDataRequired } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { timeOffPolicy, timeOffPolicyEvents, timeOffPolicyRemoving } from './time-off-policy.ts'

export { type TimeOffPolicyRow, timeOffPolicy, timeOffPolicyRemoving } from './time-off-policy.ts'

export const timeOffPolicyOperations = defineStandardOperations(timeOffPolicy, {
  id: 'time_off_policies',
  one: 'a time-off policy',
  read: 'time-off:read',
  write: 'time-off:write',
  roles: ['owner', 'admin'],
  events: timeOffPolicyEvents,
  removing: timeOffPolicyRemoving,
  removal_tells: 'health_and_leave',
  problems: { delete: [hasDependents, sensitiveDataRequired] },
  description: {
    update: 'Days that were requested before stay as they were counted.',
    delete: 'A policy with requested or approved time off stays. Balances show it no more.',
  },
})
