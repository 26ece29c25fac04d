import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOfLedger } from '#test/ledger.ts'
import { issuedInvoice } from '#test/payments.ts'
import { useTestService } from '#test/service.ts'

test('an invoice is booked as it is issued, and reversed as it is taken back', async (context) => {
  const t = await useTestService(context)
  const { id, number, contract_id } = await issuedInvoice(t, {
    amounts: { bonus: '100', expense: '20.50', deduction: '10' },
    vat_rate: '19',
  })
  const cancelled = await t.call('POST', `/invoices/${id}/cancel`, { body: { reason: 'Made twice.' } })
  assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body))
  const { data } = (await t.call('GET', '/ledger/transactions', { query: { source_id: id, contract_id } })).body
  const shown = data
    .toReversed()
    .map(({ kind, source, description, effective_date, entries }: Booked) => [
      ...[kind, source.id, description, effective_date],
      ...entries.map(({ account_code, direction, amount }) => `${account_code} ${direction} ${amount}`),
    ])
  const today = new Date(t.clock.now()).toISOString().slice(0, 10)
  assert.deepEqual(shown, [
    [
      ...['invoice_issued', id, `Invoice ${number}`, today],
      ...['service_cost debit 90.00', 'reimbursed_expenses debit 20.50', 'vat_receivable debit 17.10'],
      'worker_payable credit 127.60',
    ],
    [
      ...['reversal', id, `Invoice ${number} cancelled`, today],
      ...['service_cost credit 90.00', 'reimbursed_expenses credit 20.50', 'vat_receivable credit 17.10'],
      'worker_payable debit 127.60',
    ],
  ])
  assert.deepEqual(await faultsOfLedger(t), [])
})

interface Booked {
  kind: string
  source: { id: string }
  description: string
  effective_date: string
  entries: Record<string, string>[]
}

test('an invoice of nothing is paid as it is issued, and books nothing', async (context) => {
  const t = await useTestService(context)
  const { status } = await issuedInvoice(t, { amounts: { bonus: '20.00', deduction: '20.00' } })
  const { total_count } = (await t.call('GET', '/ledger/transactions')).body
  assert.deepEqual([status, total_count], ['paid', 0])
})
