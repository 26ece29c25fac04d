import { defineOperation } from '#core/operation.ts'
import { invalidState, sensitiveDataRequired } from '#core/problems.ts'
import { Closed, CurrencyCode, Id, Type } from '#core/schema/schema.ts'
import { businessDate, latest } from '#core/values.ts'
import { agreedTerms } from '#resources/amendments/index.ts'
import { contract, dueDate, termsAt, termsVersions } from '#resources/contracts/index.ts'
import { PaymentCyclePath, type PaymentCycleRow, paymentCycle } from '#resources/payment-cycles/index.ts'
import { requireToSeePay } from './create-invoice.ts'
import { InvoiceAnswer, invoice, invoiceLine, showInvoice } from './invoice.ts'
import { collectCycle, invoiceIssued, issue_events, issueInvoice } from './issue-invoice.ts'
import { nothingToInvoice } from './problems.ts'

const { id: _, ...Line } = invoiceLine.answer.properties
const { subtotal, taxable_base, vat_rate, vat_total, total } = invoice.answer.properties

export const previewCycleInvoice = defineOperation({
  id: 'payment_cycles.preview',
  summary: 'Show what the invoice of a payment cycle would contain now',
  description:
    'As if the cycle closed now, with amendments that are signed for a day of it. Deductions that find no room wait for the next invoice.',
  method: 'GET',
  path: '/contracts/:contract_id/payment-cycles/:payment_cycle_id/preview',
  scopes: ['contracts:read', 'accounting:read'],
  input: Closed(PaymentCyclePath),
  output: Type.Object({
    contract_id: Id,
    payment_cycle_id: Id,
    currency: CurrencyCode,
    lines: Type.Array(Type.Object(Line)),
    ...{ subtotal, taxable_base, vat_rate, vat_total, total },
    deferred_adjustment_ids: Type.Array(Id),
  }),
  problems: [invalidState, sensitiveDataRequired],
  tool: { name: 'preview_cycle_invoice', text: 'Show what the invoice of a payment cycle would contain now.' },

  async handle({ contract_id, payment_cycle_id }, context) {
    const { tx, caller } = context
    const { organization_id } = caller
    const of = await contract.get(tx, { organization_id, id: contract_id })
    const cycle = await paymentCycle.get(tx, { organization_id, contract_id, id: payment_cycle_id })
    requireStatus(cycle, 'upcoming', 'active', 'skipped')
    // The amendments that are signed for a day of the cycle count by then.
    const versions = await agreedTerms(of, tx)
    const { composition, timesheets, adjustments } = await collectCycle(context, { of, cycle, versions })
    requireToSeePay(caller.sensitive_data, timesheets, adjustments)
    const { lines, is_negative: __, reverse_charge: ___, ...sums } = composition
    const numbered = lines.map(({ source_kind: kind, source_id: id, ...line }, at) => ({
      ...{ position: at + 1, ...line, source: { kind, id } },
    }))
    return { contract_id, payment_cycle_id, lines: numbered, ...sums }
  },
})

export const invoicePaymentCycle = defineOperation({
  id: 'payment_cycles.invoice',
  summary: 'Invoice a payment cycle that was skipped',
  description: 'With everything that is approved by now, dated today; one whose invoice was cancelled is skipped too.',
  method: 'POST',
  path: '/contracts/:contract_id/payment-cycles/:payment_cycle_id/invoice',
  scopes: ['accounting:write'],
  roles: ['owner', 'finance'],
  input: Closed(PaymentCyclePath),
  output: InvoiceAnswer,
  status: 201,
  location: ({ id }) => `/invoices/${id}`,
  subject: 'invoices',
  problems: [invalidState, sensitiveDataRequired, nothingToInvoice],
  get emits() {
    return [...issue_events, ...invoiceIssued.emits]
  },

  async handle({ contract_id, payment_cycle_id: id }, context) {
    const { tx, caller, now } = context
    const { organization_id, actor } = caller
    const of = await contract.lock(tx, { organization_id, id: contract_id })
    const cycle = await paymentCycle.lock(tx, { organization_id, contract_id, id })
    requireStatus(cycle, 'skipped')
    const versions = await termsVersions(tx, organization_id, contract_id)
    const collected = await collectCycle(context, { of, cycle, versions })
    requireToSeePay(caller.sensitive_data, collected.timesheets, collected.adjustments)
    if (collected.composition.lines.length === 0) throw nothingToInvoice()
    // The number is taken and the ledger booked today: a date of the past would change balances that were told (0137).
    const issue_date = latest(cycle.issue_date, businessDate(now, of.timezone))
    const period = { cycle, issue_date, due_date: dueDate(issue_date, termsAt(versions, cycle.end_date)) }
    const issuing = { context: { ...context, actor }, of, collected, period }
    const issued = await issueInvoice({ ...issuing, id: context.newId() })
    return showInvoice(issued.invoice, issued.lines)
  },
})

function requireStatus({ status }: PaymentCycleRow, ...allowed: PaymentCycleRow['status'][]): void {
  if (!allowed.includes(status)) throw invalidState(`The cycle is ${status}; it has to be ${allowed.join(' or ')}.`)
}
