import { csvOf } from '#core/csv.ts'
import { defineOperation } from '#core/operation.ts'
import { dateOutOfRange, referenceNotFound } from '#core/problems.ts'
import { CalendarDate, Closed, Type } from '#core/schema/schema.ts'
import { requireRow } from '#core/table.ts'
import { addDays } from '#core/values.ts'
import { legalEntity } from '#resources/legal-entities/index.ts'
import { exportedLines } from './invoice.store.ts'
import { invoice, invoiceLine } from './invoice.ts'

const days_max = 366

const { number, status, contract_id, worker_email, issue_date, due_date, paid_at } = invoice.answer.properties
const { currency, vat_rate, vat_total, total } = invoice.answer.properties
const { position, type, description, source, quantity, unit_price, amount, is_taxable } = invoiceLine.answer.properties
const { kind, id } = source.properties

/** The columns in their order. */
const Exported = Type.Object({
  ...{ number, status, contract_id, worker_email, worker_name: Type.String(), issue_date, due_date, paid_at },
  ...{ line_position: position, line_type: type, line_description: description, source_kind: kind, source_id: id },
  ...{ quantity, unit_price, amount, currency, is_taxable, vat_rate, vat_total, total },
})
// The cast gives the keys their names back.
const columns = Object.keys(Exported.properties) as (keyof typeof Exported.properties)[]
const numbers = new Set(['line_position', 'quantity', 'unit_price', 'amount', 'vat_rate', 'vat_total', 'total'])

const { currencies, legal_entity_id } = invoice.filters

export const exportInvoices = defineOperation({
  id: 'invoices.export',
  summary: 'Export invoices as CSV',
  description: 'One row per line of every invoice that was issued from `from` to `to`, cancelled ones included.',
  method: 'GET',
  path: '/invoices/export',
  scopes: ['accounting:read'],
  roles: ['owner', 'admin', 'finance'],
  input: Closed({
    from: { ...CalendarDate, description: 'First date of issue.' } as typeof CalendarDate,
    to: { ...CalendarDate, description: `Last date of issue, at most ${days_max} days in all.` } as typeof CalendarDate,
    currencies,
    legal_entity_id,
  }),
  output: Type.Array(Exported),
  file: {
    media_type: 'text/csv; charset=utf-8',
    file_name: () => 'invoices.csv',
    write: (rows) => csvOf(columns, numbers, rows),
  },
  problems: [dateOutOfRange, referenceNotFound],

  async handle({ from, to, ...filter }, { caller: { organization_id }, tx }) {
    if (to < from || to > addDays(from, days_max - 1)) {
      const message = `must be from ${from} to ${addDays(from, days_max - 1)}`
      throw dateOutOfRange(undefined, { errors: [{ pointer: '/to', message }] })
    }
    if (filter.legal_entity_id) {
      await requireRow(tx, legalEntity, organization_id, filter.legal_entity_id, '/legal_entity_id')
    }
    return exportedLines(tx, invoice.list(organization_id, { ...filter, issue_date_from: from, issue_date_to: to }))
  },
})
