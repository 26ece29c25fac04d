import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { invoiceIn } from '#test/invoices.ts'
import { issuedInvoice, paymentIn, setApproval } from '#test/payments.ts'
import { inOrganization, type TestService } from '#test/service.ts'

const named = (...invoices: { id: string }[]) => ({ invoice_ids: invoices.map(({ id }) => id) })
const unknown = '019d4a1c-e480-7b52-9c06-4d8e1f7a2b93'

const two = async (t: TestService) => {
  const first = await issuedInvoice(t, { amounts: { bonus: '100', expense: '20.50' }, vat_rate: '19' })
  const second = await issuedInvoice(t, { contract_id: first.contract_id })
  return { invoices: [first, second], contract_id: first.contract_id }
}

const invoiceStatuses = ['pending', 'processing', 'paid', 'cancelled'] as const

/** Only a pending invoice is paid: another one is in a payment, or owes nothing. */
const paidFrom = (status: (typeof invoiceStatuses)[number]): Case => ({
  given: (t) => invoiceIn(t, status),
  input: ({ invoice }) => named(invoice),
  ...(status === 'pending'
    ? { emits: ['payment.created', 'payment.initiated', 'invoice.status.updated'] }
    : { answers: '409 invalid_state', errors: ['/invoice_ids/0'] }),
  afterwards: async (t, { given: { invoice } }) => {
    const { body } = await t.call('GET', `/invoices/${invoice.id}`)
    if (status === 'pending') assert.equal(body.status, 'processing')
    else assert.deepEqual(body, invoice)
  },
})

cases(
  'payments.create',
  {
    'the total of its invoices is on its way at once, and booked': {
      given: two,
      input: ({ invoices }) => ({
        ...named(...invoices),
        reference: 'June',
        value_date: '2026-09-13',
        external_id: 'P1',
      }),
      body: ({ invoices }) => ({
        ...{ number: 'PAY-2026-000001', status: 'processing', currency: 'EUR', total: '258.50', fee: '0.00' },
        ...{ provider: 'manual', reference: 'June', value_date: '2026-09-13', external_id: 'P1', approved_by: null },
        invoices: invoices.map(
          ({ id, number, contract_id, worker_id, worker_email, total }: Record<string, string>) => ({
            ...{ invoice_id: id, number, contract_id, worker_id, worker_email, total },
          }),
        ),
      }),
      emits: [
        ['payment.created', { status: 'processing', total: '258.50', fee: '0.00', external_id: 'P1' }],
        'payment.initiated',
        'invoice.status.updated',
      ],
      afterwards: async (t, { given, body }) => {
        const invoices = await t.call('GET', '/invoices', { query: { payment_id: body.id, statuses: 'processing' } })
        assert.equal(invoices.body.total_count, 2)
        const { data } = (await t.call('GET', '/ledger/transactions', { query: { source_id: body.id } })).body
        assert.deepEqual(
          data.map(({ kind, effective_date }: Record<string, string>) => [kind, effective_date]),
          [['payment_initiated', '2026-06-15']],
        )
        const query = { contract_id: given.contract_id }
        const owed = await t.call('GET', '/ledger/accounts', { query })
        assert.equal(owed.body.data[0].balance, '0.00')
      },
    },
    'where a second person approves it waits, and nothing is booked': {
      given: async (t) => {
        await setApproval(t, 'second_person')
        return issuedInvoice(t)
      },
      input: (invoice) => named(invoice),
      body: { status: 'pending_approval', initiated_at: null, total: '100.00' },
      emits: [['payment.created', { status: 'pending_approval' }], 'invoice.status.updated'],
      afterwards: async (t, { body }) => {
        const booked = await t.call('GET', '/ledger/transactions', { query: { source_id: body.id } })
        assert.equal(booked.body.total_count, 0)
      },
    },
    ...Object.fromEntries(invoiceStatuses.map((status) => [`an invoice that is ${status}`, paidFrom(status)])),
    'the invoice of a failed payment is paid by another one': {
      given: (t) => paymentIn(t, 'failed'),
      input: ({ invoice }) => named(invoice),
      body: { number: 'PAY-2026-000002' },
      emits: ['payment.created', 'invoice.status.updated'],
    },
    'X2: two currencies are not paid at once': {
      given: async (t) => ({ invoices: [await issuedInvoice(t), await issuedInvoice(t, { currency: 'USD' })] }),
      input: ({ invoices }) => named(...invoices),
      answers: '422 mixed_currencies',
      errors: ['/invoice_ids/1'],
    },
    'an unknown invoice is named': {
      given: (t) => issuedInvoice(t),
      input: (invoice) => named(invoice, { id: unknown }),
      answers: '422 reference_not_found',
      errors: ['/invoice_ids/1'],
    },
    'an invoice that is named twice is paid once': {
      given: (t) => issuedInvoice(t),
      input: (invoice) => named(invoice, invoice),
      body: { total: '100.00', invoices: [{}] },
      emits: ['payment.created', 'payment.initiated', 'invoice.status.updated'],
    },
    'money is not wished for yesterday': {
      given: (t) => issuedInvoice(t),
      input: (invoice) => ({ ...named(invoice), value_date: '2026-06-14' }),
      answers: '422 date_out_of_range',
      errors: ['/value_date'],
    },
    'nor in four months': {
      given: (t) => issuedInvoice(t),
      input: (invoice) => ({ ...named(invoice), value_date: '2026-09-14' }),
      answers: '422 date_out_of_range',
      errors: ['/value_date'],
    },
    'an admin reads payments and makes none': {
      as: 'admin',
      given: (t) => issuedInvoice(t),
      input: (invoice) => named(invoice),
      answers: '403 insufficient_scope',
    },
  },
  { unmet: { reauthentication_required: 'only a session of the console gets old: console-rest.test.ts' } },
)

