import { type Case, cases } from '#test/cases.ts'
import { type ContractState, contractIn, eachState } from '#test/contract-states.ts'
import type { TestService } from '#test/service.ts'

async function archived(t: TestService, state: ContractState) {
  const contract = await contractIn(t, state)
  await t.call('POST', `/contracts/${contract.id}/archive`)
  return contract
}

const taken_out = (state: ContractState): Case => ({
  given: (t) => archived(t, state),
  body: { status: state, is_archived: false, archived_at: null },
  emits: [['contract.unarchived', { archived_at: null }]],
})
const in_none = { answers: '409 invalid_state' } as const

cases('contracts.unarchive', {
  'an archived contract that is completed is taken out of the archive': taken_out('completed'),
  'an archived contract that is terminated is taken out of the archive': taken_out('terminated'),
  'an archived contract that is cancelled is taken out of the archive': taken_out('cancelled'),
  'an archived contract that is rejected is taken out of the archive': taken_out('rejected'),
  'a contract is taken out once': {
    given: async (t) => {
      const contract = await archived(t, 'cancelled')
      await t.call('POST', `/contracts/${contract.id}/unarchive`)
      return contract
    },
    ...in_none,
  },
  ...eachState('a contract that was not archived is in no archive', {
    pending: in_none,
    client_signed: in_none,
    worker_signed: in_none,
    invited: in_none,
    active: in_none,
    terminating: in_none,
    completed: in_none,
    terminated: in_none,
    cancelled: in_none,
    rejected: in_none,
  }),
})
