import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOfCases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import { at, cyclesOf, done, invoicesOf, signedContract } from '#test/invoices.ts'
import { inOrganization, type TestService } from '#test/service.ts'

async function organization(): Promise<TestService> {
  const service = await serviceOfCases()
  return inOrganization(service, await service.createOrganization({ is_sandbox: true }))
}

const shown = (cycles: Body[]) =>
  cycles.map(({ start_date, end_date, status }) => `${start_date}..${end_date} ${status}`)

test('the first cycle is upcoming from the signatures on, and active on the first day', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  assert.deepEqual(shown(await cyclesOf(t, contract)), ['2026-01-15..2026-01-31 upcoming'])
  await at(t, '2026-01-14T22:59:59.999Z')
  assert.deepEqual(shown(await cyclesOf(t, contract)), ['2026-01-15..2026-01-31 upcoming'])
  await at(t, '2026-01-14T23:00:00.000Z')
  const cycles = await cyclesOf(t, contract)
  assert.deepEqual(shown(cycles), ['2026-01-15..2026-01-31 active', '2026-02-01..2026-02-28 upcoming'])
  assert.partialDeepStrictEqual(cycles[0], {
    nominal_start_date: '2026-01-01',
    nominal_end_date: '2026-01-31',
    issue_date: '2026-02-01',
    due_date: '2026-02-08',
    closes_at: '2026-01-31T23:00:00.000Z',
    currency: 'EUR',
    invoice_id: null,
  })
})

test('a closed cycle has its invoice, the next one is active, and each close is told', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-01-31T22:59:59.999Z')
  await t.takeEvents()
  await at(t, '2026-01-31T23:00:00.000Z')
  const [first, ...others] = await cyclesOf(t, contract)
  assert.deepEqual(shown([first, ...others]), [
    '2026-01-15..2026-01-31 invoiced',
    '2026-02-01..2026-02-28 active',
    '2026-03-01..2026-03-31 upcoming',
  ])
  const [invoice] = await invoicesOf(t)
  assert.equal(first.invoice_id, invoice.id)
  const events = await t.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['payment-cycle.closed', 'invoice.created'],
  )
  assert.deepEqual(events[0]?.resource, [
    {
      payment_cycle_id: first.id,
      contract_id: contract.id,
      status: 'invoiced',
      start_date: '2026-01-15',
      end_date: '2026-01-31',
      invoice_id: invoice.id,
      worker_email: contract.worker_email,
    },
  ])
})

test('a contract that becomes active late closes all its whole cycles at once, one after the other', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-04-15T12:00:00.000Z')
  assert.deepEqual(shown(await cyclesOf(t, contract)), [
    '2026-01-15..2026-01-31 invoiced',
    '2026-02-01..2026-02-28 invoiced',
    '2026-03-01..2026-03-31 invoiced',
    '2026-04-01..2026-04-30 active',
    '2026-05-01..2026-05-31 upcoming',
  ])
  const invoices = await invoicesOf(t)
  assert.deepEqual(
    invoices.map(({ number, issue_date, total }) => [number, issue_date, total]),
    [
      ['INV-2026-000001', '2026-02-01', '2740.84'],
      ['INV-2026-000002', '2026-03-01', '4998.00'],
      ['INV-2026-000003', '2026-04-01', '4998.00'],
    ],
  )
})

test('a pending termination cuts the active cycle, and its withdrawal restores it', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-03-10T09:00:00.000Z')
  await done(t, 'POST', `/contracts/${contract.id}/terminate`, { type: 'resignation', completion_date: '2026-03-20' })
  const cut = await cyclesOf(t, contract)
  assert.deepEqual(shown(cut.slice(2)), ['2026-03-01..2026-03-20 active', '2026-04-01..2026-04-30 upcoming'])
  assert.partialDeepStrictEqual(cut[2], { issue_date: '2026-03-21', nominal_end_date: '2026-03-31' })
  await done(t, 'POST', `/contracts/${contract.id}/cancel-termination`, {})
  const restored = await cyclesOf(t, contract)
  assert.deepEqual(shown(restored.slice(2)), ['2026-03-01..2026-03-31 active', '2026-04-01..2026-04-30 upcoming'])
  await at(t, '2026-03-31T22:00:00.000Z')
  assert.deepEqual((await invoicesOf(t)).at(-1)?.total, '4998.00')
})

test('when the contract ends, the last cycle is invoiced and the upcoming one cancelled', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-03-10T09:00:00.000Z')
  await done(t, 'POST', `/contracts/${contract.id}/terminate`, { type: 'resignation', completion_date: '2026-03-20' })
  await at(t, '2026-03-20T23:00:00.000Z')
  assert.deepEqual(shown((await cyclesOf(t, contract)).slice(2)), [
    '2026-03-01..2026-03-20 invoiced',
    '2026-04-01..2026-04-30 cancelled',
  ])
  // 20 of 31 days.
  assert.partialDeepStrictEqual((await invoicesOf(t)).at(-1), { subtotal: '2709.68', issue_date: '2026-03-21' })
})

test('a contract ended at once closes its cycle at midnight', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-03-10T09:00:00.000Z')
  await done(t, 'POST', `/contracts/${contract.id}/terminate`, { type: 'termination' })
  assert.deepEqual(shown((await cyclesOf(t, contract)).slice(2)), [
    '2026-03-01..2026-03-10 active',
    '2026-04-01..2026-04-30 cancelled',
  ])
  await at(t, '2026-03-10T23:00:00.000Z')
  assert.deepEqual(shown((await cyclesOf(t, contract)).slice(2, 3)), ['2026-03-01..2026-03-10 invoiced'])
})

test('no cycle begins after the last day', async () => {
  const t = await organization()
  const contract = await signedContract(t, { end_date: '2026-02-15' })
  await at(t, '2026-02-15T23:00:00.000Z')
  assert.deepEqual(shown(await cyclesOf(t, contract)), [
    '2026-01-15..2026-01-31 invoiced',
    '2026-02-01..2026-02-15 invoiced',
  ])
})

test('new cycle terms begin a new series on their date, other terms move the due date', async () => {
  const t = await organization()
  const contract = await signedContract(t)
  await at(t, '2026-03-10T09:00:00.000Z')
  const amend = async (body: object) => {
    const { id } = await done(t, 'POST', `/contracts/${contract.id}/amendments`, body)
    await done(t, 'POST', `/contracts/${contract.id}/amendments/${id}/sign`, { signer_name: 'Nora Pine' })
    await done(t, 'POST', `/sandbox/contracts/${contract.id}/amendments/${id}/worker-signature`, {})
  }
  await amend({ terms: { payment_due_days: 30 } })
  assert.deepEqual((await cyclesOf(t, contract)).at(2)?.due_date, '2026-05-01')
  await amend({ effective_date: '2026-04-01', terms: { frequency: 'weekly' } })
  await at(t, '2026-03-31T22:00:00.000Z')
  assert.deepEqual(shown((await cyclesOf(t, contract)).slice(2)), [
    '2026-03-01..2026-03-31 invoiced',
    '2026-04-01..2026-04-05 active',
    '2026-04-06..2026-04-12 upcoming',
  ])
})

test('a contract of an employee has no cycles', async () => {
  const t = await organization()
  const compensation = { amount: '6500.00', currency: 'EUR' }
  const contract = await signedContract(t, { type: 'employee', compensation, tax: {} })
  await at(t, '2026-04-15T12:00:00.000Z')
  assert.deepEqual(await cyclesOf(t, contract), [])
})
