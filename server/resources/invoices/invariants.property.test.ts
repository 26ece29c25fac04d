import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newId } from '#core/values.ts'
import { type Sql, sql } from '#db/database.ts'
import { lockInvoices, lockPayable, moveInvoices, payInvoices } from '#resources/invoices/index.ts'
import { serviceOfCases } from '#test/cases.ts'
import { activeContract, type Body } from '#test/factories.ts'
import { at, done } from '#test/invoices.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { asInvoicing } from '#test/work-items.ts'

/** Invariants 5 to 11, 17 and 18 of the domain as queries for what breaks them. */
const breaches: Record<string, Sql> = {
  'an item is invoiced or paid exactly when it stands on an invoice, and paid with it': sql`
    select w.id from (
      select organization_id, id, status, invoice_id from timesheets
      union all select organization_id, id, status, invoice_id from invoice_adjustments) w
    left join invoices i on i.organization_id = w.organization_id and i.id = w.invoice_id
    where (w.status in ('invoiced', 'paid')) <> (w.invoice_id is not null)
      or (w.status = 'paid') <> coalesce(i.status = 'paid', false) or i.status = 'cancelled'`,
  'an item on an invoice has one line there, and a standing line its item': sql`
    select l.id from invoice_lines l
    left join invoice_adjustments a on a.organization_id = l.organization_id and a.id = l.source_id
    left join timesheets s on s.organization_id = l.organization_id and s.id = l.source_id
    where l.source_kind <> 'payment_cycle' and l.is_standing
      and coalesce(a.invoice_id, s.invoice_id) is distinct from l.invoice_id`,
  'the total is subtotal and VAT, the subtotal its lines, and there is a line': sql`
    select i.id from invoices i
    left join invoice_lines l on l.organization_id = i.organization_id and l.invoice_id = i.id
    group by i.organization_id, i.id
    having i.total <> i.subtotal + i.vat_total or i.subtotal is distinct from sum(l.amount) or i.subtotal < 0
      or i.taxable_base is distinct from coalesce(sum(l.amount) filter (where l.is_taxable), 0)
      or i.vat_total <> round(i.taxable_base * coalesce(i.vat_rate, 0) / 100, 2)`,
  'an invoice is in the currency of its contract': sql`
    select i.id from invoices i join contracts c on c.organization_id = i.organization_id and c.id = i.contract_id
    where i.currency <> c.currency`,
  'numbers have no gaps': sql`
    select number from (select number, row_number() over (order by number) as place from invoices) n
    where number <> 'INV-2026-' || lpad(place::text, 6, '0')`,
  'a cycle is invoiced or paid as its invoice is': sql`
    select c.id from payment_cycles c
    left join invoices i on i.organization_id = c.organization_id and i.id = c.invoice_id
    where (c.status = 'paid') <> coalesce(i.status = 'paid', false) or (c.status = 'invoiced') <> coalesce(i.status in ('pending', 'processing'), false)
      or i.payment_cycle_id is distinct from case when i.id is not null then c.id end`,
  'cycles leave no gap and never overlap': sql`
    select id from (
      select p.id, p.start_date, c.start_date as first,
             lag(p.end_date) over (partition by p.contract_id order by p.start_date) as before
      from payment_cycles p join contracts c on c.organization_id = p.organization_id and c.id = p.contract_id
      where p.status <> 'cancelled' and not (p.status = 'upcoming' and p.start_date > coalesce(c.last_day, p.start_date))) n
    where start_date <> coalesce(before + 1, first)`,
  'an active contract has one active cycle, and at most one upcoming': sql`
    select c.id from contracts c left join payment_cycles p on p.organization_id = c.organization_id and p.contract_id = c.id
    where c.status = 'active' group by c.organization_id, c.id
    having count(*) filter (where p.status = 'active') <> 1 or count(*) filter (where p.status = 'upcoming') > 1`,
}

