import { anyOf, withDeleted } from '#core/filters.ts'
import { nameInUse } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { Id, Text, Timestamp, Type } from '#core/schema/schema.ts'
import { trimDecimal } from '#core/values.ts'

const Allowance = Type.String({
  pattern: '^(366(\\.0{1,4})?|(36[0-5]|3[0-5][0-9]|[12]?[0-9]{1,2})(\\.[05]0{0,3})?)$',
  description: 'Days a year: decimal string from 0 to 366 in steps of 0.5. Null: no limit.',
})

/** The rules of one kind of leave: how its days are counted, how many a year has, who decides. */
export const timeOffPolicy = defineResource({
  name: 'time_off_policy',
  title: 'TimeOffPolicy',
  table: 'time_off_policies',
  module: 'time_off',
  soft_delete: true,
  fields: {
    id: { type: Id, ...server, example: '019b8d63-1180-7b52-8a37-5d1f9e06c4b8' },
    name: { type: Text(1, 100), required: true, example: 'Vacation' },
    leave_type: {
      type: Type.Enum(['vacation', 'sick', 'parental', 'family', 'public_duty', 'unpaid', 'other']),
      required: true,
      fixed: true,
      example: 'vacation',
    },
    counting: {
      type: Type.Enum(['working_days', 'calendar_days'], {
        description: 'Working days are Monday to Friday. A change counts for later requests.',
      }),
      initial: 'working_days',
    },
    annual_allowance_days: { type: Allowance, nullable: true, stored: trimDecimal, example: '30' },
    is_paid: { type: Type.Boolean({ description: 'Default: true.' }), initial: true, example: true },
    requires_approval: { type: Type.Boolean({ description: 'Default: true.' }), initial: true },
    allow_negative: { type: Type.Boolean({ description: 'More than the allowance may be taken.' }), initial: false },
    created_at: { type: Timestamp, ...server, example: '2026-01-05T08:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
    deleted_at: { type: Timestamp, nullable: true, ...server },
  },
  unique: { name: { problem: nameInUse, detail: 'Another policy has this name.' } },
  filters: { leave_types: anyOf('leave_type', 'Any of these kinds of leave.'), include_deleted: withDeleted },
  told: ['id', 'name', 'leave_type', 'is_paid', 'created_at'],
})
export type TimeOffPolicyRow = RowFrom<typeof timeOffPolicy>
export const timeOffPolicyEvents = timeOffPolicy.changeEvents('A time-off policy')

/** A policy is about to be removed. */
export const timeOffPolicyRemoving = defineHappening<TimeOffPolicyRow>('time-off policy removing')
