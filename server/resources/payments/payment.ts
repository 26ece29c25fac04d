import { anyOf, equals, matching } from '#core/filters.ts'
import { externalIdInUse } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { noted, server } from '#core/schema/fields.ts'
import {
  ActorSchema,
  CalendarDate,
  CurrencyCode,
  ExternalId,
  Id,
  MoneyAmount,
  Sensitive,
  type Static,
  Text,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { invoice } from '#resources/invoices/index.ts'
import { createdFrom, createdTo, hasInvoice, invoicesOfPayment, paysContract } from './payment.store.ts'

export const payment_statuses = ['pending_approval', 'processing', 'completed', 'failed', 'cancelled'] as const
export type PaymentStatus = (typeof payment_statuses)[number]

const amount = (example: string) => ({ type: MoneyAmount, ...server, category: 'compensation', example }) as const

/** One of the invoices that a payment pays. */
export const PaidInvoice = Type.Object({
  invoice_id: Id,
  number: Type.String({ example: 'INV-2026-000012' }),
  contract_id: Id,
  worker_id: Id,
  worker_email: Type.String({ example: 'liam@harbour.example' }),
  total: Sensitive('compensation', MoneyAmount),
  has_bank_account: Sensitive(
    'bank_details',
    Type.Boolean({ description: 'An account of the worker is known now.', example: true }),
  ),
})
export type PaidInvoice = Static<typeof PaidInvoice>

/** Money on its way to the workers of some invoices; states in domain rules 3.6. */
export const payment = defineResource({
  name: 'payment',
  title: 'Payment',
  table: 'payments',
  label: 'number',
  module: 'accounting',
  fields: {
    id: { type: Id, ...server, example: '019d1f4e-04e0-7a01-8b66-0c9d27e4f358' },
    number: { type: Type.String(), ...server, example: 'PAY-2026-000004' },
    status: { type: Type.Enum([...payment_statuses]), ...server, example: 'processing' },
    currency: { type: CurrencyCode, ...server, example: 'USD' },
    total: amount('6165.00'),
    fee: amount('0.00'),
    provider: { type: Type.String(), ...server, initial: 'manual', example: 'manual' },
    reference: { type: Text(0, 140, { description: 'Words on the statement.' }), nullable: true, fixed: true },
    value_date: {
      // The cast holds because only its words are others.
      type: {
        ...CalendarDate,
        description: 'The day it is to arrive; once settled, the day it did.',
      } as typeof CalendarDate,
      nullable: true,
      fixed: true,
    },
    external_id: { type: ExternalId, nullable: true, fixed: true, example: 'P4' },
    invoices: { type: Type.Array(PaidInvoice), read_from: invoicesOfPayment },
    created_by: { type: ActorSchema, ...server },
    approved_by: { type: ActorSchema, ...noted },
    approved_at: { type: Timestamp, ...noted },
    initiated_at: { type: Timestamp, ...noted },
    completed_at: { type: Timestamp, ...noted },
    failed_at: { type: Timestamp, ...noted },
    cancelled_at: { type: Timestamp, ...noted },
    failure_reason: { type: Type.String(), ...noted },
    cancel_reason: { type: Type.String(), ...noted },
    created_at: { type: Timestamp, ...server, example: '2026-03-24T10:05:00.000Z' },
    updated_at: { type: Timestamp, ...server },
  },
  internal: {
    maker_user_ids: { type: Type.Array(Id) },
    ask_at: { type: Timestamp, nullable: true },
    accepted_at: { type: Timestamp, nullable: true },
  },
  unique: { external_id: externalIdInUse },
  filters: {
    statuses: anyOf('status', 'Any of these statuses.'),
    currencies: anyOf('currency', 'In any of these currencies.'),
    invoice_id: matching(Id, hasInvoice, invoice),
    contract_id: matching(Id, paysContract, contract),
    created_from: matching(CalendarDate, createdFrom),
    created_to: matching(CalendarDate, createdTo),
    external_id: equals('external_id'),
  },
})
export type PaymentRow = RowFrom<typeof payment>
