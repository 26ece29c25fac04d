import { defineOperation } from '#core/operation.ts'
import { dateOutOfRange, defineProblem, type FieldError, invalidState, referenceNotFound } from '#core/problems.ts'
import { Closed, Id, SetOf } from '#core/schema/schema.ts'
import { addDays, businessDate, formatMoney, storedMoney, sumOf } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { usersBehind } from '#identity/token.store.ts'
import {
  canMove,
  type InvoiceRow,
  lockInvoices,
  move_events,
  moveInvoices,
  takeNumbers,
} from '#resources/invoices/index.ts'
import { default_settings, needsSecondPerson, organization } from '#resources/organizations/index.ts'
import { entryOf, paymentCreated, paymentInitiated } from './events.ts'
import { initiated } from './lifecycle.ts'
import { tellInitiated } from './move-payment.ts'
import { insertInvoices, withAccount } from './payment.store.ts'
import { payment } from './payment.ts'

const mixedCurrencies = defineProblem({
  code: 'mixed_currencies',
  status: 422,
  title: 'A payment has one currency',
  advice: 'Make one payment for the invoices of each currency.',
})

const invoices_max = 500
const value_date_days_max = 90

export const createPayment = defineOperation({
  id: 'payments.create',
  summary: 'Pay invoices',
  description:
    'Pending invoices of one currency. With the setting `payment_approval` = `second_person` another user has to approve it before it is on its way; so it is for a day after that was lowered.',
  method: 'POST',
  path: '/payments',
  scopes: ['accounting:write'],
  roles: ['owner', 'finance'],
  input: Closed({
    // An invoice that is named twice counts once.
    invoice_ids: SetOf(Id, { maxItems: invoices_max, description: 'Pending invoices of one currency.' }),
    ...payment.create,
  }),
  output: payment.answer,
  status: 201,
  problems: [
    ...[invalidState, mixedCurrencies, dateOutOfRange, ...payment.duplicates.create, referenceNotFound],
    reauthenticationRequired,
  ],
  emits: [paymentCreated, paymentInitiated, ...move_events],
  tool: {
    name: 'create_payment',
    needs_confirm: true,
    text: 'Pay pending invoices of one currency. Where a second person has to approve, approve_payment follows.',
    example: { invoice_ids: ['019ceab7-3080-7b11-9d02-5e8f3a7c6b14'] },
    yields: { payment_id: 'id' },
  },

  async handle({ invoice_ids, ...input }, context) {
    const { tx, caller, newId, emit, now } = context
    const { organization_id, actor: created_by } = caller
    refuseOldProof(caller, tx.real_now)
    const payer = await organization.get(tx, { organization_id, id: organization_id })
    const { timezone, settings } = payer
    const today = businessDate(now, timezone)
    const { payment_prefix } = { ...default_settings, ...settings }
    refuseFarDate(input.value_date, today)
    const invoices = await lockPending(tx, organization_id, invoice_ids)
    const { currency, total } = totalOf(invoices)
    const payable = await withAccount(
      tx,
      organization_id,
      invoices.map(({ worker_id }) => worker_id),
    )
    const id = newId()
    const { year } = Temporal.PlainDate.from(today)
    const numbering = { kind: 'payment', prefix: payment_prefix, year, count: 1 } as const
    const [number = ''] = await takeNumbers(tx, organization_id, numbering)
    const made = payment.newRow(tx, {
      ...payment.given(input),
      ...{ organization_id, id, created_by, status: 'pending_approval', currency, number },
      total,
      fee: formatMoney(0n, currency),
      invoices: invoices.map((row) => ({ ...paidInvoice(row), has_bank_account: payable.has(row.worker_id) })),
      maker_user_ids: await usersBehind(tx, caller),
    })
    const row = needsSecondPerson(payer, tx.real_now) ? made : { ...initiated(made, now), ask_at: tx.now }
    await payment.insert(tx, row)
    insertInvoices(tx, row, invoice_ids)
    emit(paymentCreated, entryOf(row))
    if (row.status === 'processing') await tellInitiated({ ...context, today }, row)
    await moveInvoices(context, invoices, { status: 'processing', payment_id: id })
    return payment.show(row)
  },
})

/** Money wished for on a day that is over, or far ahead, is refused. */
function refuseFarDate(value_date: string | null | undefined, today: string): void {
  const last = addDays(today, value_date_days_max)
  if (!value_date || (value_date >= today && value_date <= last)) return
  throw dateOutOfRange(undefined, { errors: [{ pointer: '/value_date', message: `must be from ${today} to ${last}` }] })
}

/** The named invoices, locked: all of them pending, in the order of their numbers. */
async function lockPending(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<InvoiceRow[]> {
  const rows = new Map((await lockInvoices(tx, organization_id, ids)).map((row) => [row.id, row]))
  const faultsOf = (fault: (row: InvoiceRow | undefined) => string | undefined): FieldError[] =>
    ids.flatMap((id, at) => {
      const message = fault(rows.get(id))
      return message === undefined ? [] : [{ pointer: `/invoice_ids/${at}`, message }]
    })
  const missing = faultsOf((row) => (row ? undefined : 'does not exist'))
  if (missing.length > 0) throw referenceNotFound(undefined, { errors: missing })
  const settled = faultsOf((row) => (row && !canMove(row, 'processing') ? `is ${row.status}` : undefined))
  if (settled.length > 0) throw invalidState('Only pending invoices can be paid.', { errors: settled })
  const { currency } = [...rows.values()][0] ?? {}
  const foreign = faultsOf((row) =>
    row?.currency === currency ? undefined : `is in ${row?.currency}, not in ${currency}`,
  )
  if (foreign.length > 0) throw mixedCurrencies(undefined, { errors: foreign })
  return [...rows.values()].sort((a, b) => (a.number < b.number ? -1 : 1))
}

function totalOf(invoices: readonly InvoiceRow[]) {
  const [first] = invoices
  if (!first) throw new Error('a payment without invoices')
  const { currency } = first
  const { minor } = sumOf(
    currency,
    invoices.map(({ total }) => storedMoney(total, currency)),
  )
  return { currency, total: formatMoney(minor, currency) }
}

const paidInvoice = ({ id: invoice_id, number, contract_id, worker_id, worker_email, total }: InvoiceRow) => ({
  ...{ invoice_id, number, contract_id, worker_id, worker_email, total },
})
