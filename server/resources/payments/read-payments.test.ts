import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { issuedInvoice, paymentIn } from '#test/payments.ts'
import type { TestService } from '#test/service.ts'

const unknown = '019d4a1c-e480-7b52-9c06-4d8e1f7a2b93'

/** One that was cancelled in the last minute of 15 June in Berlin, and one that was made in the first of the 16th. */
async function several(t: TestService) {
  await t.clock.set('2026-06-15T21:59:59.000Z')
  const first = await paymentIn(t, 'cancelled', { external_id: 'P1' })
  await t.clock.set('2026-06-15T22:00:00.000Z')
  const second = await paymentIn(t, 'processing')
  return { first, second, payment_id: second.id }
}

const onlyFirst = ({ first }: { first: { id: string } }) => ({ data: [{ id: first.id }], total_count: 1 })
const onlySecond = ({ second }: { second: { id: string } }) => ({ data: [{ id: second.id }], total_count: 1 })

cases(
  'payments.list',
  {
    'payments come newest first, with their invoices': {
      body: ({ first, second }) => ({
        data: [
          { id: second.id, invoices: [{ invoice_id: second.invoice.id, number: second.invoice.number }] },
          { id: first.id },
        ],
        total_count: 2,
      }),
    },
    'they are found by state and currency': {
      input: { statuses: ['cancelled'], currencies: ['EUR', 'USD'] },
      body: onlyFirst,
    },
    'by the day of the organization they were made on': { input: { created_to: '2026-06-15' }, body: onlyFirst },
    'and from then on': { input: { created_from: '2026-06-16' }, body: onlySecond },
    'by external id': { input: { external_id: 'P1' }, body: onlyFirst },
    'by invoice and contract': {
      given: several,
      input: ({ second: { invoice } }) => ({ invoice_id: invoice.id, contract_id: invoice.contract_id }),
      body: onlySecond,
    },
    'an invoice that does not exist is refused': {
      input: { invoice_id: unknown },
      answers: '422 reference_not_found',
      errors: ['/invoice_id'],
    },
    'amounts are pay': {
      as: 'client without compensation',
      body: { data: [{ total: null, fee: null, invoices: [{ total: null }] }, {}] },
      headers: { 'sensitive-data-withheld': 'compensation' },
    },
  },
  { given: several },
)

cases('payments.get', {
  'a payment is read': {
    given: (t) => paymentIn(t, 'completed'),
    body: ({ id, invoice }) => ({
      ...{ id, status: 'completed', total: '100.00', fee: '0.00' },
      invoices: [{ invoice_id: invoice.id, worker_email: invoice.worker_email, total: '100.00' }],
    }),
  },
  'a viewer may not': { as: 'viewer', given: (t) => paymentIn(t, 'completed'), answers: '403 insufficient_scope' },
})

const account = { holder_name: 'Jonas Weber', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' }

const amounts = {
  bonus: '10.00',
  commission: '20.00',
  overtime: '30.00',
  expense: '40.00',
  deduction: '5.00',
  other: '1.00',
}

cases(
  'payments.get_breakdown',
  {
    'each invoice is explained by kinds of amounts, in the order of numbers': {
      body: ({ invoices: [first, second] }) => ({
        data: [
          {
            ...{
              invoice_id: first.id,
              number: first.number,
              contract_id: first.contract_id,
              worker_name: 'Jonas Weber',
            },
            ...{ currency: 'EUR', fixed_rate: '0.00', timesheets: '0.00', milestone: '0.00', ...amounts },
            ...{ deduction: '-5.00', vat_total: '10.64', total: '106.64' },
            ...{ has_bank_account: true, bank_account: account },
          },
          { number: second.number, bonus: '100.00', vat_total: '0.00', total: '100.00', bank_account: null },
        ],
        total_count: 2,
      }),
    },
    'amounts are pay': {
      as: 'client without compensation',
      body: { data: [{ bonus: null, fixed_rate: null, vat_total: null, total: null }, {}] },
    },
    'where the money goes is a bank detail': {
      as: 'client without sensitive data',
      body: { data: [{ has_bank_account: null, bank_account: null }, {}] },
    },
  },
  {
    given: async (t) => {
      const first = await issuedInvoice(t, { amounts, vat_rate: '19' })
      const second = await issuedInvoice(t)
      const { status } = await t.call('PUT', `/people/${first.worker_id}/bank-account`, { body: account })
      assert.equal(status, 200)
      const { body } = await t.call('POST', '/payments', { body: { invoice_ids: [second.id, first.id] } })
      assert.equal(body.total, '206.64', JSON.stringify(body))
      const known = (each: { has_bank_account: boolean }) => each.has_bank_account
      assert.deepEqual(body.invoices.map(known), [true, false])
      const { body: read } = await t.call('GET', `/payments/${body.id}`)
      assert.deepEqual(read.invoices.map(known), [true, false])
      return { payment_id: body.id, invoices: [first, second] }
    },
  },
)
