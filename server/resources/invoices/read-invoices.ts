import type { Caller } from '#core/caller.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { referenceNotFound, sensitiveDataRequired } from '#core/problems.ts'
import { Closed, PageInput, PageOf, type Static } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { workerOf } from '#resources/people/index.ts'
import { linesOf, ofWorker } from './invoice.store.ts'
import { InvoiceAnswer, invoice, showInvoice } from './invoice.ts'
import { print } from './print.ts'

const Path = Closed(invoice.path)
type Reader = 'client' | 'worker'

const { statuses, issue_date_from, issue_date_to } = invoice.filters
const client = { scopes: ['accounting:read'], roles: ['owner', 'admin', 'finance'] } as const
const worker = { scopes: ['worker:read'] } as const

export const listInvoices = defineOperation({
  ...client,
  id: 'invoices.list',
  summary: 'List invoices',
  description: 'Without their lines.',
  method: 'GET',
  path: '/invoices',
  input: Closed({ ...PageInput, ...invoice.filters }),
  output: PageOf(invoice.answer),
  problems: [referenceNotFound],
  tool: {
    name: 'list_invoices',
    text: 'List invoices by status, worker, dates or overdue flag.',
    yields: { invoice_id: 'id', payment_id: 'payment_id' },
    omits: ['supplier', 'customer', 'taxable_base', 'reverse_charge', 'cancel_reason'],
  },

  handle: (filter, context) => invoice.page(context, filter),
})

export const workerListInvoices = defineOperation({
  ...worker,
  id: 'worker.list_invoices',
  summary: 'List the calling worker’s invoices',
  description: 'Without their lines.',
  method: 'GET',
  path: '/worker/invoices',
  input: Closed({ ...PageInput, statuses, issue_date_from, issue_date_to }),
  output: PageOf(invoice.answer),

  handle: (filter, context) => invoice.page(context, filter, [ofWorker(workerOf(context.caller))]),
})

export const getInvoice = defineOperation({
  ...client,
  ...reading('client'),
  id: 'invoices.get',
  summary: 'Get an invoice with its lines',
  path: '/invoices/:invoice_id',
  tool: { name: 'get_invoice', text: 'Get one invoice with its lines and totals.' },
})

export const workerGetInvoice = defineOperation({
  ...worker,
  ...reading('worker'),
  id: 'worker.get_invoice',
  summary: 'Get one of the calling worker’s invoices with its lines',
  path: '/worker/invoices/:invoice_id',
})

export const getInvoicePdf = defineOperation({
  ...client,
  ...printing('client'),
  id: 'invoices.get_pdf',
  summary: 'Get an invoice as a PDF',
  path: '/invoices/:invoice_id/pdf',
})

export const workerGetInvoicePdf = defineOperation({
  ...worker,
  ...printing('worker'),
  id: 'worker.get_invoice_pdf',
  summary: 'Get one of the calling worker’s invoices as a PDF',
  path: '/worker/invoices/:invoice_id/pdf',
})

function reading(reader: Reader) {
  return {
    method: 'GET',
    input: Path,
    output: InvoiceAnswer,
    async lock(input: Static<typeof Path>, context: Context) {
      const { organization_id, contract_id: id } = await find(reader, input, context)
      await contract.lock(context.tx, { organization_id, id })
      return invoice.lock(context.tx, { organization_id, id: input.invoice_id })
    },

    async handle(input: Static<typeof Path>, context: Context) {
      const row = await find(reader, input, context)
      return showInvoice(row, await linesOf(context.tx, row))
    },
  } as const
}

function printing(reader: Reader) {
  const { lock: _, ...read } = reading(reader)
  return {
    ...read,
    description:
      'As it was issued, whatever became of it; the same bytes each time. What the credential may not see is a dash. An organization has at most four printed at once.',
    file: {
      media_type: 'application/pdf',
      file_name: ({ number }: Static<typeof InvoiceAnswer>) => `${number}.pdf`,
      write: (invoice: Static<typeof InvoiceAnswer>, { organization_id }: Pick<Caller, 'organization_id'>) =>
        print(invoice, organization_id),
    },
    problems: [sensitiveDataRequired],

    handle(input: Static<typeof Path>, context: Context) {
      if (!context.caller.sensitive_data.has('compensation')) {
        throw sensitiveDataRequired('A printed invoice needs the category compensation.')
      }
      return read.handle(input, context)
    },
  } as const
}

/** The invoice of a path; a worker sees its own ones only. */
function find(reader: Reader, { invoice_id: id }: Static<typeof Path>, { caller, tx }: Context) {
  const { organization_id } = caller
  return invoice.get(tx, { organization_id, id, ...(reader === 'worker' && { worker_id: workerOf(caller) }) })
}
