import { eventsAbout } from '#core/operation.ts'
import { ActorSchema, Id, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { PaidInvoice, type PaymentRow, payment } from './payment.ts'

const { number, status, currency, total, fee, provider, reference, external_id, created_at } = payment.answer.properties
const { worker_id: _, has_bank_account: __, ...told_of_invoice } = PaidInvoice.properties

const contract_id = '019c9e59-04c0-7c22-8a17-1f4b6d9e0c53'
const invoice = (invoice_id: string, number: string, total: string) => ({
  invoice_id,
  number,
  contract_id,
  worker_email: 'liam@harbour.example',
  total,
})

const event = eventsAbout(
  'accounting',
  {
    payment_id: Id,
    ...{ number, status, currency, total, fee, provider, reference, external_id },
    invoices: Type.Array(Type.Object(told_of_invoice)),
    created_at,
  },
  {
    payment_id: '019d1f4e-04e0-7a01-8b66-0c9d27e4f358',
    number: 'PAY-2026-000004',
    status: 'processing',
    currency: 'USD',
    total: '6165.00',
    fee: '0.00',
    provider: 'manual',
    reference: null,
    external_id: 'P4',
    invoices: [
      invoice('019ceab7-3080-7b11-9d02-5e8f3a7c6b14', 'INV-2026-000012', '4365.00'),
      invoice('019d0ec3-b480-7b47-8f60-2a91d5c3e780', 'INV-2026-000016', '1800.00'),
    ],
    created_at: '2026-03-24T10:05:00.000Z',
  },
)

/** The entry of an event about a payment. */
export function entryOf(row: PaymentRow) {
  const { id: payment_id, number, status, currency, total, fee, provider, reference, external_id, created_at } = row
  const invoices = row.invoices.map(({ worker_id: _, has_bank_account: __, ...told }) => told)
  return { payment_id, number, status, currency, total, fee, provider, reference, external_id, invoices, created_at }
}

export const paymentCreated = event('payment.created', 'A payment was stored.', {}, {})
export const paymentApproved = event(
  'payment.approved',
  'A second person released a payment.',
  { approved_by: ActorSchema },
  { approved_by: { kind: 'user', id: '019b8d2b-8c00-7b41-9f03-27d8c1a5e690', name: 'Omar' } },
)
export const paymentInitiated = event(
  'payment.initiated',
  'A payment was handed to its provider.',
  { initiated_at: Timestamp },
  { initiated_at: '2026-03-24T10:05:00.000Z' },
)
export const paymentCompleted = event(
  'payment.completed',
  'The provider or the operator confirmed settlement.',
  { completed_at: Timestamp },
  { status: 'completed', fee: '12.00', completed_at: '2026-03-25T14:00:00.000Z' },
)
export const paymentFailed = event(
  'payment.failed',
  'The settlement of a payment was refused.',
  { failed_at: Timestamp, failure_reason: Type.String() },
  { status: 'failed', failed_at: '2026-03-25T14:00:00.000Z', failure_reason: 'The account is closed.' },
)
export const paymentCancelled = event(
  'payment.cancelled',
  'A payment was withdrawn before its approval.',
  { cancelled_at: Timestamp, reason: Nullable(Type.String()) },
  { status: 'cancelled', cancelled_at: '2026-03-24T11:00:00.000Z', reason: null },
)
