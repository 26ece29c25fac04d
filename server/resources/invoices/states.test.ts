import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/values.ts'
import { lockInvoices, lockPayable, moveInvoices, payInvoices } from '#resources/invoices/index.ts'
import { serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import type { Body } from '#test/factories.ts'
import { at, type CycleStatus, cycleIn, cyclesOf, done, invoiceIn } from '#test/invoices.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { fireAlone } from '#test/timers.ts'
import { asInvoicing } from '#test/work-items.ts'

async function fresh(): Promise<TestService> {
  const service = await serviceOfCases()
  await service.clock.set(clock_start)
  return inOrganization(service, await service.createOrganization())
}

const statuses = ['pending', 'processing', 'paid', 'cancelled'] as const
type Status = (typeof statuses)[number]

const move = (t: TestService, id: string, to: 'processing' | 'pending' | 'paid') =>
  asInvoicing(t, async (context) => {
    const organization_id = t.organization.id
    if (to === 'paid') await payInvoices(context, await lockPayable(context.tx, organization_id, [id]))
    else {
      const status = to === 'pending' ? { status: to } : { status: to, payment_id: newId(0) }
      await moveInvoices(context, await lockInvoices(context.tx, organization_id, [id]), status)
    }
    return context.told.map(([type]) => type)
  })

interface Trigger {
  /** The statuses in which it is allowed, and what it leads to. */
  leads: Partial<Record<Status, Status>>
  tells: string[]
  run(t: TestService, id: string): Promise<string[]>
}

/** Domain rules 3.5, each trigger in every status; the timer does nothing where it does not apply. */
const triggers: Record<string, Trigger> = {
  'into a payment': {
    leads: { pending: 'processing' },
    tells: ['invoice.status.updated'],
    run: (t, id) => move(t, id, 'processing'),
  },
  'payment failed': {
    leads: { processing: 'pending' },
    tells: ['invoice.status.updated'],
    run: (t, id) => move(t, id, 'pending'),
  },
  'payment completed': {
    leads: { processing: 'paid' },
    tells: ['invoice.paid', 'invoice.status.updated', 'invoice-adjustment.status.updated'],
    run: (t, id) => move(t, id, 'paid'),
  },
  cancelled: {
    leads: { pending: 'cancelled' },
    tells: ['invoice.cancelled', 'invoice.status.updated', 'invoice-adjustment.status.updated'],
    async run(t, id) {
      const { status, body } = await t.call('POST', `/invoices/${id}/cancel`, { body: { reason: 'Twice.' } })
      if (status !== 200) throw new Error(body.detail)
      return (await t.takeEvents()).map(({ event_type }) => event_type)
    },
  },
}

for (const [name, { leads, tells, run }] of Object.entries(triggers)) {
  for (const status of statuses) {
    const { [status]: next } = leads
    test(`an invoice that is ${status}, ${name}: ${next ?? 'refused, and nothing changes'}`, async () => {
      const t = await fresh()
      const { invoice_id, invoice, source_id } = await invoiceIn(t, status)
      await t.takeEvents()
      if (!next) {
        await assert.rejects(run(t, invoice_id), /only a/)
        assert.deepEqual(await done(t, 'GET', `/invoices/${invoice_id}`), invoice)
        return assert.deepEqual(await t.takeEvents(), [])
      }
      assert.deepEqual(await run(t, invoice_id), tells)
      const after = await done(t, 'GET', `/invoices/${invoice_id}`)
      assert.deepEqual(
        [after.status, after.payment_id !== null, after.paid_at !== null],
        [next, next === 'processing' || next === 'paid', next === 'paid'],
      )
      assert.ok(after.updated_at > invoice.updated_at, 'updated_at moves')
      const source = (await done(t, 'GET', `/invoice-adjustments/${source_id}`)).status
      assert.equal(source, next === 'paid' ? 'paid' : next === 'cancelled' ? 'approved' : 'invoiced')
    })
  }
}

for (const status of statuses) {
  const is_open = status === 'pending' || status === 'processing'
  test(`an invoice that is ${status} ${is_open ? 'becomes overdue' : 'never becomes overdue'}`, async () => {
    const t = await fresh()
    const { invoice_id, invoice } = await invoiceIn(t, status)
    await t.takeEvents()
    await at(t, '2026-07-15T09:00:00.000Z')
    const after = await done(t, 'GET', `/invoices/${invoice_id}`)
    assert.deepEqual([after.status, after.is_overdue], [status, is_open])
    const told = (await t.takeEvents()).filter(({ event_type }) => event_type === 'invoice.overdue')
    assert.equal(told.filter(({ resource: [entry] }) => entry?.invoice_id === invoice_id).length, is_open ? 1 : 0)
    if (!is_open) assert.deepEqual(after, invoice)
    if (status === 'processing') {
      await move(t, invoice_id, 'paid')
      assert.equal((await done(t, 'GET', `/invoices/${invoice_id}`)).is_overdue, false)
    }
  })
}

const cycle_statuses: CycleStatus[] = ['upcoming', 'active', 'invoiced', 'paid', 'skipped', 'cancelled']

/** Domain rules 3.4: a timer that comes to a cycle in any other status leaves it as it is. */
const cycle_timers: Record<string, Partial<Record<CycleStatus, CycleStatus>>> = {
  cycle_open: { upcoming: 'active' },
  cycle_close: { active: 'invoiced' },
}

for (const [kind, leads] of Object.entries(cycle_timers)) {
  for (const status of cycle_statuses) {
    const { [status]: next = status } = leads
    test(`a cycle that is ${status}, timer ${kind}: ${next}`, async () => {
      const t = await fresh()
      const { payment_cycle_id, contract_id } = await cycleIn(t, status)
      const found = async (): Promise<Body> =>
        (await cyclesOf(t, { id: contract_id })).find(({ id }) => id === payment_cycle_id)
      const before = await found()
      await t.takeEvents()
      await fireAlone(t, { kind, subject_id: payment_cycle_id, sequence_id: contract_id })
      const after = await found()
      if (next === status) {
        assert.deepEqual(after, before)
        assert.deepEqual(await t.takeEvents(), [])
      } else assert.equal(after.status, next)
    })
  }
}

test('a cycle is paid with its invoice', async () => {
  const t = await fresh()
  const { contract_id, cycle } = await cycleIn(t, 'invoiced')
  await move(t, cycle.invoice_id, 'processing')
  await move(t, cycle.invoice_id, 'paid')
  const [after] = await cyclesOf(t, { id: contract_id })
  assert.deepEqual([after.status, after.invoice_id], ['paid', cycle.invoice_id])
})
