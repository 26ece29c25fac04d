import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { addMember, memberToken } from '#test/factories.ts'
import { faultsOfLedger } from '#test/ledger.ts'
import { issuedInvoice, type PaymentState, paymentIn, paymentStates, setApproval } from '#test/payments.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { contractFor, enter } from '#test/work-items.ts'

const read = async (t: TestService, path: string) => (await t.call('GET', path)).body

/** One case for every state that a payment can be in: allowed ones reach the state, all others answer 409 and change nothing. */
function eachState(
  outcomes: Partial<Record<PaymentState, Case>>,
  input: Record<string, unknown> = {},
): Record<string, Case> {
  return Object.fromEntries(
    paymentStates.map((state) => {
      const { answers = '409 invalid_state', ...outcome }: Case = outcomes[state] ?? {}
      return [
        `${state}: ${answers}`,
        {
          as: ({ second }) => second,
          input,
          ...outcome,
          answers,
          given: async (t) => {
            const made = await paymentIn(t, state)
            const before = await read(t, `/payments/${made.id}`)
            return { ...made, before, invoice_before: await read(t, `/invoices/${made.invoice.id}`) }
          },
          afterwards: async (t, made) => {
            const { given, body, answer } = made
            const after = await read(t, `/payments/${given.id}`)
            assert.deepEqual(after, answer.status < 400 ? body : given.before)
            const invoice = await read(t, `/invoices/${given.invoice.id}`)
            if (answer.status >= 400) assert.deepEqual(invoice, given.invoice_before)
            assert.deepEqual(await faultsOfLedger(t), [])
            await outcome.afterwards?.(t, { ...made, body: { ...body, invoice } })
          },
        } satisfies Case,
      ]
    }),
  )
}

/** Transactions that were booked for the payment, the oldest first. */
async function booked(t: TestService, { id }: { id: string }) {
  const { data } = await read(t, `/ledger/transactions?source_id=${id}`)
  return data
    .toReversed()
    .map(
      ({
        kind,
        effective_date,
        entries,
      }: {
        kind: string
        effective_date: string
        entries: Record<string, string>[]
      }) => [
        kind,
        effective_date,
        ...entries.map(({ account_code, direction, amount }) => `${account_code} ${direction} ${amount}`),
      ],
    )
}

const completed = ['payments_in_transit debit 100.00', 'payment_fees debit 4.50', 'cash credit 104.50']
const initiated = ['worker_payable debit 100.00', 'payments_in_transit credit 100.00']

/** A payee gets another account. */
async function redirected(t: TestService, worker_id: string): Promise<void> {
  const body = { holder_name: 'Mallory', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' }
  assert.equal((await t.call('PUT', `/people/${worker_id}/bank-account`, { body })).status, 200)
  await t.takeEvents()
}

/** Rows of an invitation that was accepted at this moment. */
async function invitedBy(t: TestService, user_id: string, inviter: string): Promise<void> {
  const { id: organization_id } = t.organization
  const id = newId(t.clock.now())
  const by = JSON.stringify({ kind: 'user', id: inviter, name: 'owner' })
  const email = `${user_id}@harbour.example`
  await t.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    await tx.run(sql`
      insert into member_invitations (organization_id, id, email, role, invited_by, created_at, updated_at, sent_at, expires_at, accepted_at)
      values (${organization_id}, ${id}, ${email}, 'finance', ${by}, app_now(), app_now(), app_now(), app_now(), app_now())`)
    await tx.run(sql`
      insert into invitations (organization_id, digest, kind, subject_id, email, expires_at, outcome, user_id)
      values (${organization_id}, ${Buffer.from(id)}, 'member', ${id}, ${email}, app_now(), 'used', ${user_id})`)
  })
}

