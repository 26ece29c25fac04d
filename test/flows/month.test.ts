import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { type Body, memberToken, workerLogin } from '#test/factories.ts'
import { holdInvariants } from '#test/invariants.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { callConfirmed, createMember, post, request } from '#test/tool-client.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

/**
 * A month of one worker in a sandbox, through nothing but the API: signed, worked, reviewed, invoiced by the clock, paid with
 * the approval of a second person, settled, booked. The amounts are worked out by hand.
 *
 * 38.5 h + 40 h at EUR 45.00 are 3532.50, a bonus of 500.00 makes 4032.50 taxable, VAT of 19 % is 766.175, so 766.18; an
 * expense of 89.90 bears none: 4122.40 + 766.18 = 4888.58.
 */
const sums = { subtotal: '4122.40', taxable_base: '4032.50', vat_total: '766.18', total: '4888.58' }
const began = '2026-04-01T07:00:00.000Z'
const tenth = '2026-04-13T06:00:00.000Z'
/** The cycle closes at the start of 1 May in Berlin, 22:00 UTC of the day before. */
const closed = '2026-05-01T07:00:00.000Z'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())

async function newSandbox(): Promise<TestService> {
  return inOrganization(bench.service, await bench.service.createOrganization({ is_sandbox: true }))
}

