import { anyOf, equals } from '#core/filters.ts'
import { externalIdInUse } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { CalendarDate, CurrencyCode, Id, MoneyAmount, MoneyInput, Type } from '#core/schema/schema.ts'
import {
  work_item_head,
  work_item_internal,
  work_item_tail,
  workItemEvents,
  workItemFilters,
} from '#resources/work-items/index.ts'

export const adjustment_types = [
  'bonus',
  'commission',
  'deduction',
  'expense',
  'milestone',
  'overtime',
  'other',
] as const

/** The types that a caller may enter. */
export const AdjustmentType = <const Name extends (typeof adjustment_types)[number]>(names: readonly Name[]) =>
  Type.Enum([...names], { description: 'Kind of amount; a deduction is taken off.' })

/** A single amount beside what a contract pays by itself; states in domain rules 3.3. A deduction counts negative. */
export const invoiceAdjustment = defineResource({
  name: 'invoice_adjustment',
  title: 'InvoiceAdjustment',
  table: 'invoice_adjustments',
  soft_delete: true,
  fields: {
    ...work_item_head,
    type: { type: AdjustmentType(adjustment_types), required: true, fixed: true, example: 'expense' },
    amount: { type: MoneyInput, shown: MoneyAmount, required: true, category: 'compensation', example: '89.90' },
    currency: { type: CurrencyCode, fixed: true, about: 'That of the contract.', example: 'EUR' },
    date: { type: CalendarDate, about: 'The cycle of this date collects it; default: today.', example: '2026-03-12' },
    is_taxable: { type: Type.Boolean(), about: 'VAT is added; default: all but expenses.', example: false },
    is_recurring: {
      type: Type.Boolean({ description: 'Each cycle makes a copy for the next.' }),
      initial: false,
      example: false,
    },
    recurring_until: { type: CalendarDate, nullable: true, about: 'No copy is made beyond it.' },
    recurred_from_id: { type: Id, set_by: 'server', nullable: true },
    ...work_item_tail,
  },
  internal: work_item_internal,
  unique: { external_id: { problem: externalIdInUse, detail: 'Another adjustment has this external_id.' } },
  filters: {
    ...workItemFilters('date'),
    types: anyOf('type', 'Any of these types.'),
    is_recurring: equals('is_recurring'),
  },
  told: [
    'id',
    'contract_id',
    'worker_id',
    'worker_email',
    'type',
    'status',
    'amount',
    'currency',
    'date',
    'is_recurring',
    'recurred_from_id',
    'external_id',
    'created_at',
  ],
})
export type InvoiceAdjustmentRow = RowFrom<typeof invoiceAdjustment>

export const adjustmentEvents = workItemEvents(invoiceAdjustment, 'invoice-adjustment', 'An adjustment')
