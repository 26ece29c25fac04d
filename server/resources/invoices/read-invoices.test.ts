import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { done, invoiceIn } from '#test/invoices.ts'
import { inOrganization, type TestService } from '#test/service.ts'

const pending = (t: TestService) => invoiceIn(t, 'pending')

cases(
  'invoices.list',
  {
    'without lines': {
      as: 'admin',
      body: ({ invoice: { lines: _, ...row } }) => ({ data: [row], total_count: 1 }),
      async afterwards(_, { body }) {
        assert.ok(!('lines' in body.data[0]))
      },
    },
    'by number': { input: { number: 'INV-2026-000001' }, body: { total_count: 1 } },
    'by another number': { input: { number: 'INV-2026-000002' }, body: { data: [], total_count: 0 } },
    'by status, dates and flags': {
      input: {
        ...{ statuses: ['pending', 'paid'], issue_date_from: '2026-06-15', issue_date_to: '2026-06-15' },
        ...{ due_date_from: '2026-06-22', due_date_to: '2026-06-22', is_overdue: false, is_off_cycle: true },
      },
      body: { total_count: 1 },
    },
    'of a contract that does not exist': {
      input: { contract_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' },
      answers: '422 reference_not_found',
      errors: ['/contract_id'],
    },
    'without compensation amounts are null': {
      as: 'client without compensation',
      body: { data: [{ subtotal: null, taxable_base: null, vat_total: null, total: null, vat_rate: '19' }] },
    },
  },
  { given: pending },
)

cases(
  'invoices.get',
  {
    'with its lines': {
      as: 'reader',
      body: ({ invoice, source_id }) => ({
        ...invoice,
        lines: [
          { position: 1, quantity: '1', unit_price: '89.90', source: { kind: 'invoice_adjustment', id: source_id } },
        ],
      }),
    },
    'without sensitive data': {
      as: 'client without sensitive data',
      body: { total: null, lines: [{ unit_price: null, amount: null }], supplier: { address: null, vat_id: null } },
    },
  },
  { given: pending },
)

cases(
  'invoices.get_pdf',
  {
    'as a file': {
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': 'attachment; filename="INV-2026-000001.pdf"',
      },
      async afterwards(_, { body }) {
        assert.match(body, /^%PDF-1/)
      },
    },
    'not without compensation': { as: 'client without compensation', answers: '403 sensitive_data_required' },
  },
  { given: pending },
)

cases('worker.list_invoices', {
  'the own ones': {
    async given(t) {
      await invoiceIn(t, 'pending')
      return invoiceIn(t, 'pending')
    },
    body: ({ invoice_id }) => ({ data: [{ id: invoice_id, total: '89.90' }], total_count: 1 }),
  },
  'by status and date of issue': {
    given: pending,
    input: { statuses: ['paid'], issue_date_from: '2026-06-01', issue_date_to: '2026-06-30' },
    body: { total_count: 0 },
  },
})

cases('worker.get_invoice', {
  'an own one with all that is on it': {
    given: pending,
    body: ({ invoice_id: id }) => ({ id, total: '89.90', lines: [{ amount: '89.90' }] }),
  },
  'that of another worker is not found': {
    given: async (t) => ({ ...(await pending(t)), invoice_id: (await pending(t)).invoice_id }),
    answers: '404 not_found',
  },
})

cases('worker.get_invoice_pdf', {
  'an own one': { given: pending, headers: { 'content-type': 'application/pdf' } },
  'that of another worker is not found': {
    given: async (t) => ({ ...(await pending(t)), invoice_id: (await pending(t)).invoice_id }),
    answers: '404 not_found',
  },
  'not with a token that was minted without compensation': {
    async given(t) {
      const made = await pending(t)
      const token = await t.createToken(t.organization.id, { sensitive_data: [] })
      return { ...made, minted: (await done(t, 'POST', `/people/${made.worker_id}/worker-tokens`, {}, token)).token }
    },
    as: ({ minted }) => minted,
    answers: '403 sensitive_data_required',
  },
})

test('the PDF of an invoice has the same bytes each time, whatever became of it', async () => {
  const service = await serviceOfCases()
  await service.clock.set(clock_start)
  const t = inOrganization(service, await service.createOrganization())
  const { invoice_id } = await invoiceIn(t, 'pending')
  const printed = async () => (await t.call('GET', `/invoices/${invoice_id}/pdf`)).body
  const first = await printed()
  await t.clock.advance(86_400_000)
  await done(t, 'POST', `/invoices/${invoice_id}/cancel`, { reason: 'Twice.' })
  assert.equal(await printed(), first)
})
