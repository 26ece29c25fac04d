import assert from 'node:assert/strict'
import { sql } from '#db/database.ts'
import { contractIn } from './contract-states.ts'
import { type Body, memberToken } from './factories.ts'
import type { TestService } from './service.ts'

/** The body of a call that succeeds. */
async function done(t: TestService, path: string, body: object = {}, token = t.organization.token): Promise<Body> {
  const answer = await t.call('POST', path, { body, token })
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

interface Wanted {
  currency?: string
  /** Amounts of adjustments by their types. */
  amounts?: Record<string, string>
  vat_rate?: string
  /** An existing contract; without it a new one is made. */
  contract_id?: string
}

/** A pending invoice of approved adjustments, of a new contract unless one is named. */
export async function issuedInvoice(t: TestService, { currency = 'EUR', amounts, vat_rate, contract_id }: Wanted = {}) {
  const compensation = { amount: '4200', currency, frequency: 'monthly' }
  const contract =
    contract_id ?? (await contractIn(t, 'active', { compensation, tax: { vat_rate: vat_rate ?? null } })).id
  const adjustments = await Promise.all(
    Object.entries(amounts ?? { bonus: '100' }).map(([type, amount]) =>
      done(t, '/invoice-adjustments', { contract_id: contract, type, amount, description: type }),
    ),
  )
  const invoice_adjustment_ids = adjustments.map(({ id }) => id)
  return done(t, '/invoices', { contract_id: contract, invoice_adjustment_ids })
}

/** Payments of the organization need a second person from now on, or not. */
export function setApproval(
  { database, organization: { id } }: TestService,
  payment_approval: 'none' | 'second_person',
) {
  return database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.run(sql`update organizations set settings = ${JSON.stringify({ payment_approval })} where id = ${id}`),
  )
}

type Step = [verb: 'approve' | 'cancel' | 'settle' | 'fail', body?: object]

/** Every situation of a payment that an operation can meet, and the way there. */
const ways = {
  pending_approval: [],
  processing: [['approve']],
  completed: [['approve'], ['settle']],
  failed: [['approve'], ['fail', { reason: 'The account is closed.' }]],
  cancelled: [['cancel']],
} as const satisfies Record<string, readonly Step[]>

export type PaymentState = keyof typeof ways
export const paymentStates = Object.keys(ways) as PaymentState[]

/** A payment of an invoice of 100.00 EUR, brought where it is through the API, and the token of another user. */
export async function paymentIn(t: TestService, state: PaymentState, body: object = {}): Promise<Body> {
  const invoice = await issuedInvoice(t)
  await setApproval(t, 'second_person')
  const made = await done(t, '/payments', { invoice_ids: [invoice.id], ...body })
  const second = await memberToken(t, 'finance')
  for (const [verb, input] of ways[state] as readonly Step[])
    await done(t, `/payments/${made.id}/${verb}`, input, second)
  const { body: payment } = await t.call('GET', `/payments/${made.id}`)
  return { ...payment, payment_id: made.id, invoice, second }
}
