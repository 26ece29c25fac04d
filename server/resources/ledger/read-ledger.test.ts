import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { createContract } from '#test/factories.ts'
import { bookInvoice, reverseInvoice } from '#test/ledger.ts'
import type { TestService } from '#test/service.ts'

/** An invoice in EUR, one in USD, and a reversal of the first, of three days. */
async function booked(t: TestService) {
  const { id: contract_id } = await createContract(t)
  const invoice = await bookInvoice(t, contract_id)
  await bookInvoice(t, (await createContract(t)).id, { currency: 'USD', effective_date: '2026-06-10' })
  await reverseInvoice(t, invoice)
  const { body } = await t.call('GET', '/ledger/transactions')
  return { contract_id, ...invoice, transactions: body.data, ledger_transaction_id: body.data[2].id }
}

const withheld = (entries: { amount: unknown; balance_after: unknown }[]) =>
  entries.every(({ amount, balance_after }) => amount === null && balance_after === null)

cases(
  'ledger.list_accounts',
  {
    'accounts are made on first use, each in its currency, with its balance on its normal side': {
      input: { currencies: ['USD'] },
      body: { total_count: 4 },
      afterwards: async (_, { body }) => {
        const shown = body.data.map((one: Record<string, unknown>) => [
          one.code,
          one.normal_side,
          one.type,
          one.balance,
        ])
        assert.deepEqual(shown.sort(), [
          ['reimbursed_expenses', 'debit', 'expense', '10.00'],
          ['service_cost', 'debit', 'expense', '90.00'],
          ['vat_receivable', 'debit', 'asset', '19.00'],
          ['worker_payable', 'credit', 'liability', '119.00'],
        ])
      },
    },
    'the account of a contract is found by it': {
      given: booked,
      input: ({ contract_id }) => ({ contract_id, codes: ['worker_payable'] }),
      body: ({ contract_id }) => ({ data: [{ code: 'worker_payable', contract_id, balance: '0.00' }], total_count: 1 }),
    },
    'a contract that does not exist is refused': {
      input: { contract_id: '019d4a1c-e480-7b52-9c06-4d8e1f7a2b93' },
      answers: '422 reference_not_found',
      errors: ['/contract_id'],
    },
    'balances are pay': { as: 'client without compensation', body: { data: [{ balance: null }] } },
  },
  { given: booked },
)

cases(
  'ledger.list_transactions',
  {
    'transactions come by their number, the newest first': {
      body: ({ source }) => ({
        data: [
          { sequence: 3, kind: 'reversal', source, effective_date: '2026-06-16' },
          { sequence: 2, effective_date: '2026-06-10' },
          { sequence: 1, kind: 'invoice_issued', source },
        ],
      }),
    },
    'those of a contract, a source, a kind and a time are found': {
      given: booked,
      input: ({ contract_id, source }) => ({
        ...{ contract_id, source_id: source.id, kinds: ['invoice_issued'] },
        ...{ effective_date_from: '2026-06-15', effective_date_to: '2026-06-15' },
      }),
      body: { data: [{ sequence: 1 }], total_count: 1 },
    },
    'those of an account are found': {
      given: booked,
      input: ({ transactions }) => ({ account_id: transactions[1].entries[0].account_id }),
      body: { data: [{ sequence: 2 }], total_count: 1 },
    },
    'an account that does not exist is refused': {
      input: { account_id: '019d4a1c-e480-7b52-9c06-4d8e1f7a2b93' },
      answers: '422 reference_not_found',
      errors: ['/account_id'],
    },
  },
  { given: booked },
)

cases(
  'ledger.get_transaction',
  {
    'a transaction shows its entries in order, and what reversed it': {
      body: ({ transactions: [reversal, , first] }) => ({
        ...first,
        reverses_transaction_id: null,
        reversed_by_transaction_id: reversal.id,
        entries: [
          { account_code: 'service_cost', direction: 'debit', amount: '90.00', balance_after: '90.00' },
          { account_code: 'reimbursed_expenses', direction: 'debit', amount: '10.00', balance_after: '10.00' },
          { account_code: 'vat_receivable', direction: 'debit', amount: '19.00', balance_after: '19.00' },
          { account_code: 'worker_payable', direction: 'credit', amount: '119.00', balance_after: '119.00' },
        ],
      }),
    },
    'amounts are pay': {
      as: 'client without compensation',
      afterwards: async (_, { body }) => assert.ok(withheld(body.entries)),
    },
  },
  { given: booked },
)