const newOrganization = async () => {
  const service = await serviceOfCases()
  return inOrganization(service, await service.createOrganization())
}

test('a dry run tells what would be booked, without amounts to whom pay is withheld', async () => {
  const t = await newOrganization()
  const body = named(await issuedInvoice(t))
  const dry = async (token: string) =>
    (await t.call('POST', '/payments', { token, body, headers: { 'stint-dry-run': 'true' } })).body.dry_run
  const { postings } = await dry(t.organization.token)
  const [{ kind, effective_date, entries }] = postings
  assert.deepEqual([postings.length, kind, effective_date], [1, 'payment_initiated', '2026-06-15'])
  const sides = (list: { account_code: string; direction: string; amount: string | null }[]) =>
    list.map(({ account_code, direction, amount }) => [account_code, direction, amount])
  assert.deepEqual(sides(entries), [
    ['worker_payable', 'debit', '100.00'],
    ['payments_in_transit', 'credit', '100.00'],
  ])
  const less = await dry(await t.createToken(t.organization.id, { without: ['compensation'] }))
  assert.deepEqual(sides(less.postings[0].entries), [
    ['worker_payable', 'debit', null],
    ['payments_in_transit', 'credit', null],
  ])
  assert.equal((await t.call('GET', '/payments')).body.total_count, 0)
})

test('of payments of one invoice at the same time one is made', async () => {
  const t = await newOrganization()
  const body = named(await issuedInvoice(t))
  const answers = await Promise.all([1, 2, 3, 4].map(() => t.call('POST', '/payments', { body })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
})

test('500 invoices are paid in one transaction', async () => {
  const t = await newOrganization()
  const { id } = await issuedInvoice(t)
  const organization_id = t.organization.id
  await t.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      insert into invoices
      select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'number', 'INV-2026-' || n))).*
      from invoices i, generate_series(100002, 100500) n where organization_id = ${organization_id} and id = ${id}`),
  )
  const ids = await t.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const rows = await tx.rows<{ id: string }>(sql`select id from invoices where organization_id = ${organization_id}`)
    return rows.map((row) => row.id)
  })
  const done = async (path: string, body: object) => {
    const answer = await t.call('POST', path, { body })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  const made = await done('/payments', { invoice_ids: ids })
  const settled = await done(`/payments/${made.id}/settle`, { fee: '4.50' })
  assert.deepEqual([made.total, made.invoices.length, settled.status], ['50000.00', 500, 'completed'])
  assert.equal((await t.call('GET', '/invoices', { query: { statuses: 'paid' } })).body.total_count, 500)
})
