import { externalIdInUse } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { CalendarDate, CurrencyCode, MoneyAmount, Type } from '#core/schema/schema.ts'
import { trimDecimal } from '#core/values.ts'
import {
  work_item_head,
  work_item_internal,
  work_item_tail,
  workItemEvents,
  workItemFilters,
} from '#resources/work-items/index.ts'

/** 0.01 to 10000 with at most 4 decimals. */
const Quantity = Type.String({
  pattern: '^([1-9][0-9]{0,3}(\\.[0-9]{1,4})?|10000(\\.0{1,4})?|0\\.(0[1-9]|[1-9][0-9]?)[0-9]{0,2})$',
  description: 'Hours or days: decimal string from 0.01 to 10000 with at most 4 decimals, such as "36.25".',
})

/** Work reported on a pay-as-you-go contract; states in domain rules 3.3. */
export const timesheet = defineResource({
  name: 'timesheet',
  title: 'Timesheet',
  table: 'timesheets',
  soft_delete: true,
  fields: {
    ...work_item_head,
    start_date: { type: CalendarDate, required: true, example: '2026-03-02' },
    end_date: { type: CalendarDate, about: 'Default: start_date.', example: '2026-03-06' },
    quantity: { type: Quantity, required: true, stored: trimDecimal, example: '38.5' },
    scale: { type: Type.Enum(['hourly', 'daily']), ...server, example: 'hourly' },
    rate: { type: MoneyAmount, ...server, category: 'compensation', example: '45.00' },
    total_amount: { type: MoneyAmount, ...server, category: 'compensation', example: '1732.50' },
    currency: { type: CurrencyCode, ...server, example: 'EUR' },
    ...work_item_tail,
  },
  internal: work_item_internal,
  unique: { external_id: externalIdInUse },
  filters: workItemFilters('end_date'),
  told: [
    'id',
    'contract_id',
    'worker_id',
    'worker_email',
    'status',
    'start_date',
    'end_date',
    'quantity',
    'scale',
    'rate',
    'total_amount',
    'currency',
    'external_id',
    'created_at',
  ],
})
export type TimesheetRow = RowFrom<typeof timesheet>

export const timesheetEvents = workItemEvents(timesheet, 'timesheet', 'A timesheet')
