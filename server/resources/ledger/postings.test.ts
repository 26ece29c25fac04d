import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalsOf, formatMoney, sumOf } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import { money } from '#test/ledger.ts'
import { entriesOfCompleted, entriesOfInitiated, entriesOfInvoice, swapped, writtenEntries } from './postings.ts'

type Entries = ReturnType<typeof writtenEntries>
const shown = (entries: Entries) =>
  entries.map(({ code, contract_id, direction, amount }) => `${code}${contract_id ?? ''} ${direction} ${amount}`)

// The examples of the domain rules, 6.6.
test('an issued invoice is cost, expenses and tax against what is owed to the worker', () => {
  const invoice = {
    contract_id: ' C03',
    subtotal: money('4879.90'),
    vat_total: money('864.50'),
    expenses: money('329.90'),
  }
  assert.deepEqual(shown(writtenEntries(entriesOfInvoice(invoice))), [
    'service_cost debit 4550.00',
    'reimbursed_expenses debit 329.90',
    'vat_receivable debit 864.50',
    'worker_payable C03 credit 5744.40',
  ])
})

test('a payment moves what is owed on each contract into transit, and then out of the bank with its fee', () => {
  const invoices = [
    ['C03', '2740.84'],
    ['C04', '1800.00'],
    ['C03', '5818.26'],
    ['C04', '1800.00'],
  ].map(([contract, total]) => ({ contract_id: ` ${contract}`, total: money(total ?? '') }))
  assert.deepEqual(shown(writtenEntries(entriesOfInitiated(invoices, money('12159.10')))), [
    'worker_payable C03 debit 8559.10',
    'worker_payable C04 debit 3600.00',
    'payments_in_transit credit 12159.10',
  ])
  assert.deepEqual(shown(writtenEntries(entriesOfCompleted(money('12159.10'), money('4.50')))), [
    'payments_in_transit debit 12159.10',
    'payment_fees debit 4.50',
    'cash credit 12163.60',
  ])
})

test('a side that would be negative goes to the other side, and nothing is written of zero', () => {
  const deducted = { contract_id: '', subtotal: money('0.00'), vat_total: money('0.00'), expenses: money('50.00') }
  assert.deepEqual(shown(writtenEntries(entriesOfInvoice(deducted))), [
    'service_cost credit 50.00',
    'reimbursed_expenses debit 50.00',
  ])
  const [entry] = writtenEntries(entriesOfInvoice(deducted))
  assert.equal(entry && swapped(entry).direction, 'debit')
})

test('two currencies have no sum, and entries that do not balance in each are refused', () => {
  assert.throws(() => sumOf('EUR', [money('1.00'), money('1.00', 'USD')]), /have no sum/)
  assert.throws(() => entriesOfCompleted(money('1.00'), money('1.00', 'USD')), /have no sum/)
  const crossed = [
    { code: 'cash', amount: money('1.00') },
    { code: 'payment_fees', amount: { ...money('1.00', 'USD'), minor: -100n } },
  ] as const
  assert.throws(() => writtenEntries(crossed), /debits and credits in EUR differ/)
})

test('sums of 100,000 random lines are those of the decimal arithmetic of PostgreSQL', async () => {
  const random = (below: number) => Math.floor(Math.random() * below)
  for (const currency of ['EUR', 'JPY', 'KWD', 'CLF'] as const) {
    const decimals = decimalsOf(currency)
    const lines = Array.from({ length: 25_000 }, () => {
      const whole = String(random(10 ** (1 + random(12))))
      const fraction = Array.from({ length: decimals }, () => random(10)).join('')
      return { sign: random(4) === 0 ? '-' : '', text: decimals === 0 ? whole : `${whole}.${fraction}` }
    })
    const amounts = lines.map(({ sign, text }) => {
      const { minor } = money(text, currency)
      return { minor: sign === '-' ? -minor : minor, currency }
    })
    const { minor } = sumOf(currency, amounts)
    const { database } = await serviceOfCases()
    const row = await database.database.transaction({ role: 'owner' }, (tx) =>
      tx.row<{ sum: string }>(
        sql`select sum(line::numeric)::text as sum from unnest(${lines.map(({ sign, text }) => sign + text)}::text[]) line`,
      ),
    )
    assert.equal(formatMoney(minor, currency), row?.sum, currency)
  }
})
