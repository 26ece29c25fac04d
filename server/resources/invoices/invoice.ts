import { anyOf, atLeast, atMost, equals } from '#core/filters.ts'
import { invalidState } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { Address } from '#core/schema/address.ts'
import { noted, server } from '#core/schema/fields.ts'
import {
  CalendarDate,
  Country,
  CurrencyCode,
  Id,
  MoneyAmount,
  Nullable,
  Percent,
  Sensitive,
  type Static,
  Text,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import { contract_reference } from '#resources/contracts/index.ts'
import { adjustment_types } from '#resources/invoice-adjustments/index.ts'
import { legalEntity } from '#resources/legal-entities/index.ts'
import { worker_email, worker_name, worker_reference } from '#resources/people/index.ts'

export const invoice_statuses = ['pending', 'processing', 'paid', 'cancelled'] as const
export type InvoiceStatus = (typeof invoice_statuses)[number]

/** The statuses that lead to each (domain rules 3.5); an invoice of nothing is paid as it is issued. */
const steps: Record<InvoiceStatus, readonly InvoiceStatus[]> = {
  pending: ['processing'],
  processing: ['pending'],
  paid: ['processing'],
  cancelled: ['pending'],
}

const Supplier = Type.Object({
  name: Type.String({ example: 'Jonas Weber' }),
  country: Country,
  address: Sensitive('home_address', Address),
  vat_id: Sensitive('personal_identifiers', Type.String()),
})
const Customer = Type.Object({
  name: Type.String({ example: 'Harbour Pine GmbH' }),
  country: Nullable(Country),
  address: Nullable(Address),
  vat_id: Nullable(Type.String()),
  registration_number: Nullable(Type.String()),
})

const amount = (example: string) => ({ type: MoneyAmount, ...server, category: 'compensation', example }) as const

/** A demand for payment; but for its status it never changes. States in domain rules 3.5. */
export const invoice = defineResource({
  name: 'invoice',
  title: 'InvoiceWithoutLines',
  table: 'invoices',
  label: 'number',
  module: 'accounting',
  fields: {
    id: { type: Id, ...server, example: '019c10a2-6c80-7f33-8d04-51b9e2c7a6f0' },
    number: { type: Text(1, 30, { description: 'Counted per year.' }), ...server, example: 'INV-2026-000001' },
    contract_id: { ...contract_reference, ...server },
    worker_id: { ...worker_reference, ...server },
    worker_email,
    status: { type: Type.Enum([...invoice_statuses]), ...server, initial: 'pending', example: 'pending' },
    is_off_cycle: { type: Type.Boolean({ description: 'Of no payment cycle.' }), ...server, example: false },
    is_overdue: { type: Type.Boolean({ description: 'Unpaid after its due date.' }), ...server, initial: false },
    payment_cycle_id: { type: Id, ...noted },
    period_start: { type: CalendarDate, ...noted },
    period_end: { type: CalendarDate, ...noted },
    currency: { type: CurrencyCode, ...server, example: 'EUR' },
    subtotal: amount('2303.23'),
    taxable_base: amount('2303.23'),
    vat_rate: { type: Percent, ...noted, example: '19' },
    reverse_charge: { type: Type.Boolean(), ...server, example: false },
    vat_total: amount('437.61'),
    total: amount('2740.84'),
    issue_date: { type: CalendarDate, ...server, example: '2026-02-01' },
    due_date: { type: CalendarDate, ...server, example: '2026-02-15' },
    paid_at: { type: Timestamp, ...noted },
    cancelled_at: { type: Timestamp, ...noted },
    cancel_reason: { type: Type.String(), ...noted },
    payment_id: { type: Id, ...noted },
    supplier: { type: Supplier, ...server },
    customer: { type: Customer, ...server },
    created_at: { type: Timestamp, ...server, example: '2026-01-31T23:00:00.512Z' },
    updated_at: { type: Timestamp, ...server },
  },
  internal: {
    legal_entity_id: { type: Id, refers: legalEntity },
    worker_name,
  },
  filters: {
    statuses: anyOf('status', 'Any of these statuses.'),
    contract_id: equals('contract_id'),
    worker_id: equals('worker_id'),
    legal_entity_id: equals('legal_entity_id'),
    currencies: anyOf('currency', 'In any of these currencies.'),
    issue_date_from: atLeast('issue_date'),
    issue_date_to: atMost('issue_date'),
    due_date_from: atLeast('due_date'),
    due_date_to: atMost('due_date'),
    is_overdue: equals('is_overdue'),
    is_off_cycle: equals('is_off_cycle'),
    payment_id: equals('payment_id'),
    number: equals('number'),
  },
  told: [
    'id',
    'number',
    'contract_id',
    'worker_id',
    'worker_email',
    'status',
    'is_off_cycle',
    'currency',
    'subtotal',
    'vat_total',
    'total',
    'issue_date',
    'due_date',
    'payment_id',
    'created_at',
  ],
})
export type InvoiceRow = RowFrom<typeof invoice>
export type Parties = { supplier: Static<typeof Supplier>; customer: Static<typeof Customer> }

/** The share of one source in an invoice. */
export const invoiceLine = defineResource({
  name: 'invoice_line',
  title: 'InvoiceLine',
  table: 'invoice_lines',
  fields: {
    id: { type: Id, ...server },
    position: { type: Type.Integer({ minimum: 1 }), ...server },
    type: { type: Type.Enum(['fixed_rate', 'timesheet', ...adjustment_types]), ...server },
    description: { type: Type.String(), ...server, example: 'Platform engineering' },
    quantity: { type: Type.String(), ...server, example: '1' },
    unit_price: amount('2303.23'),
    amount: amount('2303.23'),
    is_taxable: { type: Type.Boolean(), ...server },
    period_start: { type: CalendarDate, ...noted },
    period_end: { type: CalendarDate, ...noted },
    source: {
      group: {
        kind: {
          type: Type.Enum(['payment_cycle', 'timesheet', 'invoice_adjustment']),
          ...server,
          column: 'source_kind',
        },
        id: { type: Id, ...server, column: 'source_id' },
      },
      ...server,
    },
  },
  internal: { invoice_id: { type: Id }, is_standing: { type: Type.Boolean(), initial: true } },
})
export type InvoiceLineRow = RowFrom<typeof invoiceLine>

/** An invoice as it is read by its id. */
export const InvoiceAnswer = Type.Object(
  { ...invoice.answer.properties, lines: Type.Array(invoiceLine.answer) },
  { title: 'Invoice' },
)

export function showInvoice(row: InvoiceRow, lines: readonly InvoiceLineRow[]): Static<typeof InvoiceAnswer> {
  return { ...invoice.show(row), lines: lines.map(invoiceLine.show) }
}

/** Facts that are noted of an invoice after it was issued. */
export type Noted = Partial<Pick<InvoiceRow, 'payment_id' | 'paid_at' | 'cancelled_at' | 'cancel_reason'>>

export const canMove = ({ status }: Pick<InvoiceRow, 'status'>, to: InvoiceStatus) => steps[to].includes(status)

/** The invoice in its next status; throws `invalid_state` where none leads there. One that is settled is not overdue. */
export function moved(row: InvoiceRow, status: InvoiceStatus, noted: Noted): InvoiceRow {
  if (!canMove(row, status)) {
    throw invalidState(`The invoice is ${row.status}; only a ${steps[status].join(' or ')} one can become ${status}.`)
  }
  const is_open = status === 'pending' || status === 'processing'
  return { ...row, ...noted, status, is_overdue: is_open && row.is_overdue }
}
