import { Timestamp, Type } from '#core/schema/schema.ts'
import { invoice, invoice_statuses } from './invoice.ts'

const paid = { status: 'paid' } as const
const paid_at = '2026-03-04T14:00:00.000Z'

export const invoiceCreated = invoice.event('invoice.created', 'An invoice was issued.', {}, {})
export const invoiceOverdue = invoice.event('invoice.overdue', 'An invoice is unpaid after its due date.', {}, {})
export const invoicePaid = invoice.event(
  'invoice.paid',
  'An invoice was settled.',
  { paid_at: Timestamp },
  { ...paid, paid_at },
)
export const invoiceCancelled = invoice.event(
  'invoice.cancelled',
  'An invoice was taken back.',
  { reason: Type.String() },
  { status: 'cancelled', reason: 'The expense belongs to another month.' },
)
export const invoiceStatusUpdated = invoice.event(
  'invoice.status.updated',
  'The status of an invoice changed.',
  { previous_status: Type.Enum([...invoice_statuses]) },
  { ...paid, previous_status: 'processing' },
)
