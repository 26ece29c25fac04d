import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { newId } from '#core/values.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import { createContract } from '#test/factories.ts'
import { bookInvoice, faultsOfLedger, inLedger, money, reverseInvoice } from '#test/ledger.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { book } from './book.ts'
import { entriesOfCompleted, entriesOfInitiated } from './postings.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
})

const newOrganization = async () => inOrganization(service, await service.createOrganization())

const cents = fc.integer({ min: 0, max: 99_999_999 }).map((amount) => (amount / 100).toFixed(2))
const step = fc.record({
  contract: fc.nat(2),
  currency: fc.constantFrom('EUR', 'USD'),
  subtotal: cents,
  vat_total: cents,
  expenses: cents,
  fee: cents,
  ending: fc.constantFrom('open', 'cancelled', 'cancelled twice', 'paid', 'paid twice'),
})

/** One invoice and what becomes of it; what is refused as done already is no fault. */
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function live(t: TestService, contracts: string[], made: Step) {
  const { ending, fee, subtotal, vat_total, expenses, currency } = made
  const contract_id = contracts[made.contract] ?? ''
  const { source } = await bookInvoice(t, contract_id, { currency, subtotal, vat_total, expenses })
  if (ending.startsWith('cancelled')) {
    const cancel = () => reverseInvoice(t, { source })
    const done = await Promise.allSettled(ending === 'cancelled' ? [cancel()] : [cancel(), cancel()])
    if ([subtotal, vat_total, expenses].some((amount) => amount !== '0.00'))
      assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1)
    return
  }
  const of = currency as 'EUR'
  const owed = money(subtotal, of).minor + money(vat_total, of).minor
  if (ending === 'open' || owed === 0n) return
  const total = { minor: owed, currency: of }
  const payment = { kind: 'payment', id: newId(t.clock.now()) } as const
  const pay = () =>
    inLedger(t, async (context, organization_id) => {
      const booking = { organization_id, source: payment, effective_date: '2026-06-20', description: 'Payment' }
      await book(context, {
        ...booking,
        kind: 'payment_initiated',
        entries: entriesOfInitiated([{ contract_id, total }], total),
      })
      await book(context, { ...booking, kind: 'payment_completed', entries: entriesOfCompleted(total, money(fee, of)) })
    })
  const done = await Promise.allSettled(ending === 'paid' ? [pay()] : [pay(), pay()])
  assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1)
}

test('after any history, of parallel callers too, debits equal credits, no number is missing, and balances are sums', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), async (steps) => {
      const t = await newOrganization()
      const contracts = await Promise.all([1, 2, 3].map(async () => (await createContract(t)).id as string))
      for (let at = 0; at < steps.length; at += 8) {
        await Promise.all(steps.slice(at, at + 8).map((made) => live(t, contracts, made)))
        assert.deepEqual(await faultsOfLedger(t), [])
      }
    }),
    { numRuns: 12 },
  ))

test('a source is booked once of each kind, and reversed once', async () => {
  const t = await newOrganization()
  const { id } = await createContract(t)
  const invoice = await bookInvoice(t, id)
  await reverseInvoice(t, invoice)
  await assert.rejects(reverseInvoice(t, invoice), /ledger_transactions_organization_id_source_id_kind_key/)
  const { body } = await t.call('GET', '/ledger/transactions')
  const [reversal, forward] = body.data
  assert.deepEqual(
    [body.total_count, reversal.reverses_transaction_id, forward.reversed_by_transaction_id],
    [2, forward.id, reversal.id],
  )
  const sides = ({ entries }: { entries: { account_code: string; direction: string; amount: string }[] }) =>
    entries.map(({ account_code, direction, amount }) => [account_code, direction, amount])
  assert.deepEqual(
    sides(reversal),
    sides(forward).map(([code, direction, amount]) => [code, direction === 'debit' ? 'credit' : 'debit', amount]),
  )
  const accounts = await t.call('GET', '/ledger/accounts')
  assert.deepEqual([...new Set(accounts.body.data.map(({ balance }: { balance: string }) => balance))], ['0.00'])
})

