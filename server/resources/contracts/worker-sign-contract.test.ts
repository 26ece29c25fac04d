import { cases } from '#test/cases.ts'
import { contractIn, eachState } from '#test/contract-states.ts'
import { createContract, workerToken } from '#test/factories.ts'

const named = { signer_name: 'Jonas Weber', terms_version: 1 }
const over = { answers: '409 invalid_state' } as const
const first = { body: { status: 'pending' }, emits: ['contract.signature.added'] }

cases('worker.sign_contract', {
  ...eachState(
    'the worker signs a pending contract once, in either order',
    {
      pending: first,
      invited: first,
      client_signed: {
        body: { status: 'active' },
        emits: ['contract.signature.added', 'contract.signed', 'contract.status.updated', 'person.updated'],
      },
      worker_signed: { answers: '409 already_signed' },
      active: over,
      terminating: over,
      completed: over,
      terminated: over,
      cancelled: over,
      rejected: over,
    },
    named,
  ),
  'terms that are not those of the contract are not signed': {
    given: (t) => contractIn(t, 'pending'),
    input: { ...named, terms_version: 2 },
    answers: '409 terms_changed',
  },
  'in a live organization a minted worker token signs nothing': {
    given: async (t) => {
      const contract = await contractIn(t, 'client_signed')
      return { ...contract, worker: await workerToken(t, contract.worker_id) }
    },
    input: named,
    answers: '403 own_login_required',
  },
  'in a sandbox a minted worker token signs': {
    sandbox: true,
    given: async (t) => {
      const { id, worker_id } = await createContract(t)
      return { contract_id: id, worker: await workerToken(t, worker_id) }
    },
    input: named,
    body: { signatures: { worker_name: 'Jonas Weber' } },
    emits: ['contract.signature.added'],
  },
  'a contract of another worker does not exist for this one': {
    given: async (t) => ({ ...(await contractIn(t, 'pending')), worker: (await contractIn(t, 'pending')).worker }),
    input: named,
    answers: '404 not_found',
  },
  'the client has no scope for the signature of a worker': {
    as: 'client',
    given: (t) => contractIn(t, 'pending'),
    input: named,
    answers: '403 insufficient_scope',
  },
})
