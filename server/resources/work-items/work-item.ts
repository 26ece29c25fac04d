import type { TProperties } from 'typebox'
import { anyOf, atLeast, atMost, equals, withDeleted } from '#core/filters.ts'
import type { EventType } from '#core/operation.ts'
import { defineProblem, invalidState } from '#core/problems.ts'
import { type Fields, noted, type RowOf, server } from '#core/schema/fields.ts'
import {
  ActorSchema,
  ExternalId,
  Id,
  MultilineText,
  Nullable,
  type Static,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import { contract_reference } from '#resources/contracts/index.ts'
import { worker_email, worker_name, worker_reference } from '#resources/people/index.ts'

export const work_item_statuses = ['pending', 'approved', 'declined', 'invoiced', 'paid', 'not_payable'] as const
export type WorkItemStatus = (typeof work_item_statuses)[number]

export const contractTypeUnsupported = defineProblem({
  code: 'contract_type_unsupported',
  status: 422,
  title: 'Contracts of this type do not have this',
  advice:
    'Timesheets belong to pay_as_you_go contracts, milestones to milestone contracts; employees are paid by payroll.',
})

/** Statuses that each trigger finds a work item in (domain rules 3.3); in all others it answers `invalid_state`. */
const triggers = {
  changed: ['pending'],
  reviewed: ['pending'],
  deleted: ['pending', 'approved', 'declined'],
  invoiced: ['approved'],
  freed: ['invoiced'],
  paid: ['invoiced'],
  'left over': ['pending', 'approved'],
} as const satisfies Record<string, readonly WorkItemStatus[]>
export type Trigger = keyof typeof triggers

export const isOpenTo = (trigger: Trigger, { status }: { status: WorkItemStatus }) =>
  triggers[trigger].some((from) => from === status)

export function requireOpenTo(trigger: Trigger, row: { status: WorkItemStatus }): void {
  if (!isOpenTo(trigger, row)) throw invalidState(closedTo(trigger, row))
}

/** Says why an item is not open to a trigger, and by what a mistake in it is put right. */
export function closedTo(trigger: Trigger, { status }: { status: WorkItemStatus }): string {
  const from = triggers[trigger].join(' or ')
  const instead = trigger === 'changed' || trigger === 'deleted' ? corrections[status] : undefined
  return [`It is ${status}; only a ${from} one can be ${trigger}.`, instead].filter(Boolean).join(' ')
}

const by_adjustment = 'An adjustment of the difference puts it right; a deduction takes back.'
const corrections: Partial<Record<WorkItemStatus, string>> = {
  approved: 'The company can delete it, and it is entered anew.',
  declined: 'Enter it anew.',
  invoiced: by_adjustment,
  paid: by_adjustment,
}

const Review = Type.Object({
  status: Type.Enum(['approved', 'declined']),
  reason: Nullable(Type.String()),
  reviewed_by: ActorSchema,
  reviewed_at: Timestamp,
})
export type Review = Static<typeof Review>

/** The fields that every work item begins with: whose it is, and how far it has come. */
export const work_item_head = {
  id: { type: Id, ...server, example: '019d2b3c-1a80-7d21-8c04-2f6d1c0e8b17' },
  contract_id: { ...contract_reference, required: true, fixed: true },
  worker_id: { ...worker_reference, ...server },
  worker_email,
  worker_name,
  status: { type: Type.Enum([...work_item_statuses]), ...server, initial: 'pending', example: 'pending' },
} as const satisfies Fields

/** The fields that every work item ends with. */
export const work_item_tail = {
  description: {
    type: MultilineText(1, 2_000, { description: 'Words for the invoice.' }),
    required: true,
    example: 'Week 10',
  },
  external_id: { type: ExternalId, nullable: true },
  submitted_by: { type: ActorSchema, ...server },
  review: { type: Review, ...noted },
  payment_cycle_id: { type: Id, ...noted },
  invoice_id: { type: Id, ...noted },
  created_at: { type: Timestamp, ...server, example: '2026-03-06T16:00:00.000Z' },
  updated_at: { type: Timestamp, ...server },
  deleted_at: { type: Timestamp, ...noted },
} as const satisfies Fields

/** Business time of the approval: it decides in which cycle the item is collected. */
export const work_item_internal = { approved_at: { type: Timestamp, nullable: true } } as const satisfies Fields

/** The filters of every list of work items; `date` is the column by which an item belongs to a cycle. */
export const workItemFilters = <const Column extends string>(date: Column) => ({
  contract_id: equals('contract_id'),
  worker_id: equals('worker_id'),
  statuses: anyOf('status', 'Any of these statuses.'),
  date_from: atLeast(date),
  date_to: atMost(date),
  invoice_id: equals('invoice_id'),
  payment_cycle_id: equals('payment_cycle_id'),
  external_id: equals('external_id'),
  include_deleted: withDeleted,
})

/** The part of a row that all work items have. */
export type WorkItemRow = RowOf<typeof work_item_head & typeof work_item_tail, typeof work_item_internal> & {
  organization_id: string
}

interface Noun {
  readonly event: (type: string, summary: string, more: TProperties, example: never) => EventType
}

/** The events of a work item; `one` is `A timesheet`. */
export function workItemEvents({ event }: Noun, type: string, one: string) {
  const reason = Nullable(Type.String())
  // The casts hold because each example has the further members, and may have any of the usual ones.
  return {
    created: event(`${type}.created`, `${one} was stored.`, {}, {} as never),
    updated: event(`${type}.updated`, `${one} changed.`, { changed_fields: Type.Array(Type.String()) }, {
      changed_fields: ['description'],
    } as never),
    deleted: event(`${type}.deleted`, `${one} was removed.`, { reason }, { reason: 'entered twice' } as never),
    reviewed: event(`${type}.reviewed`, `${one} was approved or declined.`, { reviewed_by: ActorSchema, reason }, {
      status: 'approved',
      reviewed_by: { kind: 'user', id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3', name: 'Nora Pine' },
      reason: null,
    } as never),
    status_updated: event(
      `${type}.status.updated`,
      `${one} was invoiced, paid, freed or found not payable.`,
      { previous_status: Type.Enum([...work_item_statuses]), invoice_id: Nullable(Id) },
      {
        status: 'invoiced',
        previous_status: 'approved',
        invoice_id: '019ceab7-3080-7b11-9d02-5e8f3a7c6b14',
      } as never,
    ),
  }
}
export type WorkItemEvents = ReturnType<typeof workItemEvents>
