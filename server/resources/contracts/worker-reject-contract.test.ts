import { cases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { workerToken } from '#test/factories.ts'

const rejected = {
  body: { status: 'rejected' },
  emits: ['contract.rejected', 'contract.status.updated', 'person.updated'],
}
const over = { answers: '409 invalid_state' } as const

cases('worker.reject_contract', {
  ...eachState('the worker rejects a pending contract it has not signed', {
    pending: rejected,
    invited: rejected,
    client_signed: rejected,
    worker_signed: { answers: '409 already_signed' },
    active: over,
    terminating: over,
    completed: over,
    terminated: over,
    cancelled: over,
    rejected: over,
  }),
  'the reason stands on the contract and in the event; the worker is inactive': {
    given: (t) => contractIn(t, 'invited'),
    input: { reason: 'rate too low' },
    body: { status_reason: 'rate too low', ended_at: clock_start, invitation: null, last_day: null },
    emits: ({ id, worker_id }) => [
      ['contract.rejected', { contract_id: id, status: 'rejected', reason: 'rate too low' }],
      ['contract.status.updated', { status: 'rejected', previous_status: 'pending' }],
      ['person.updated', { person_id: worker_id, status: 'inactive' }],
    ],
    audit: ({ worker_id }) => ({ actor: { kind: 'worker', id: worker_id } }),
  },
  'in a live organization a minted worker token rejects nothing': {
    given: async (t) => {
      const contract = await contractIn(t, 'client_signed')
      return { ...contract, worker: await workerToken(t, contract.worker_id) }
    },
    answers: '403 own_login_required',
  },
  'a contract of another worker does not exist for this one': {
    given: async (t) => ({ ...(await contractIn(t, 'pending')), worker: (await contractIn(t, 'pending')).worker }),
    answers: '404 not_found',
  },
})