test('the database refuses what breaks the ledger, whoever writes it', async () => {
  const t = await newOrganization()
  const { id: contract_id } = await createContract(t)
  const invoice = await bookInvoice(t, contract_id)
  const completed = { kind: 'payment_completed', effective_date: '2026-06-20', description: 'Payment' } as const
  const entries = entriesOfCompleted(money('100.00'), money('1.00'))
  await inLedger(t, (context, organization_id) => book(context, { ...completed, ...invoice, organization_id, entries }))
  const { id: organization_id } = t.organization
  const [, booked] = (await t.call('GET', '/ledger/transactions')).body.data
  const [entry] = booked.entries
  const own = sql`organization_id = ${organization_id}`
  const id = newId(t.clock.now())
  const newTransaction = (sequence: number) => sql`
    insert into ledger_transactions (organization_id, id, sequence, kind, source_kind, source_id, description,
                                     effective_date, posted_at, created_at, updated_at)
    values (${organization_id}, ${id}, ${sequence}, 'invoice_issued', 'invoice', gen_random_uuid(), 'x',
            '2026-06-15', app_now(), app_now(), app_now())`
  const newEntry = (transaction_id: string, account_id: string) => sql`
    insert into ledger_entries (organization_id, id, transaction_id, position, account_id, direction, amount, currency, balance_after)
    values (${organization_id}, gen_random_uuid(), ${transaction_id}, 9, ${account_id}, 'debit', 1, 'EUR', 0)`
  const [other] = (await t.call('GET', '/ledger/accounts', { query: { codes: 'cash' } })).body.data
  const attempts: Record<string, [by: string, statements: Sql[]]> = {
    'a transaction without entries': ['ledger_transactions_balanced', [newTransaction(3)]],
    'one side alone': ['ledger_entries_balanced', [newTransaction(3), newEntry(id, entry.account_id)]],
    'an entry that comes later': ['ledger_entries_balanced', [newEntry(booked.id, other.id)]],
    'a number left out': ['previous_sequence_fkey', [newTransaction(4)]],
    'a number twice': ['sequence_key', [newTransaction(1)]],
    'a changed amount': ['42501', [sql`update ledger_entries set amount = 1 where ${own}`]],
    'a changed date': ['42501', [sql`update ledger_transactions set effective_date = '2026-01-01' where ${own}`]],
    'a removed transaction': ['42501', [sql`delete from ledger_transactions where ${own}`]],
    'a link to what is no reversal': [
      'reversed_by_transactio_fkey',
      [sql`update ledger_transactions set reversed_by_transaction_id = id where ${own}`],
    ],
    'an update without a link': [
      'ledger_is_append_only',
      [sql`update ledger_transactions set updated_at = app_now() where ${own}`],
    ],
  }
  const refusals = await Promise.all(
    Object.entries(attempts).map(([name, [, done]]) => refusalOf(t, 'app', name, done)),
  )
  for (const [index, [by]] of Object.values(attempts).entries()) assert.match(refusals[index] ?? '', new RegExp(by))
  // Row-level security hides the rows from their owner, unless it lifts that first.
  const lifted = ['ledger_entries', 'ledger_transactions'].flatMap((table) =>
    ['update % set organization_id = organization_id', 'delete from %'].map((change) => [
      raw(`alter table ${table} no force row level security`),
      raw(change.replace('%', table)),
    ]),
  )
  for (const statements of lifted) assert.match(await refusalOf(t, 'owner', 'the owner', statements), /append_only/)
  assert.deepEqual(await faultsOfLedger(t), [])
})

/** The constraint, or else the code, by which the database refuses statements. */
async function refusalOf({ database, organization }: TestService, role: 'app' | 'owner', name: string, done: Sql[]) {
  const attempt = database.database.transaction({ role, organization_id: organization.id }, async (tx) => {
    for (const statement of done) await tx.run(statement)
  })
  const error = await attempt.then(
    () => assert.fail(name),
    (refusal) => refusal,
  )
  return `${name}: ${error.constraint ?? error.code ?? error}`
}
