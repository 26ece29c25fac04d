import { defineOperation } from '#core/operation.ts'
import { referenceNotFound } from '#core/problems.ts'
import { BankAccount } from '#core/schema/bank-account.ts'
import {
  Closed,
  CurrencyCode,
  MoneyAmount,
  PageInput,
  PageOf,
  Sensitive,
  type Static,
  Type,
} from '#core/schema/schema.ts'
import { breakdown_columns, breakdown_tables, isOfPayment } from './payment.store.ts'
import { PaidInvoice, payment } from './payment.ts'

const reading = { method: 'GET', scopes: ['accounting:read'], roles: ['owner', 'admin', 'finance'] } as const

export const listPayments = defineOperation({
  ...reading,
  id: 'payments.list',
  summary: 'List payments',
  path: '/payments',
  input: Closed({ ...PageInput, ...payment.filters }),
  output: PageOf(payment.answer),
  problems: [referenceNotFound],
  tool: { name: 'list_payments', text: 'List payments and their state.', yields: { payment_id: 'id' } },
  handle: (filter, context) => payment.page(context, filter),
})

export const getPayment = defineOperation({
  ...reading,
  id: 'payments.get',
  summary: 'Get a payment',
  path: '/payments/:payment_id',
  input: Closed(payment.path),
  output: payment.answer,
  lock: ({ payment_id: id }, { tx, caller: { organization_id } }) => payment.lock(tx, { organization_id, id }),
  handle: async ({ payment_id: id }, { tx, caller: { organization_id } }) =>
    payment.show(await payment.get(tx, { organization_id, id })),
})

const Amount = Sensitive('compensation', MoneyAmount)
const amounts = {
  ...{ fixed_rate: Amount, timesheets: Amount, bonus: Amount, commission: Amount, overtime: Amount, milestone: Amount },
  ...{ expense: Amount, deduction: Amount, other: Amount, vat_total: Amount, total: Amount },
}

const { total: _, ...of_invoice } = PaidInvoice.properties

/** An invoice of a payment by kinds of amounts. */
const Share = Type.Object(
  {
    ...of_invoice,
    worker_name: Type.String({ example: 'Liam Walsh' }),
    bank_account: Sensitive('bank_details', BankAccount),
    currency: CurrencyCode,
    ...amounts,
  },
  { title: 'PaymentShare' },
)

export const getPaymentBreakdown = defineOperation({
  ...reading,
  id: 'payments.get_breakdown',
  summary: 'Explain a payment by invoice and kind of amount',
  description:
    'Deductions are negative; the total is the sum of all kinds and the VAT. The bank account is the one that the worker has now.',
  path: '/payments/:payment_id/breakdown',
  input: Closed({ ...PageInput, ...payment.path }),
  output: PageOf(Share),
  tool: { name: 'get_payment_breakdown', text: 'Explain a payment per worker and per kind of amount.' },

  async handle({ payment_id: id }, { tx, page, caller: { organization_id } }) {
    await payment.get(tx, { organization_id, id })
    return page<Static<typeof Share>, Static<typeof Share>>(
      {
        ...{ columns: breakdown_columns, from: breakdown_tables, where: [isOfPayment({ organization_id, id })] },
        ...{ order: ['i.number'], direction: 'asc', updated_at: null },
      },
      (row) => row,
    )
  },
})