async function sent(t: TestService, method: string, path: string, body?: object, token?: string): Promise<Body> {
  const answer = await t.call(method, path, { ...(body && { body }), ...(token && { token }) })
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function subscribePayments(t: TestService): Promise<void> {
  const { url } = bench.receiver
  await sent(t, 'POST', '/webhooks', { url, events: ['payment.completed'], sensitive_data: ['compensation'] })
}

/** The last delivery that arrived. */
async function delivered(): Promise<Body> {
  const before = bench.receiver.requests.length
  await bench.service.dispatcher.runDue()
  assert.equal(bench.receiver.requests.length, before + 1)
  return JSON.parse(String(bench.receiver.requests.at(-1)?.body))
}

/** The ledger after the month: what was owed was paid, and nothing is left open. */
async function assertBooked(t: TestService): Promise<void> {
  const { currencies } = await sent(t, 'GET', '/ledger/trial-balance')
  assert.equal(currencies.length, 1)
  const [{ currency, accounts, debit_total, credit_total }] = currencies
  assert.deepEqual([currency, debit_total], ['EUR', credit_total])
  const balances = Object.fromEntries(accounts.map(({ code, balance }: Body) => [code, balance]))
  assert.deepEqual(balances, {
    cash: '-4891.08',
    payment_fees: '2.50',
    payments_in_transit: '0.00',
    reimbursed_expenses: '89.90',
    service_cost: '4032.50',
    vat_receivable: '766.18',
    worker_payable: '0.00',
  })
  await holdInvariants(t, t.organization.id)
}

test('a month by REST alone, from the draft of a contract to a balanced ledger', async () => {
  const t = await newSandbox()
  const approver = await memberToken(t, 'owner')
  await subscribePayments(t)
  await sent(t, 'PATCH', `/organizations/${t.organization.id}`, { settings: { payment_approval: 'second_person' } })
  await sent(t, 'POST', '/sandbox/clock/advance', { to: began })

  const contract = await sent(t, 'POST', '/contracts', {
    type: 'pay_as_you_go',
    title: 'Platform engineering',
    worker: { first_name: 'Bruno', last_name: 'Ferreira', email: 'bruno@example.org', country: 'PT' },
    start_date: '2026-04-01',
    compensation: { amount: '45.00', currency: 'EUR', scale: 'hourly', frequency: 'monthly' },
    tax: { vat_rate: '19' },
  })
  await sent(t, 'POST', `/contracts/${contract.id}/sign`, { signer_name: 'Nora Pine', terms_version: 1 })
  await sent(t, 'POST', `/sandbox/contracts/${contract.id}/worker-signature`, {})
  const worker = (await sent(t, 'POST', `/people/${contract.worker_id}/worker-tokens`, {})).token

  await sent(t, 'POST', '/sandbox/clock/advance', { to: tenth })
  const hours = { contract_id: contract.id, start_date: '2026-04-06', end_date: '2026-04-10', quantity: '38.5' }
  const sheet = await sent(t, 'POST', '/worker/timesheets', { ...hours, description: 'Release' }, worker)
  verifies('1.timesheets').deepEqual([sheet.status, sheet.total_amount], ['pending', '1732.50'])
  await sent(t, 'POST', `/timesheets/${sheet.id}/review`, { status: 'approved' })
  const bonus = { contract_id: contract.id, type: 'bonus', amount: '500.00', description: 'Release in time' }
  await sent(t, 'POST', '/invoice-adjustments', bonus)
  const expense = { contract_id: contract.id, type: 'expense', amount: '89.90', description: 'Train' }
  const claimed = await sent(t, 'POST', '/worker/invoice-adjustments', expense, worker)
  await sent(t, 'POST', `/invoice-adjustments/${claimed.id}/review`, { status: 'approved' })
  await sent(t, 'POST', '/sandbox/clock/advance', { to: '2026-04-20T07:00:00.000Z' })
  const more = { contract_id: contract.id, start_date: '2026-04-13', end_date: '2026-04-17', quantity: '40' }
  await sent(t, 'POST', '/timesheets', { ...more, description: 'Clean up' })

  const { data: cycles } = await sent(t, 'GET', `/contracts/${contract.id}/payment-cycles`)
  const preview = await sent(t, 'GET', `/contracts/${contract.id}/payment-cycles/${cycles[0].id}/preview`)
  assert.partialDeepStrictEqual(preview, sums)
  await sent(t, 'POST', '/sandbox/clock/advance', { to: closed })
  const { data: invoices } = await sent(t, 'GET', '/invoices')
  assert.deepEqual(
    invoices.map(({ number, status, issue_date }: Body) => [number, status, issue_date]),
    [['INV-2026-000001', 'pending', '2026-05-01']],
  )
  const invoice = await sent(t, 'GET', `/invoices/${invoices[0].id}`)
  assert.partialDeepStrictEqual(invoice, sums)
  verifies('1.invoice-adjustments').deepEqual(
    invoice.lines.map(({ type, quantity, amount }: Body) => [type, quantity, amount]),
    [
      ['timesheet', '38.5', '1732.50'],
      ['timesheet', '40', '1800.00'],
      ['bonus', '1', '500.00'],
      ['expense', '1', '89.90'],
    ],
  )

  const payment = await sent(t, 'POST', '/payments', { invoice_ids: [invoice.id], reference: 'April' })
  assert.deepEqual([payment.number, payment.status, payment.total], ['PAY-2026-000001', 'pending_approval', '4888.58'])
  await sent(t, 'POST', `/payments/${payment.id}/approve`, {}, approver)
  const settled = await sent(t, 'POST', `/payments/${payment.id}/settle`, { fee: '2.50' })
  verifies('1.accounting').deepEqual([settled.status, settled.fee], ['completed', '2.50'])
  const { data } = await delivered()
  assert.equal(data.meta.event_type, 'payment.completed')
  assert.partialDeepStrictEqual(data.resource, [
    { payment_id: payment.id, total: '4888.58', fee: '2.50', status: 'completed' },
  ])
  assert.equal((await sent(t, 'GET', `/timesheets/${sheet.id}`)).status, 'paid')
  await assertBooked(t)

  const pdf = await t.call('GET', `/invoices/${invoice.id}/pdf`)
  assert.deepEqual([pdf.status, pdf.headers['content-type']], [200, 'application/pdf'])
  const csv = await t.call('GET', '/invoices/export', { query: { from: '2026-05-01', to: '2026-05-31' } })
  assert.match(String(csv.headers['content-type']), /^text\/csv/)
  const ledger = await t.call('GET', '/ledger/export', { query: { from: '2026-05-01', to: '2026-05-31' } })
  assert.equal(ledger.status, 200)
})

/** Knows the tools from their list alone: finds one by the words of its title and text, and fills what its schema asks for. */
async function agentOf(t: TestService, token: string) {
  const { body } = await post(t, request('tools/list'), { token })
  const tools: Body[] = body.result.tools
  return async (wish: RegExp, args: Record<string, unknown> = {}): Promise<Body> => {
    const found = tools.filter(({ name, description }) => wish.test(`${name}: ${description}`))
    assert.equal(found.length, 1, `${wish} finds ${found.map(({ name }) => name).join()}`)
    const [{ name, inputSchema }] = found as [Body]
    const unknown = Object.keys(args).filter((field) => !(field in inputSchema.properties))
    assert.deepEqual(unknown, [], `arguments that ${name} does not list`)
    const missing = (inputSchema.required ?? []).filter((field: string) => !(field in args))
    assert.deepEqual(missing, [], `arguments that ${name} asks for`)
    const { isError, content, structuredContent } = await callConfirmed(t, token, name, args)
    assert.equal(isError, undefined, `${name}: ${JSON.stringify(content)}`)
    return structuredContent
  }
}

test('the same month through tools alone, by agents who know nothing but their list', async () => {
  const t = await newSandbox()
  await subscribePayments(t)
  await sent(t, 'PATCH', `/organizations/${t.organization.id}`, { settings: { payment_approval: 'second_person' } })
  const [maker, second] = await Promise.all([
    createMember(t, { is_sandbox: true }),
    createMember(t, { is_sandbox: true }),
  ])
  const [company, approver] = await Promise.all([agentOf(t, maker.token), agentOf(t, second.token)])

  await company(/^advance_\w*clock/, { to: began })
  const contract = await company(/^create_contract: /, {
    type: 'pay_as_you_go',
    title: 'Platform engineering',
    worker: { first_name: 'Bruno', last_name: 'Ferreira', email: 'bruno.f@example.org', country: 'PT' },
    start_date: '2026-04-01',
    compensation: { amount: '45.00', currency: 'EUR', scale: 'hourly', frequency: 'monthly' },
    tax: { vat_rate: '19' },
  })
  await company(/^sign_contract: /, { contract_id: contract.id, signer_name: 'Nora Pine', terms_version: 1 })
  const worker = await agentOf(t, await workerLogin(t, contract.worker_id, t.organization.id, 'mcp'))
  const own = (await worker(/^list_my_contracts/)).data[0]
  await worker(/^sign_my_contract/, {
    contract_id: own.id,
    signer_name: 'Bruno Ferreira',
    terms_version: own.terms_version,
  })

  await company(/^advance_\w*clock/, { to: tenth })
  const hours = { contract_id: own.id, start_date: '2026-04-06', end_date: '2026-04-10', quantity: '38.5' }
  const sheet = await worker(/^submit_my_timesheet/, { ...hours, description: 'Release' })
  await company(/^review_timesheet/, { timesheet_id: sheet.id, status: 'approved' })
  const [bonus, expense] = ['bonus', 'expense'].map((type) => ({ contract_id: contract.id, type, description: type }))
  await company(/^create_invoice_adjustment/, { ...bonus, amount: '500.00' })
  const claim = await company(/^create_invoice_adjustment/, { ...expense, amount: '89.90', auto_approve: false })
  await company(/^review_invoice_adjustment/, { invoice_adjustment_id: claim.id, status: 'approved' })
  await company(/^advance_\w*clock/, { to: '2026-04-20T07:00:00.000Z' })
  const more = { contract_id: contract.id, start_date: '2026-04-13', end_date: '2026-04-17', quantity: '40' }
  await company(/^create_timesheet/, { ...more, description: 'Clean up' })

  const { data: cycles } = await company(/^list_payment_cycles/, { contract_id: contract.id })
  const preview = await company(/^preview_cycle_invoice/, { contract_id: contract.id, payment_cycle_id: cycles[0].id })
  assert.partialDeepStrictEqual(preview, sums)
  await company(/^advance_\w*clock/, { to: closed })
  const [listed] = (await company(/^list_invoices/, { contract_id: contract.id })).data
  const invoice = await company(/^get_invoice: /, { invoice_id: listed.id })
  assert.partialDeepStrictEqual(invoice, { ...sums, status: 'pending' })

  const payment = await company(/^create_payment/, { invoice_ids: [invoice.id] })
  assert.equal(payment.status, 'pending_approval')
  assert.equal((await approver(/^approve_payment/, { payment_id: payment.id })).status, 'processing')
  const settled = await company(/^settle_payment/, { payment_id: payment.id, fee: '2.50' })
  assert.equal(settled.status, 'completed')
  const { data } = await delivered()
  assert.partialDeepStrictEqual(data.resource, [{ payment_id: payment.id, total: '4888.58' }])
  const breakdown = (await company(/^get_payment_breakdown/, { payment_id: payment.id })).data
  assert.partialDeepStrictEqual(breakdown, [
    { timesheets: '3532.50', bonus: '500.00', expense: '89.90', total: '4888.58' },
  ])
  await assertBooked(t)
  const lines = await t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, (tx) =>
    tx.row<{ foreign: number }>(sql`
      select count(*)::int as foreign from audit_entries
      where organization_id = ${t.organization.id} and surface = 'rest' and action not in ('webhooks.create', 'organizations.update')`),
  )
  assert.deepEqual(lines, { foreign: 0 }, 'everything but the settings went through tools')
})