const sums = (code: string, debit: string, credit: string, balance: string) => ({ code, debit, credit, balance })

cases(
  'ledger.get_trial_balance',
  {
    'debits equal credits in each currency': {
      body: ({ contract_id }) => ({
        as_of: '2026-06-15',
        currencies: [
          {
            currency: 'EUR',
            accounts: [
              sums('reimbursed_expenses', '10.00', '0.00', '10.00'),
              sums('service_cost', '90.00', '0.00', '90.00'),
              sums('vat_receivable', '19.00', '0.00', '19.00'),
              { ...sums('worker_payable', '0.00', '119.00', '119.00'), contract_id },
            ],
            ...{ debit_total: '119.00', credit_total: '119.00' },
          },
          { currency: 'USD', debit_total: '119.00', credit_total: '119.00' },
        ],
      }),
    },
    'a reversal counts from its day on': {
      input: { as_of: '2026-06-16' },
      body: { currencies: [{ currency: 'EUR', debit_total: '238.00', credit_total: '238.00' }, {}] },
    },
    'of a day before there was anything it is empty': { input: { as_of: '2026-06-09' }, body: { currencies: [] } },
    'sums are pay': {
      as: 'client without compensation',
      body: { currencies: [{ debit_total: null, accounts: [{ debit: null, credit: null, balance: null }] }] },
    },
    'a viewer may not see them': { as: 'viewer', answers: '403 insufficient_scope' },
  },
  { given: booked },
)

const header =
  'sequence,posted_at,effective_date,kind,source_kind,source_id,account_code,contract_id,direction,amount,currency,balance_after,reverses_sequence'
/** Lines of a file without what differs from call to call: times and ids. */
const linesOf = (text: string) =>
  text
    .split('\r\n')
    .map((line) =>
      line.replaceAll(/[\d-]+T[\d:.]+Z/g, 'time').replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id'),
    )

cases(
  'ledger.export',
  {
    'each entry is a row, in the order of booking': {
      input: { from: '2026-06-15', to: '2026-06-16', currencies: ['EUR'] },
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="ledger.csv"',
      },
      afterwards: async (_, { body }) =>
        assert.deepEqual(linesOf(body), [
          header,
          '1,time,2026-06-15,invoice_issued,invoice,id,service_cost,,debit,90.00,EUR,90.00,',
          '1,time,2026-06-15,invoice_issued,invoice,id,reimbursed_expenses,,debit,10.00,EUR,10.00,',
          '1,time,2026-06-15,invoice_issued,invoice,id,vat_receivable,,debit,19.00,EUR,19.00,',
          '1,time,2026-06-15,invoice_issued,invoice,id,worker_payable,id,credit,119.00,EUR,119.00,',
          '3,time,2026-06-16,reversal,invoice,id,service_cost,,credit,90.00,EUR,0.00,1',
          '3,time,2026-06-16,reversal,invoice,id,reimbursed_expenses,,credit,10.00,EUR,0.00,1',
          '3,time,2026-06-16,reversal,invoice,id,vat_receivable,,credit,19.00,EUR,0.00,1',
          '3,time,2026-06-16,reversal,invoice,id,worker_payable,id,debit,119.00,EUR,0.00,1',
          '',
        ]),
    },
    'amounts are pay': {
      as: 'client without compensation',
      input: { from: '2026-06-10', to: '2026-06-10' },
      afterwards: async (_, { body }) =>
        assert.equal(linesOf(body)[1], '2,time,2026-06-10,invoice_issued,invoice,id,service_cost,,debit,,USD,,'),
    },
    'a year and a day is the most': {
      input: { from: '2026-01-01', to: '2027-01-02' },
      answers: '422 date_out_of_range',
      errors: ['/to'],
    },
  },
  { given: booked },
)
