import { cases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'

const over = { answers: '409 invalid_state' } as const
const archived = { emits: ['contract.archived'] }

cases('contracts.archive', {
  ...eachState('an ended contract is archived, whatever way it ended', {
    completed: archived,
    terminated: archived,
    cancelled: archived,
    rejected: archived,
    pending: over,
    client_signed: over,
    worker_signed: over,
    invited: over,
    active: over,
    terminating: over,
  }),
  'archiving has its time': {
    given: (t) => contractIn(t, 'cancelled'),
    body: { is_archived: true, archived_at: clock_start },
    emits: [['contract.archived', { archived_at: clock_start }]],
    audit: ({ contract_id }) => ({ subject_kind: 'contracts', subject_id: contract_id, changed_fields: [] }),
  },
  'archiving is done once': {
    given: async (t) => {
      const contract = await contractIn(t, 'cancelled')
      await t.call('POST', `/contracts/${contract.id}/archive`)
      return contract
    },
    answers: '409 invalid_state',
  },
})
