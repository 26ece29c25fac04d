import { createPayment } from './create-payment.ts'
import { getPayment, getPaymentBreakdown, listPayments } from './read-payments.ts'
import { approvePayment, cancelPayment, failPayment, settlePayment } from './step-payment.ts'

export const paymentOperations = [
  listPayments,
  getPayment,
  createPayment,
  getPaymentBreakdown,
  approvePayment,
  cancelPayment,
  settlePayment,
  failPayment,
]

export { createPaymentJob } from './ask-providers.ts'
