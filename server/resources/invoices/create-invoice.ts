import { defineOperation } from '#core/operation.ts'
import {
  type FieldError,
  invalidState,
  referenceNotFound,
  sensitiveDataRequired,
  validationFailed,
} from '#core/problems.ts'
import { Closed, Id, SetOf } from '#core/schema/schema.ts'
import { businessDate } from '#core/values.ts'
import { contract } from '#resources/contracts/index.ts'
import { adjustmentsToPay } from '#resources/invoice-adjustments/index.ts'
import { timesheetsToPay } from '#resources/timesheets/index.ts'
import { composeInvoice } from './compose.ts'
import { InvoiceAnswer, showInvoice } from './invoice.ts'
import { invoiceIssued, issue_events, issueInvoice, offCycle } from './issue-invoice.ts'
import { negativeTotal, nothingToInvoice } from './problems.ts'

const sources_max = 200
/** An id that is named twice counts once. */
const Sources = (description: string) => SetOf(Id, { minItems: 0, maxItems: sources_max, default: [], description })

export const createInvoice = defineOperation({
  id: 'invoices.create',
  summary: 'Issue an invoice outside the payment cycles',
  description: 'It holds exactly the approved timesheets and adjustments that are named, at least one.',
  method: 'POST',
  path: '/invoices',
  scopes: ['accounting:write'],
  roles: ['owner', 'finance'],
  input: Closed({
    contract_id: Id,
    timesheet_ids: Sources('Approved timesheets of the contract.'),
    invoice_adjustment_ids: Sources('Approved adjustments of the contract.'),
  }),
  output: InvoiceAnswer,
  status: 201,
  problems: [invalidState, referenceNotFound, sensitiveDataRequired, negativeTotal, nothingToInvoice],
  get emits() {
    return [...issue_events, ...invoiceIssued.emits]
  },
  tool: {
    name: 'create_invoice',
    text: 'Issue an invoice outside the payment cycles for approved timesheets and adjustments of one contract.',
    example: {
      contract_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62',
      invoice_adjustment_ids: ['019d2b3c-1a80-7d21-8c04-2f6d1c0e8b17'],
    },
    yields: { invoice_id: 'id' },
  },

  async handle({ contract_id, timesheet_ids, invoice_adjustment_ids }, context) {
    const { tx, caller, now } = context
    const { organization_id, actor, sensitive_data } = caller
    if (timesheet_ids.length + invoice_adjustment_ids.length === 0) {
      const errors = [{ pointer: '/timesheet_ids', message: 'names nothing, and invoice_adjustment_ids neither' }]
      throw validationFailed(undefined, { errors })
    }
    await contract.hold(tx, { organization_id, id: contract_id }, '/contract_id')
    const of = await contract.lock(tx, { organization_id, id: contract_id })
    const timesheets = await timesheetsToPay.byIds(tx, organization_id, timesheet_ids)
    const adjustments = await adjustmentsToPay.byIds(tx, organization_id, invoice_adjustment_ids)
    requireApproved(contract_id, 'timesheet_ids', timesheet_ids, timesheets)
    requireApproved(contract_id, 'invoice_adjustment_ids', invoice_adjustment_ids, adjustments)
    requireToSeePay(sensitive_data, timesheets, adjustments)
    const composition = composeInvoice(of, { fixed: [], timesheets, adjustments }, { takes_all: true })
    if (composition.is_negative) throw negativeTotal()
    if (composition.lines.length === 0) throw nothingToInvoice()
    const collected = { composition, timesheets, adjustments }
    const period = offCycle(of, businessDate(now, of.timezone))
    const issued = await issueInvoice({ context: { ...context, actor }, of, collected, period, id: context.newId() })
    return showInvoice(issued.invoice, issued.lines)
  },
})

/**
 * Amounts decide whether a deduction finds room, and whether a timesheet comes to nothing: an answer would tell them to a
 * caller who may not see them.
 */
export function requireToSeePay(
  sensitive_data: ReadonlySet<string>,
  timesheets: readonly unknown[],
  adjustments: readonly { type: string }[],
): void {
  if (sensitive_data.has('compensation')) return
  if (timesheets.length === 0 && adjustments.every(({ type }) => type !== 'deduction')) return
  throw sensitiveDataRequired('What timesheets and deductions come to is told with the category compensation only.')
}

/** Refuses what is no source of the contract, and then what cannot be invoiced. */
function requireApproved(
  contract_id: string,
  field: string,
  ids: readonly string[],
  rows: readonly { id: string; contract_id: string; status: string }[],
): void {
  const named = new Map(rows.filter((row) => row.contract_id === contract_id).map((row) => [row.id, row]))
  const faults = (messageOf: (status: string | undefined) => string | null): FieldError[] =>
    ids.flatMap((id, at) => {
      const message = messageOf(named.get(id)?.status)
      return message === null ? [] : [{ pointer: `/${field}/${at}`, message }]
    })
  const missing = faults((status) => (status === undefined ? 'does not exist on this contract' : null))
  if (missing.length > 0) throw referenceNotFound(undefined, { errors: missing })
  const wrong = faults((status) => (status === 'approved' ? null : `is ${status}`))
  if (wrong.length > 0) throw invalidState('Only approved work can be invoiced.', { errors: wrong })
}
