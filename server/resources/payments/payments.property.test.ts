import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import { contractIn } from '#test/contract-states.ts'
import { memberToken } from '#test/factories.ts'
import { faultsOfLedger } from '#test/ledger.ts'
import { issuedInvoice, setApproval } from '#test/payments.ts'
import { inOrganization, type TestService } from '#test/service.ts'

// Invariants 5 and 10 to 13 of the domain rules, and those of the ledger, after any history of invoices and payments.

const cents = fc
  .integer({ min: 1, max: 9_999_999 })
  .map((amount) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`)
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('invoice'), contract: fc.nat(2), bonus: cents, expense: cents }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('pay'), of: fc.nat(), count: fc.nat(3), by: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('cancel an invoice'), of: fc.nat() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constantFrom('approve', 'cancel', 'settle', 'fail'),
      of: fc.nat(),
      by: fc.nat(1),
      fee: cents,
    }),
  },
)

type Row = { id: string }

test('what is owed, in transit and paid agrees with invoices and payments, whatever happens at the same time', async () => {
  const service = await serviceOfCases()
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(act, { minLength: 8, maxLength: 32 }), async (needs_approval, acts) => {
      const t = inOrganization(service, await service.createOrganization())
      if (needs_approval) await setApproval(t, 'second_person')
      const currencies = ['EUR', 'EUR', 'USD']
      const contracts = await Promise.all(
        currencies.map(async (currency) => {
          const compensation = { amount: '4200', currency, frequency: 'monthly' }
          return (await contractIn(t, 'active', { compensation, tax: { vat_rate: '19' } })).id
        }),
      )
      const users = [await memberToken(t, 'owner'), await memberToken(t, 'finance')]
      const rowsOf = async (path: string): Promise<Row[]> => (await t.call('GET', `${path}limit=100`)).body.data
      const play = async (one: Record<string, unknown>) => {
        const [of, by] = [Number(one.of ?? 0), users[Number(one.by ?? 0)]]
        const pick = (rows: Row[], skip = 0) => rows[(of + skip) % Math.max(rows.length, 1)]?.id
        if (one.act === 'invoice') {
          const amounts = { bonus: String(one.bonus), expense: String(one.expense) }
          return void (await issuedInvoice(t, { contract_id: contracts[Number(one.contract)] ?? '', amounts }))
        }
        if (one.act === 'pay') {
          const pending = await rowsOf('/invoices?statuses=pending&currencies=EUR&')
          const invoice_ids = [...new Set(Array.from({ length: Number(one.count) + 1 }, (_, at) => pick(pending, at)))]
          return expected(await t.call('POST', '/payments', { ...(by && { token: by }), body: { invoice_ids } }))
        }
        if (one.act === 'cancel an invoice') {
          const id = pick(await rowsOf('/invoices?'))
          return expected(await t.call('POST', `/invoices/${id}/cancel`, { body: { reason: 'x' } }))
        }
        const id = pick(await rowsOf('/payments?'))
        const body = one.act === 'settle' ? { fee: one.fee } : one.act === 'approve' ? {} : { reason: 'x' }
        return expected(await t.call('POST', `/payments/${id}/${one.act}`, { ...(by && { token: by }), body }))
      }
      for (let at = 0; at < acts.length; at += 4) {
        await Promise.all(acts.slice(at, at + 4).map(play))
        assert.deepEqual([await faultsOfLedger(t), await faultsOfPayments(t)], [[], []])
      }
    }),
    { numRuns: 8 },
  )
})

/** Refusals by state and rights are part of a history; a failure of ours is not. */
function expected({ status, body }: { status: number; body: unknown }): void {
  assert.ok(status < 500, JSON.stringify(body))
}

function faultsOfPayments({ database, organization: { id } }: TestService): Promise<object[]> {
  return database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.rows(sql`
      with paid as (
        select p.id as payment_id, p.status, p.total, p.currency, x.is_standing, i.id as invoice_id, i.total as owed,
               i.currency as of_invoice, i.status as invoice_status, i.payment_id as named
        from payments p join payment_invoices x on x.organization_id = p.organization_id and x.payment_id = p.id
        join invoices i on i.organization_id = x.organization_id and i.id = x.invoice_id
        where p.organization_id = ${id})
      select 'a payable differs' as fault, a.contract_id::text as about
      from ledger_accounts a
      where a.organization_id = ${id} and a.code = 'worker_payable' and a.balance <> coalesce((
        select sum(i.total) from invoices i left join payments p on p.organization_id = i.organization_id and p.id = i.payment_id
        where i.organization_id = ${id} and i.contract_id = a.contract_id
          and (i.status = 'pending' or i.status = 'processing' and p.status = 'pending_approval')), 0)
      union all
      select 'transit differs', a.currency from ledger_accounts a
      where a.organization_id = ${id} and a.code = 'payments_in_transit' and a.balance <> coalesce((
        select sum(p.total) from payments p where p.organization_id = ${id} and p.status = 'processing' and p.currency = a.currency), 0)
      union all
      select 'a total is no sum', payment_id::text from paid group by payment_id, total having total <> sum(owed)
      union all
      select 'a currency differs', payment_id::text from paid where currency <> of_invoice
      union all
      select 'an invoice is paid by nobody or twice', i.id::text from invoices i
      where i.organization_id = ${id} and (i.status in ('processing', 'paid') and i.total > 0)
        is distinct from ((select count(*) from paid where invoice_id = i.id and is_standing and named = payment_id) = 1)
      union all
      select 'an ended payment holds its invoice', payment_id::text from paid
      where is_standing <> (status in ('pending_approval', 'processing', 'completed'))
      union all
      select 'a number is missing', kind from (
        select 'invoice' as kind, number from invoices where organization_id = ${id}
        union all select 'payment', number from payments where organization_id = ${id}) n
      group by kind having count(distinct number) <> max(right(number, 6)::int)
      union all
      select 'a maker approved', p.id::text from payments p
      where p.organization_id = ${id} and (p.approved_by ->> 'id')::uuid = any (p.maker_user_ids)`),
  )
}
