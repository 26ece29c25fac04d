import { anyOf, equals, matching } from '#core/filters.ts'
import { externalIdInUse, invalidState } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import {
  ActorSchema,
  CalendarDate,
  ExternalId,
  Id,
  MultilineText,
  Sensitive,
  Text,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import { person } from '#resources/people/index.ts'
import { timeOffPolicy } from '#resources/time-off-policies/index.ts'
import { beginsUntil, endsFrom } from './time-off-dates.store.ts'

export const time_off_statuses = ['requested', 'approved', 'rejected', 'used', 'cancelled'] as const
export type TimeOffStatus = (typeof time_off_statuses)[number]

/** The statuses that lead to each (domain rules 3.8). */
const steps: Record<TimeOffStatus, readonly TimeOffStatus[]> = {
  requested: [],
  approved: ['requested'],
  rejected: ['requested'],
  used: ['approved'],
  cancelled: ['requested', 'approved'],
}

const health = { category: 'health_and_leave' } as const

/** Days as answers show them; what is available may be negative. */
export const Days = Type.String({
  pattern: '^-?[0-9]{1,5}(\\.5)?$',
  description: 'Days: decimal string in steps of 0.5.',
})

/** Words of whoever approves, rejects or cancels. */
export const ReasonOfReview = MultilineText(0, 500, { description: 'Why.', example: 'The release is that week.' })

const Review = Type.Object({
  status: Type.Enum(['approved', 'rejected']),
  reason: Sensitive('health_and_leave', Type.String()),
  reviewed_by: ActorSchema,
  reviewed_at: Timestamp,
})

/** An absence of a person under a policy; states in domain rules 3.8. */
export const timeOff = defineResource({
  name: 'time_off',
  title: 'TimeOff',
  table: 'time_offs',
  module: 'time_off',
  fields: {
    id: { type: Id, ...server, example: '019d1f2a-5c00-7d46-8b13-7a9e24c5f081' },
    person_id: {
      ...{ type: Id, refers: person, joined_as: 'person', required: true, fixed: true },
      example: '019b8d64-4f40-7d13-8e20-44b1c7f9a035',
    },
    person_email: {
      ...{ type: Type.String(), nullable: true, read_from: 'person.email' },
      example: 'jonas@harbour.example',
    },
    person_name: { type: Type.String(), read_from: 'person.full_name', example: 'Jonas Weber' },
    policy: {
      ...{ refers: timeOffPolicy, required: true, fixed: true, ...health },
      example: { id: '019b8d63-1180-7b52-8a37-5d1f9e06c4b8', name: 'Vacation' },
    },
    leave_type: { type: timeOffPolicy.create.leave_type, ...server, ...health, example: 'vacation' },
    is_paid: { type: Type.Boolean(), ...server, ...health },
    status: { type: Type.Enum([...time_off_statuses]), ...server, example: 'requested' },
    start_date: { type: CalendarDate, required: true, example: '2026-08-03' },
    end_date: { type: CalendarDate, required: true, example: '2026-08-14' },
    start_half_day: { type: Type.Boolean({ description: 'It begins at noon of start_date.' }), initial: false },
    end_half_day: { type: Type.Boolean({ description: 'It ends at noon of end_date.' }), initial: false },
    days: { type: Days, ...server, example: '10' },
    reason: { type: Text(0, 2_000, { description: 'Why.' }), nullable: true, ...health },
    review: { type: Review, nullable: true, ...server },
    requested_by: { type: ActorSchema, ...server },
    cancelled_at: { type: Timestamp, nullable: true, ...server },
    cancel_reason: { type: Type.String(), nullable: true, ...server, ...health },
    external_id: { type: ExternalId, nullable: true },
    created_at: { type: Timestamp, ...server, example: '2026-03-02T09:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
  },
  internal: { days_next_year: { type: Days } },
  unique: { external_id: externalIdInUse },
  filters: {
    person_id: equals('person_id'),
    statuses: anyOf('status', 'Any of these statuses.'),
    date_from: matching(CalendarDate, endsFrom),
    date_to: matching(CalendarDate, beginsUntil),
    policy_id: equals('policy_id'),
    leave_types: anyOf('leave_type', 'Any of these kinds of leave.'),
    external_id: equals('external_id'),
  },
  told: [
    'id',
    'person_id',
    'person_email',
    'status',
    'start_date',
    'end_date',
    'days',
    'policy',
    'leave_type',
    'created_at',
  ],
})
export type TimeOffRow = RowFrom<typeof timeOff>

export const timeOffCreated = timeOff.event('time-off.created', 'Time off was requested.', {}, {})
export const timeOffUpdated = timeOff.event(
  'time-off.updated',
  'A request for time off changed.',
  { changed_fields: Type.Array(Type.String()) },
  { changed_fields: ['end_date'] },
)
export const timeOffReviewed = timeOff.event(
  'time-off.reviewed',
  'Time off was approved or rejected.',
  { reviewed_by: ActorSchema },
  { status: 'approved', reviewed_by: { kind: 'token', id: '019b8d2c-7660-7c11-9d02-3f6a8b1e5d74', name: 'HR' } },
)
export const timeOffCancelled = timeOff.event(
  'time-off.cancelled',
  'Time off was cancelled by the client or the worker, or because the person left.',
  {},
  { status: 'cancelled' },
)
export const timeOffStatusUpdated = timeOff.event(
  'time-off.status.updated',
  'Approved time off is over.',
  { previous_status: Type.Enum([...time_off_statuses]) },
  { status: 'used', previous_status: 'approved' },
)

/** The time off in its next status, with what is noted of the step; throws `invalid_state` where none leads there. */
export function moved(row: TimeOffRow, status: TimeOffStatus, noted: Partial<TimeOffRow> = {}): TimeOffRow {
  requireStatus(row, ...steps[status])
  return { ...row, ...noted, status }
}

export function requireStatus({ status }: TimeOffRow, ...allowed: TimeOffStatus[]): void {
  if (!allowed.includes(status)) throw invalidState(`The time off is ${status}; it has to be ${allowed.join(' or ')}.`)
}