const day = fc.integer({ min: 0, max: 27 })
const amount = fc
  .integer({ min: 1, max: 400_000 })
  .map((cents) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`)
const steps = {
  wait: fc.record({ days: fc.integer({ min: 1, max: 20 }) }),
  adjust: fc.record({
    type: fc.constantFrom('bonus', 'expense', 'deduction', 'other'),
    ...{ amount, day, is_recurring: fc.boolean(), auto_approve: fc.boolean(), which: fc.nat(1) },
  }),
  off_cycle: fc.record({ which: fc.nat(5) }),
  cancel: fc.record({ which: fc.nat(9) }),
  pay: fc.record({ which: fc.nat(9), ends: fc.constantFrom('paid', 'pending', 'open') }),
  again: fc.record({ which: fc.nat(9) }),
  terminate: fc.record({ which: fc.nat(9), days: fc.integer({ min: 0, max: 40 }) }),
  keep: fc.record({ which: fc.nat(1) }),
}
const step = fc.oneof(
  ...Object.entries(steps).map(([kind, input]) =>
    fc.record({ kind: fc.constant(kind), input: input as fc.Arbitrary<Body> }),
  ),
)

const dayAfter = (t: TestService, days: number) =>
  new Date(t.clock.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Does one step through the API; a refusal is as good as a success, a failure is none. */
async function take(t: TestService, contracts: Body[], { kind, input }: { kind: string; input: Body }): Promise<void> {
  const contract = contracts[input.which % contracts.length]
  const post = async (path: string, body: object) => {
    const answer = await t.call('POST', path, { body })
    assert.ok(answer.status < 500, `${path}: ${t.logged.at(-1)}`)
  }
  const pick = async (list: string): Promise<Body | undefined> => {
    const { data } = await done(t, 'GET', list)
    return data[input.which % Math.max(data.length, 1)]
  }
  if (kind === 'wait') return at(t, new Date(t.clock.now() + input.days * 86_400_000).toISOString())
  if (kind === 'adjust') {
    const { type, amount: given, is_recurring, auto_approve, day: ahead } = input
    const body = { contract_id: contract.id, type, amount: given, description: 'Some', date: dayAfter(t, ahead) }
    return post('/invoice-adjustments', { ...body, is_recurring, auto_approve })
  }
  if (kind === 'off_cycle') {
    const item = await pick('/invoice-adjustments?statuses=approved')
    return item && post('/invoices', { contract_id: item.contract_id, invoice_adjustment_ids: [item.id] })
  }
  if (kind === 'again') {
    const cycle = await pick(`/contracts/${contract.id}/payment-cycles?statuses=skipped`)
    return cycle && post(`/contracts/${contract.id}/payment-cycles/${cycle.id}/invoice`, {})
  }
  if (kind === 'terminate') {
    const completion_date = dayAfter(t, input.days)
    return input.which === 0
      ? post(`/contracts/${contract.id}/terminate`, { type: 'resignation', completion_date })
      : undefined
  }
  if (kind === 'keep') return post(`/contracts/${contract.id}/cancel-termination`, {})
  const invoice = await pick('/invoices?statuses=pending')
  if (!invoice) return
  if (kind === 'cancel') return post(`/invoices/${invoice.id}/cancel`, { reason: 'Wrong.' })
  await asInvoicing(t, async (context) => {
    const rows = await lockInvoices(context.tx, t.organization.id, [invoice.id])
    const moved = await moveInvoices(context, rows, { status: 'processing', payment_id: newId(0) })
    if (input.ends === 'pending') await moveInvoices(context, moved, { status: 'pending' })
    if (input.ends === 'paid')
      await payInvoices(context, await lockPayable(context.tx, t.organization.id, [invoice.id]))
  })
}

test('no history of steps breaks what always holds of cycles and invoices (invariants 5 to 11, 17 and 18)', async () => {
  const service = await serviceOfCases()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (history) => {
      await service.clock.set('2026-01-13T10:00:00.000Z')
      const t = inOrganization(service, await service.createOrganization({ is_sandbox: true }))
      const tax = { vat_rate: '19' }
      const monthly = await activeContract(t, { start_date: '2026-01-15', tax }, t.organization)
      const compensation = { amount: '25.00', currency: 'EUR', frequency: 'weekly' }
      const hourly = await activeContract(
        t,
        { type: 'pay_as_you_go', start_date: '2026-01-13', compensation },
        t.organization,
      )
      await at(t, '2026-01-15T09:00:00.000Z')
      for (const one of history) {
        await take(t, [monthly, hourly], one)
        await t.timers.runDue()
        await t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, async (tx) => {
          for (const [name, breach] of Object.entries(breaches)) assert.deepEqual(await tx.rows(breach), [], name)
        })
      }
    }),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 12), endOnFailure: true },
  )
})
