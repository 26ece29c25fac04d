import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { approvedWork, cycleIn, cyclesOf, done, invoiceIn } from '#test/invoices.ts'

const input = { reason: 'The expense belongs to another month.' }

cases('invoices.cancel', {
  'its sources are approved again and may stand on another one': {
    as: 'finance',
    async given(t) {
      const { contract_id, timesheet, expense } = await approvedWork(t)
      const body = { contract_id, timesheet_ids: [timesheet.id], invoice_adjustment_ids: [expense.id] }
      return { invoice_id: (await done(t, 'POST', '/invoices', body)).id, again: body }
    },
    input,
    body: {
      status: 'cancelled',
      cancel_reason: input.reason,
      cancelled_at: '2026-06-15T09:00:00.000Z',
      payment_id: null,
    },
    emits: [
      ['invoice.cancelled', { reason: input.reason, status: 'cancelled' }],
      ['invoice.status.updated', { previous_status: 'pending' }],
      ['timesheet.status.updated', { status: 'approved', previous_status: 'invoiced' }],
      'invoice-adjustment.status.updated',
    ],
    async afterwards(t, { given: { again } }) {
      const { number } = await done(t, 'POST', '/invoices', again)
      assert.equal(number, 'INV-2026-000002')
    },
  },
  'its cycle is skipped': {
    given: async (t) => ({ ...(await cycleIn(t, 'invoiced')) }),
    input: ({ cycle }) => ({ ...input, invoice_id: cycle.invoice_id }),
    emits: ['invoice.cancelled', 'invoice.status.updated'],
    async afterwards(t, { given }) {
      const [cycle] = await cyclesOf(t, given)
      assert.deepEqual([cycle.status, cycle.invoice_id], ['skipped', null])
    },
  },
  ...Object.fromEntries(
    (['processing', 'paid', 'cancelled'] as const).map((status) => [
      `one that is ${status}`,
      {
        given: (t: Parameters<typeof invoiceIn>[0]) => invoiceIn(t, status),
        input,
        answers: '409 invalid_state' as const,
      },
    ]),
  ),
})
