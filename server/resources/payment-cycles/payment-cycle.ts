import { anyOf } from '#core/filters.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { CalendarDate, CurrencyCode, Id, Timestamp, Type } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'

export const cycle_statuses = ['upcoming', 'active', 'invoiced', 'paid', 'skipped', 'cancelled'] as const

/** A period that a contract is paid by; states in domain rules 3.4, dates in 6.2 and 6.3. */
export const paymentCycle = defineResource({
  name: 'payment_cycle',
  title: 'PaymentCycle',
  table: 'payment_cycles',
  module: 'accounting',
  fields: {
    id: { type: Id, ...server, example: '019bb6cc-4900-7d21-a1c4-2f0e8b7d9c11' },
    contract_id: { type: Id, ...server, refers: contract, example: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' },
    status: { type: Type.Enum([...cycle_statuses]), ...server, example: 'invoiced' },
    start_date: { type: CalendarDate, ...server, example: '2026-01-15' },
    end_date: { type: CalendarDate, ...server, example: '2026-01-31' },
    nominal_start_date: { type: CalendarDate, ...server },
    nominal_end_date: { type: CalendarDate, ...server },
    issue_date: { type: CalendarDate, ...server },
    due_date: { type: CalendarDate, ...server },
    closes_at: { type: Timestamp, ...server },
    currency: { type: CurrencyCode, ...server },
    invoice_id: { type: Id, ...server, nullable: true, example: '019c10a2-6c80-7f33-8d04-51b9e2c7a6f0' },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
  },
  filters: { statuses: anyOf('status', 'Any of these statuses.') },
  told: ['id', 'contract_id', 'status', 'start_date', 'end_date', 'invoice_id'],
})
export type PaymentCycleRow = RowFrom<typeof paymentCycle>

/** The input that names a cycle. */
export const PaymentCyclePath = { ...contract.path, ...paymentCycle.path }

export const paymentCycleClosed = paymentCycle.event(
  'payment-cycle.closed',
  'A cycle ended, with or without an invoice.',
  { worker_email: contract.entry.worker_email },
  { worker_email: 'jonas@harbour.example' },
)