cases(
  'payments.approve',
  {
    ...eachState({
      pending_approval: {
        answers: 200,
        body: { status: 'processing', approved_by: { kind: 'user' } },
        emits: [
          ['payment.approved', { status: 'processing', approved_by: { kind: 'user', name: 'finance' } }],
          'payment.initiated',
        ],
        audit: ({ id }) => ({ subject_id: id, actor: { kind: 'user' } }),
        afterwards: async (t, { body }) => {
          assert.ok(body.approved_at && body.initiated_at)
          assert.deepEqual(await booked(t, body), [['payment_initiated', '2026-06-15', ...initiated]])
          assert.equal(body.invoice.status, 'processing')
        },
      },
    }),
    'a token is no person': { given: (t) => paymentIn(t, 'pending_approval'), answers: '403 user_required' },
    'the maker does not approve': {
      as: ({ maker }) => maker,
      given: async (t) => {
        await setApproval(t, 'second_person')
        const { id } = await issuedInvoice(t)
        const maker = await memberToken(t, 'owner')
        const { body } = await t.call('POST', '/payments', { token: maker, body: { invoice_ids: [id] } })
        return { payment_id: body.id, maker }
      },
      answers: '403 approver_is_maker',
    },
    'whom the maker has just invited does not approve': {
      as: ({ approver }) => approver,
      async given(t) {
        await setApproval(t, 'second_person')
        const { id } = await issuedInvoice(t)
        const maker = await addMember(t, 'owner')
        const approver = await addMember(t, 'finance')
        await invitedBy(t, approver.member_id, maker.member_id)
        const { body } = await t.call('POST', '/payments', { token: maker.token, body: { invoice_ids: [id] } })
        return { payment_id: body.id, approver: approver.token }
      },
      answers: '403 approver_is_maker',
    },
    'nothing is sent to an account that changed since the payment was made': {
      as: 'finance',
      async given(t) {
        const made = await paymentIn(t, 'pending_approval')
        await redirected(t, made.invoice.worker_id)
        return made
      },
      answers: '409 payee_account_changed',
      afterwards: async (t, { given: { payment_id } }) =>
        assert.equal((await t.call('GET', `/payments/${payment_id}`)).body.status, 'pending_approval'),
    },
  },
  { unmet: { reauthentication_required: 'only a session of the console gets old: console-rest.test.ts' } },
)

cases('payments.cancel', {
  ...eachState(
    {
      pending_approval: {
        answers: 200,
        as: 'client',
        body: { status: 'cancelled', cancel_reason: 'Made twice.' },
        emits: [
          ['payment.cancelled', { status: 'cancelled', reason: 'Made twice.' }],
          ['invoice.status.updated', { status: 'pending', previous_status: 'processing', payment_id: null }],
        ],
        afterwards: async (t, { body }) => {
          assert.ok(body.cancelled_at)
          assert.deepEqual(await booked(t, body), [])
          assert.deepEqual([body.invoice.status, body.invoice.payment_id], ['pending', null])
        },
      },
    },
    { reason: 'Made twice.' },
  ),
})

/** A payment of a provider that tells by itself how it ends. */
async function ofProvider(t: TestService) {
  const made = await paymentIn(t, 'processing')
  await t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, (tx) =>
    tx.run(sql`update payments set provider = 'bank' where organization_id = ${t.organization.id}`),
  )
  return made
}

/** A payment of an invoice of reported work. */
async function ofTimesheet(t: TestService) {
  const { id: contract_id } = await contractFor(t, 'timesheets')
  const timesheet = await enter(t, 'timesheets', { contract_id })
  const { body: invoice } = await t.call('POST', '/invoices', { body: { contract_id, timesheet_ids: [timesheet.id] } })
  const { body } = await t.call('POST', '/payments', { body: { invoice_ids: [invoice.id] } })
  return { payment_id: body.id }
}

const processing = (t: TestService) => paymentIn(t, 'processing')

