import { defineOperation } from '#core/operation.ts'
import {
  amountPrecision,
  dateOutOfRange,
  defineProblem,
  invalidState,
  userRequired,
  validationFailed,
} from '#core/problems.ts'
import { CalendarDate, Closed, MoneyInput, Nullable, Text, Type } from '#core/schema/schema.ts'
import { businessDate, formatMoney, parseMoney, storedMoney } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { move_events, pay_events } from '#resources/invoices/index.ts'
import { lateInviters } from '#resources/members/index.ts'
import { organization } from '#resources/organizations/index.ts'
import {
  entryOf,
  paymentApproved,
  paymentCancelled,
  paymentCompleted,
  paymentFailed,
  paymentInitiated,
} from './events.ts'
import { approved, approverIsMaker } from './lifecycle.ts'
import { cancel, complete, fail, tellInitiated } from './move-payment.ts'
import { changedPayees } from './payment.store.ts'
import { type PaymentRow, payment } from './payment.ts'

/** The business date of an organization: payments belong to no contract. */
export async function todayOf(tx: Transaction, organization_id: string, now: string): Promise<string> {
  const { timezone } = await organization.get(tx, { organization_id, id: organization_id })
  return businessDate(now, timezone)
}

const providerControlled = defineProblem({
  code: 'provider_controlled',
  status: 409,
  title: 'The provider decides how the payment ends',
  advice: 'Wait for the provider; only payments of the provider `manual`, and those of a sandbox, are ended by hand.',
})

const payeeAccountChanged = defineProblem({
  code: 'payee_account_changed',
  status: 409,
  title: 'The account of a payee has changed since the payment was made',
  advice: 'Ask the payee. If the account is right, cancel the payment and make it anew.',
})

const step = {
  method: 'POST',
  scopes: ['accounting:write'],
  roles: ['owner', 'finance'],
  output: payment.answer,
} as const

export const approvePayment = defineOperation({
  ...step,
  id: 'payments.approve',
  summary: 'Approve a payment as the second person',
  description:
    'The maker of a payment, or of the token that made it, does not approve it, nor does somebody whom the maker invited in the last seven days. Refused where the account of a payee is another one by now.',
  path: '/payments/:payment_id/approve',
  input: Closed(payment.path),
  problems: [invalidState, userRequired, approverIsMaker, payeeAccountChanged, reauthenticationRequired],
  emits: [paymentApproved, paymentInitiated],
  tool: {
    name: 'approve_payment',
    needs_confirm: true,
    text: 'Approve a payment in pending_approval that another user made; it is then on its way.',
  },

  async handle({ payment_id: id }, { caller, ...context }) {
    const { tx, emit, now } = context
    const { organization_id, actor } = caller
    refuseOldProof(caller, tx.real_now)
    const before = await payment.lock(tx, { organization_id, id })
    const inviters = await lateInviters(tx, caller)
    const row = await payment.save(tx, before, { ...approved(before, { ...caller, inviters }, now), ask_at: tx.now })
    const changed = await changedPayees(tx, before)
    if (changed.length > 0)
      throw payeeAccountChanged(`Paid to another account than when it was made: ${changed.join(', ')}.`)
    emit(paymentApproved, { ...entryOf(row), approved_by: actor })
    await tellInitiated({ ...context, today: await todayOf(tx, organization_id, now) }, row)
    return payment.show(row)
  },
})

export const cancelPayment = defineOperation({
  ...step,
  id: 'payments.cancel',
  summary: 'Withdraw a payment before its approval',
  path: '/payments/:payment_id/cancel',
  input: Closed({
    ...payment.path,
    reason: Type.Optional(Nullable(Text(0, 500, { description: 'Why it is withdrawn.', example: 'Made twice.' }))),
  }),
  problems: [invalidState],
  emits: [paymentCancelled, ...move_events],

  async handle({ payment_id: id, reason = null }, { caller: { organization_id }, ...context }) {
    const today = await todayOf(context.tx, organization_id, context.now)
    return payment.show(await cancel({ ...context, today }, { organization_id, id }, reason))
  },
})

export const settlePayment = defineOperation({
  ...step,
  id: 'payments.settle',
  summary: 'Tell that a payment has arrived',
  description:
    'For the provider `manual`, and in a sandbox. Its invoices are paid, and all that they collected with them.',
  path: '/payments/:payment_id/settle',
  input: Closed({
    ...payment.path,
    fee: Type.Optional({
      ...MoneyInput,
      description: 'Taken by the bank, in the currency of the payment, at most its total; default: 0.',
    } as typeof MoneyInput),
    value_date: Type.Optional({ ...CalendarDate, description: 'Default: today.' } as typeof CalendarDate),
    reference: Type.Optional(Nullable(Text(0, 140, { description: 'Words on the statement.' }))),
  }),
  problems: [invalidState, providerControlled, amountPrecision, dateOutOfRange],
  emits: [paymentCompleted, ...pay_events],
  tool: {
    name: 'settle_payment',
    needs_confirm: true,
    text: 'Tell that a processing payment has arrived: its invoices are paid. Only where no provider tells it.',
  },

  async handle({ payment_id: id, fee = '0', value_date, reference }, { caller, ...context }) {
    const { organization_id, is_sandbox } = caller
    const { timezone } = await organization.get(context.tx, { organization_id, id: organization_id })
    const today = businessDate(context.now, timezone)
    const row = await complete({ ...context, today }, { organization_id, id }, (before) => {
      requireByHand(before, is_sandbox)
      // Money does not arrive before it was sent.
      const sent = before.initiated_at === null ? today : businessDate(before.initiated_at, timezone)
      return { fee: feeOf(fee, before), value_date: dateBetween(sent, value_date ?? today, today), reference }
    })
    return payment.show(row)
  },
})

export const failPayment = defineOperation({
  ...step,
  id: 'payments.fail',
  summary: 'Tell that a payment does not arrive',
  description: 'For the provider `manual`, and in a sandbox. Its invoices can be paid anew.',
  path: '/payments/:payment_id/fail',
  input: Closed({
    ...payment.path,
    reason: Text(1, 500, { description: 'Why it does not arrive.', example: 'The account is closed.' }),
  }),
  problems: [invalidState, providerControlled],
  emits: [paymentFailed, ...move_events],

  async handle({ payment_id: id, reason }, { caller: { organization_id, is_sandbox }, ...context }) {
    const today = await todayOf(context.tx, organization_id, context.now)
    const check = (before: PaymentRow) => requireByHand(before, is_sandbox)
    return payment.show(await fail({ ...context, today }, { organization_id, id }, reason, check))
  },
})

function requireByHand({ provider }: PaymentRow, is_sandbox: boolean): void {
  if (provider !== 'manual' && !is_sandbox) throw providerControlled()
}

function feeOf(text: string, { currency, total }: PaymentRow): string {
  const refuse = (problem: typeof validationFailed, message: string) =>
    problem(undefined, { errors: [{ pointer: '/fee', message }] })
  const fee = parseMoney(text, currency)
  if (!('minor' in fee)) throw refuse(fee.code === 'amount_precision' ? amountPrecision : validationFailed, fee.message)
  // A slip of the hand would otherwise stand in the ledger, which takes nothing back.
  if (fee.minor > storedMoney(total, currency).minor)
    throw refuse(validationFailed, `must be at most ${total}, the total`)
  return formatMoney(fee.minor, currency)
}

function dateBetween(first: string, date: string, last: string): string {
  if (first <= date && date <= last) return date
  const message = `must be from ${first} to ${last}`
  throw dateOutOfRange(undefined, { errors: [{ pointer: '/value_date', message }] })
}
