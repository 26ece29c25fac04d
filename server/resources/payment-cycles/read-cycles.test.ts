import { cases } from '#test/cases.ts'
import { cycleIn } from '#test/invoices.ts'

cases('payment_cycles.list', {
  'the cycles of a contract come by their first day': {
    as: 'reader',
    given: (t) => cycleIn(t, 'skipped'),
    body: {
      data: [
        { start_date: '2026-06-15', end_date: '2026-06-30', nominal_start_date: '2026-06-01', status: 'skipped' },
        { start_date: '2026-07-01', end_date: '2026-07-31', status: 'active', due_date: '2026-08-08' },
        { start_date: '2026-08-01', end_date: '2026-08-31', status: 'upcoming' },
      ],
      total_count: 3,
    },
  },
  'by their status': {
    given: (t) => cycleIn(t, 'skipped'),
    input: { statuses: ['skipped', 'paid'] },
    body: { data: [{ start_date: '2026-06-15' }], total_count: 1 },
  },
  'a contract that does not exist has none': {
    input: { contract_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' },
    answers: '404 not_found',
  },
})

cases('payment_cycles.get', {
  'one cycle': {
    as: 'viewer',
    given: (t) => cycleIn(t, 'active'),
    body: ({ payment_cycle_id: id, contract_id }) => ({ id, contract_id, closes_at: '2026-06-30T22:00:00.000Z' }),
  },
  'that of another contract is not found': {
    given: async (t) => ({ ...(await cycleIn(t, 'active')), contract_id: (await cycleIn(t, 'active')).contract_id }),
    answers: '404 not_found',
  },
})