cases('payments.settle', {
  ...eachState(
    {
      processing: {
        answers: 200,
        body: { status: 'completed', fee: '4.50', value_date: '2026-06-15', reference: 'June' },
        emits: [
          ['payment.completed', { status: 'completed', total: '100.00', fee: '4.50', reference: 'June' }],
          ['invoice.paid', { status: 'paid' }],
          ['invoice.status.updated', { status: 'paid', previous_status: 'processing' }],
          ['invoice-adjustment.status.updated', { status: 'paid' }],
        ],
        afterwards: async (t, { body }) => {
          assert.deepEqual(await booked(t, body), [
            ['payment_initiated', '2026-06-15', ...initiated],
            ['payment_completed', '2026-06-15', ...completed],
          ])
          assert.deepEqual([body.invoice.status, body.invoice.payment_id], ['paid', body.id])
        },
      },
    },
    { fee: '4.5', value_date: '2026-06-15', reference: 'June' },
  ),
  'without words it arrived today, free of charge': {
    given: processing,
    body: { fee: '0.00', value_date: '2026-06-15', reference: null },
    emits: ['payment.completed', 'invoice.paid', 'invoice.status.updated', 'invoice-adjustment.status.updated'],
  },
  'a timesheet is paid with its invoice': {
    given: ofTimesheet,
    emits: [
      'payment.completed',
      'invoice.paid',
      'invoice.status.updated',
      ['timesheet.status.updated', { status: 'paid' }],
    ],
  },
  'it does not arrive tomorrow': {
    given: processing,
    input: { value_date: '2026-06-16' },
    answers: '422 date_out_of_range',
    errors: ['/value_date'],
  },
  'a fee has the decimals of the currency': {
    given: processing,
    input: { fee: '4.505' },
    answers: '422 amount_precision',
    errors: ['/fee'],
  },
  'a fee beyond the total is a slip of the hand': {
    given: processing,
    input: { fee: '100.01' },
    answers: '400 validation_failed',
    errors: ['/fee'],
  },
  'a fee may be all of the total': {
    given: processing,
    input: { fee: '100.00' },
    body: { status: 'completed', fee: '100.00' },
    emits: ['payment.completed', 'invoice.paid', 'invoice.status.updated', 'invoice-adjustment.status.updated'],
  },
  'a fee is no number of JSON': { given: processing, input: { fee: 4.5 }, answers: '400 validation_failed' },
  'a payment of a provider is not ended by hand': {
    given: ofProvider,
    answers: '409 provider_controlled',
  },
  'but in a sandbox': {
    sandbox: true,
    given: ofProvider,
    emits: ['payment.completed', 'invoice.paid', 'invoice.status.updated', 'invoice-adjustment.status.updated'],
  },
})

cases('payments.fail', {
  ...eachState(
    {
      processing: {
        answers: 200,
        body: { status: 'failed', failure_reason: 'The account is closed.' },
        emits: [
          ['payment.failed', { status: 'failed', failure_reason: 'The account is closed.' }],
          ['invoice.status.updated', { status: 'pending', previous_status: 'processing' }],
        ],
        afterwards: async (t, { body }) => {
          assert.deepEqual(await booked(t, body), [
            ['payment_initiated', '2026-06-15', ...initiated],
            ['reversal', '2026-06-15', 'worker_payable credit 100.00', 'payments_in_transit debit 100.00'],
          ])
          assert.deepEqual([body.invoice.status, body.invoice.payment_id], ['pending', null])
        },
      },
    },
    { reason: 'The account is closed.' },
  ),
  'a payment of a provider is not ended by hand': {
    given: ofProvider,
    input: { reason: 'Mine.' },
    answers: '409 provider_controlled',
  },
})

test('the creator of the token that made a payment, or of the token that made that one, does not approve it', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  await setApproval(t, 'second_person')
  const [maker, other] = [await memberToken(t, 'owner'), await memberToken(t, 'owner')]
  const mint = async (token: string) => {
    const scopes = ['accounting:write', 'tokens:write']
    const { body } = await t.call('POST', '/api-tokens', {
      token,
      body: { name: 'Payroll', type: 'organization', scopes },
    })
    return body.token
  }
  const minted = await mint(maker)
  for (const token of [minted, await mint(minted)]) {
    const { id } = await issuedInvoice(t)
    const { body } = await t.call('POST', '/payments', { token, body: { invoice_ids: [id] } })
    const approve = (by: string) => t.call('POST', `/payments/${body.id}/approve`, { token: by })
    assert.equal((await approve(maker)).body.code, 'approver_is_maker')
    assert.equal((await approve(token)).body.code, 'user_required')
    assert.equal((await approve(other)).status, 200)
  }
})

test('of two that approve at the same time, and of two that settle, one does', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  const { id, second } = await paymentIn(t, 'pending_approval')
  const both = async (step: string) => {
    const answers = await Promise.all(
      [1, 2].map(() => t.call('POST', `/payments/${id}/${step}`, { token: second, body: {} })),
    )
    return answers.map(({ status }) => status).sort()
  }
  assert.deepEqual(
    [await both('approve'), await both('settle')],
    [
      [200, 409],
      [200, 409],
    ],
  )
  assert.deepEqual(await faultsOfLedger(t), [])
})
