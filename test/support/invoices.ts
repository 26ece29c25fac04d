import assert from 'node:assert/strict'
import { newId } from '#core/values.ts'
import { lockInvoices, lockPayable, moveInvoices, payInvoices } from '#resources/invoices/index.ts'
import { contractIn } from './contract-states.ts'
import { activeContract, type Body } from './factories.ts'
import type { TestService } from './service.ts'
import { asInvoicing, enter } from './work-items.ts'

/** Moves the clock and fires every timer that is due by then. */
export async function at(t: TestService, time: string): Promise<void> {
  await t.clock.set(time)
  await t.timers.runDue()
}

/** A contract of 4200.00 EUR a month and 19 % VAT from 15 January 2026, as of the day that it was signed. */
export async function signedContract(t: TestService, overrides: Record<string, unknown> = {}): Promise<Body> {
  await t.clock.set('2026-01-13T10:00:00.000Z')
  const terms = { start_date: '2026-01-15', tax: { vat_rate: '19' }, ...overrides }
  return activeContract(t, terms, t.organization)
}

/** The body of a call that succeeds. */
export async function done(t: TestService, method: string, path: string, body?: object, token?: string): Promise<Body> {
  const answer = await t.call(method, path, { ...(body && { body }), ...(token && { token }) })
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** The cycles of a contract by their first day. */
export async function cyclesOf(t: TestService, { id }: { id: string }): Promise<Body[]> {
  return (await done(t, 'GET', `/contracts/${id}/payment-cycles?limit=100`)).data
}

/** The invoices of the organization with their lines, by number. */
export async function invoicesOf(t: TestService): Promise<Body[]> {
  const { data } = await done(t, 'GET', '/invoices?limit=100')
  const whole = await Promise.all(data.map(({ id }: Body) => done(t, 'GET', `/invoices/${id}`)))
  return whole.toSorted((a, b) => (a.number < b.number ? -1 : 1))
}

const pay_as_you_go = {
  type: 'pay_as_you_go',
  compensation: { amount: '45.00', currency: 'EUR', frequency: 'monthly' },
}

/** A pay-as-you-go contract since 1 June with an approved timesheet, an expense and a deduction that leaves 89.90. */
export async function approvedWork(t: TestService): Promise<Body> {
  const contract = await contractIn(t, 'active', { start_date: '2026-06-01', ...pay_as_you_go })
  const timesheet = await enter(t, 'timesheets', contract)
  const expense = await enter(t, 'invoice_adjustments', contract)
  const deduction = await enter(t, 'invoice_adjustments', contract, { type: 'deduction', amount: '1732.50' })
  return { ...contract, timesheet, expense, deduction }
}

/** An invoice of an expense outside the cycles, brought into a status as payments do. */
export async function invoiceIn(
  t: TestService,
  status: 'pending' | 'processing' | 'paid' | 'cancelled',
): Promise<Body> {
  const contract = await contractIn(t, 'active', { start_date: '2026-06-01', tax: { vat_rate: '19' } })
  const { id: source_id } = await enter(t, 'invoice_adjustments', contract)
  const body = { contract_id: contract.contract_id, invoice_adjustment_ids: [source_id] }
  const { id } = await done(t, 'POST', '/invoices', body)
  const { organization } = t
  if (status === 'cancelled') await done(t, 'POST', `/invoices/${id}/cancel`, { reason: 'Twice.' })
  if (status === 'processing' || status === 'paid') {
    await asInvoicing(t, async (context) => {
      const rows = await lockInvoices(context.tx, organization.id, [id])
      await moveInvoices(context, rows, { status: 'processing', payment_id: newId(t.clock.now()) })
      if (status === 'paid') await payInvoices(context, await lockPayable(context.tx, organization.id, [id]))
    })
  }
  const invoice = await done(t, 'GET', `/invoices/${id}`)
  assert.equal(invoice.status, status)
  return { ...contract, invoice_id: id, invoice, source_id }
}

export type CycleStatus = 'upcoming' | 'active' | 'invoiced' | 'paid' | 'skipped' | 'cancelled'

/** A contract with a cycle in a status, through the API and the timers. */
export async function cycleIn(t: TestService, status: CycleStatus): Promise<Body> {
  const contract = await contractIn(t, 'active', status === 'skipped' || status === 'paid' ? pay_as_you_go : {})
  if (status !== 'upcoming') await t.timers.runDue()
  if (status === 'paid') {
    for (const type of ['bonus', 'deduction'])
      await enter(t, 'invoice_adjustments', contract, { type, date: '2026-06-15' })
  }
  if (status === 'invoiced' || status === 'paid' || status === 'skipped') await at(t, '2026-06-30T22:00:00.000Z')
  if (status === 'cancelled') {
    await done(t, 'POST', `/contracts/${contract.id}/terminate`, { type: 'termination' })
  }
  const cycles = await cyclesOf(t, contract)
  const cycle = status === 'cancelled' ? cycles[1] : cycles[0]
  assert.equal(cycle?.status, status)
  return { ...contract, payment_cycle_id: cycle.id, cycle }
}
