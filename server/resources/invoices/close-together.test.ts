import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timers } from '#boot/operations.ts'
import { createTimerJob } from '#core/jobs/fire-timers.ts'
import { sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import { at, done, invoicesOf, signedContract } from '#test/invoices.ts'
import { faultsOfLedger } from '#test/ledger.ts'
import { inOrganization, type TestService } from '#test/service.ts'

const worked = {
  ...{ type: 'pay_as_you_go', tax: {} },
  compensation: { amount: '45.00', currency: 'EUR', frequency: 'monthly' },
}
const dated = { date: '2026-01-20' }

/** Contracts whose cycles close at the same moment: with every kind of source, with nothing, and with an invoice of nothing. */
async function contracts(t: TestService): Promise<void> {
  const made: Body[] = []
  for (const terms of [{}, worked, {}, worked, worked, { tax: { vat_rate: '7' } }])
    made.push(await signedContract(t, terms))
  const [, hourly, fixed, , nothing] = made
  await at(t, '2026-01-21T09:00:00.000Z')
  const adjust = (of: Body | undefined, type: string, amount: string, more: object = {}) =>
    done(t, 'POST', '/invoice-adjustments', { contract_id: of?.id, type, amount, description: type, ...dated, ...more })
  for (const start_date of ['2026-01-19', '2026-01-20']) {
    await done(t, 'POST', '/timesheets', { contract_id: hourly?.id, start_date, quantity: '7.5', description: 'Work' })
  }
  await adjust(hourly, 'deduction', '5000.00')
  await adjust(fixed, 'expense', '89.90')
  await adjust(fixed, 'other', '50.00', { is_recurring: true })
  await adjust(nothing, 'bonus', '100.00')
  await adjust(nothing, 'deduction', '100.00')
}

/** All that can be seen of an organization's closes, with ids and addresses by the order of their appearance. */
async function seen(t: TestService) {
  const { id } = t.organization
  const events = await t.takeEvents()
  const audit = await t.database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.rows(sql`
      select action, subject_kind, subject_id, changed_fields from audit_entries
      where organization_id = ${id} and action in ('cycle_close', 'invoice_overdue') order by id`),
  )
  const lists = []
  for (const path of ['/ledger/transactions', '/ledger/accounts', '/timesheets', '/invoice-adjustments']) {
    const { data } = await done(t, 'GET', `${path}?limit=100`)
    // An account that several closes move has as many versions as there are transactions.
    lists.push(data.map(({ updated_at: _, ...row }: Body) => row).toSorted(byKey))
  }
  const open = await t.database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    tx.rows(
      sql`select kind, due_at, fired_at is null as is_open from timers where organization_id = ${id} order by due_at, kind`,
    ),
  )
  const text = JSON.stringify({ events, audit, invoices: await invoicesOf(t), lists, open })
  const names = new Map<string, string>()
  const named = text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w.+-]+@[\w.-]+/g, (each) => {
    if (!names.has(each)) names.set(each, `#${names.size}`)
    return names.get(each) ?? each
  })
  return JSON.parse(named)
}

/** The members that do not differ between two runs of the same history. */
const keyOf = ({ id: _, account_id: __, ...row }: Body) => [
  row.sequence,
  row.amount,
  row.start_date,
  row.balance,
  row.code,
]
const byKey = (a: Body, b: Body) => (JSON.stringify(keyOf(a)) < JSON.stringify(keyOf(b)) ? -1 : 1)

test('cycles that close together leave and tell the same as if each had closed alone', async () => {
  const play = async (kinds: typeof timers, runs: number) => {
    const service = await serviceOfCases()
    const t = inOrganization(service, await service.createOrganization({ is_sandbox: true }))
    await contracts(t)
    await t.takeEvents()
    await t.clock.set('2026-03-20T12:00:00.000Z')
    await createTimerJob(t.runtime, kinds).runDue()
    const [row] = await t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, (tx) =>
      tx.rows<{ count: number }>(sql`
        select count(distinct xmin::text)::int as count from audit_entries
        where organization_id = ${t.organization.id} and action = 'cycle_close'`),
    )
    assert.equal(row?.count, runs)
    assert.deepEqual(await faultsOfLedger(t), [])
    return seen(t)
  }
  const alone = timers.map(({ fireAll: _, ...kind }) => kind)
  // Two months close, of six contracts.
  assert.deepEqual(await play(timers, 2), await play(alone, 12))
})
