import type { Money } from '#core/values.ts'
import type { PaymentRow } from './payment.ts'

/** The answer of a provider about a payment. */
export type ProviderAnswer =
  | { is: 'accepted' }
  | { is: 'settled'; fee: Money; reference: string | null | undefined }
  | { is: 'rejected'; reason: string }

/**
 * Somebody who moves the money. It is called after the commit that made it necessary, once or more often: the id of the
 * payment tells it that it knows the payment already.
 */
export interface PaymentProvider {
  initiate(payment: PaymentRow): Promise<ProviderAnswer>
  poll(payment: PaymentRow): Promise<ProviderAnswer>
  /** Seconds from one question to the next; null where the operator tells how it ended. */
  readonly polled_every_s: number | null
}

export type Providers = Readonly<Record<string, PaymentProvider>>

/** The operator pays by the means of the bank, and tells how it ended. */
const manual: PaymentProvider = {
  initiate: async () => ({ is: 'accepted' }),
  poll: async () => ({ is: 'accepted' }),
  polled_every_s: null,
}

export const providers: Providers = { manual }
