import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/values.ts'
import { serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import type { Body } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import {
  anInvoice,
  asInvoicing,
  contractFor,
  enter,
  type Kind,
  kinds,
  rowsOf,
  type WorkItemStatus,
  work_item_statuses,
  workItemIn,
} from '#test/work-items.ts'

/** The service in an organization of its own, at the time of the cases. */
async function fresh(): Promise<TestService> {
  const service = await serviceOfCases()
  await service.clock.set(clock_start)
  return inOrganization(service, await service.createOrganization())
}

const told_as = { timesheets: 'timesheet.status.updated', invoice_adjustments: 'invoice-adjustment.status.updated' }

/** Marks that invoicing sets: the statuses that each begins from, and what they become. */
const marks: Record<'invoice' | 'free' | 'pay' | 'leaveOver', Partial<Record<WorkItemStatus, WorkItemStatus>>> = {
  invoice: { approved: 'invoiced' },
  free: { invoiced: 'approved' },
  pay: { invoiced: 'paid' },
  leaveOver: { pending: 'not_payable', approved: 'not_payable' },
}

for (const kind of Object.keys(kinds) as Kind[]) {
  const { to_pay, path } = kinds[kind]
  const read = async (t: TestService, id: string): Promise<Body> => (await t.call('GET', `${path}/${id}`)).body

  for (const [mark, outcomes] of Object.entries(marks) as [keyof typeof marks, (typeof marks)['invoice']][]) {
    for (const status of work_item_statuses) {
      const { [status]: next } = outcomes
      test(`${kind}: ${mark} of ${status} ${next ? `leads to ${next}` : 'is refused and changes nothing'}`, async () => {
        const t = await fresh()
        const { id, item, contract_id } = await workItemIn(t, kind, status)
        const on = await anInvoice(t, contract_id)
        const marking = asInvoicing(t, async (context) => {
          const rows = await rowsOf(context, t, kind, id)
          await (mark === 'invoice' ? to_pay.invoice([{ context, rows, on }]) : to_pay[mark](context, rows))
          return context.told
        })
        if (!next) {
          await assert.rejects(marking, /cannot be/)
          return assert.deepEqual(await read(t, id), item)
        }
        const of = { invoice: on.invoice_id, free: item.invoice_id, pay: item.invoice_id, leaveOver: null }[mark]
        const [[type, entries] = [], ...others] = await marking
        assert.deepEqual([type, entries?.length, others], [told_as[kind], 1, []])
        assert.partialDeepStrictEqual(entries?.[0], { status: next, previous_status: status, invoice_id: of })
        const after = await read(t, id)
        assert.partialDeepStrictEqual(after, { status: next, invoice_id: next === 'approved' ? null : of })
        assert.deepEqual(after.review, item.review)
        assert.ok(after.updated_at > item.updated_at, 'updated_at moves')
      })
    }
  }

  test(`${kind}: a cycle collects what is dated by its end and was approved before it closed, in its order`, async () => {
    const t = await fresh()
    const contract = await contractFor(t, kind)
    const dated = (day: string) =>
      kind === 'timesheets' ? { start_date: day, end_date: day, quantity: '1' } : { date: day }
    const add = async (given: object) => (await enter(t, kind, contract, { ...given })).id as string
    const second = await add(dated('2026-06-12'))
    const first = await add(dated('2026-06-11'))
    await add(dated('2026-06-13'))
    const waiting = await add({ ...dated('2026-06-11'), auto_approve: false })
    const removed = await add(dated('2026-06-11'))
    await t.call('DELETE', `${path}/${removed}`)
    await t.clock.advance(60_000)
    const closes_at = new Date(t.clock.now()).toISOString()
    const late = await add(dated('2026-06-11'))
    const of = { organization_id: t.organization.id, id: contract.id }
    const within = { id: of.id, last_date: '2026-06-12', approved_before: closes_at }
    const other = await contractFor(t, kind)
    const of_other = (await enter(t, kind, other, dated('2026-06-13'))).id
    const found = await asInvoicing(t, async ({ tx }) => ({
      cycles: await to_pay.approved(tx, of.organization_id, [within, { id: other.id }, { id: newId(0) }]),
      rest: await to_pay.open(tx, of),
    }))
    const ids = [...found.cycles].map(([id, rows]) => [id, rows.map((row) => row.id)] as const)
    assert.deepEqual(
      new Map(ids),
      new Map([
        [of.id, [first, second]],
        [other.id, [of_other]],
      ]),
    )
    assert.deepEqual(new Set(found.rest.map(({ id }) => id)).isSupersetOf(new Set([waiting, late])), true)
    assert.equal(found.rest.length, 5)
  })

  test(`${kind}: many are told in events of 100 entries at most`, async () => {
    const t = await fresh()
    const contract = await contractFor(t, kind)
    await Promise.all(Array.from({ length: 101 }, () => enter(t, kind, contract)))
    const of = { organization_id: t.organization.id, id: contract.id }
    const on = await anInvoice(t, contract.id)
    const { told, paid } = await asInvoicing(t, async (context) => {
      const approved = await to_pay.approved(context.tx, of.organization_id, [{ id: of.id }])
      await to_pay.invoice([{ context, rows: (approved.get(of.id) ?? []) as never, on }])
      const invoiced = await to_pay.onInvoices(context.tx, of.organization_id, [on.invoice_id])
      return { told: context.told, paid: await to_pay.pay(context, invoiced as never) }
    })
    assert.deepEqual(
      told.map(([, entries]) => entries.length),
      [100, 1, 100, 1],
    )
    assert.equal(new Set(paid.map(({ id }) => id)).size, 101)
  })

  test(`${kind}: of two reviews at once one decides`, async () => {
    const t = await fresh()
    const { id } = await workItemIn(t, kind, 'pending')
    const answers = await Promise.all(
      ['approved', 'declined'].map((status) => t.call('POST', `${path}/${id}/review`, { body: { status } })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const decided = answers.find(({ status }) => status === 200)?.body
    assert.deepEqual(await read(t, id), decided)
  })
}
