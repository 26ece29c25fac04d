import { defineEvent } from '#core/operation.ts'
import { CurrencyCode, Id, MoneyAmount, Nullable, Sensitive, Timestamp, Type } from '#core/schema/schema.ts'

const Amount = Sensitive('compensation', MoneyAmount)

const contract_id = '019c9e59-04c0-7c22-8a17-1f4b6d9e0c53'
const invoice = (invoice_id: string, number: string, total: string) => ({
  invoice_id,
  number,
  contract_id,
  worker_email: 'liam@harbour.example',
  total,
})

/**
 * Named by the interface specification (6.1), so it is in the catalogue from the start and can be subscribed to and
 * simulated. Payments themselves, and with them its real occurrences, come with the accounting operations.
 */
defineEvent({
  type: 'payment.completed',
  module: 'accounting',
  summary: 'The provider or the operator confirmed settlement.',
  entry: Type.Object({
    payment_id: Id,
    number: Type.String(),
    status: Type.Enum(['pending_approval', 'processing', 'completed', 'failed', 'cancelled']),
    currency: CurrencyCode,
    total: Amount,
    fee: Amount,
    provider: Type.String(),
    reference: Nullable(Type.String()),
    external_id: Nullable(Type.String()),
    invoices: Type.Array(
      Type.Object({
        invoice_id: Id,
        number: Type.String(),
        contract_id: Id,
        worker_email: Type.String(),
        total: Amount,
      }),
    ),
    created_at: Timestamp,
    completed_at: Timestamp,
  }),
  example: {
    payment_id: '019d1f4e-04e0-7a01-8b66-0c9d27e4f358',
    number: 'PAY-2026-000004',
    status: 'completed',
    currency: 'USD',
    total: '6165.00',
    fee: '12.00',
    provider: 'manual',
    reference: null,
    external_id: 'P4',
    invoices: [
      invoice('019ceab7-3080-7b11-9d02-5e8f3a7c6b14', 'INV-2026-000012', '4365.00'),
      invoice('019d0ec3-b480-7b47-8f60-2a91d5c3e780', 'INV-2026-000016', '1800.00'),
    ],
    created_at: '2026-03-24T10:05:00.000Z',
    completed_at: '2026-03-25T14:00:00.000Z',
  },
})
