import { cases } from '#test/cases.ts'
import { createContract } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

async function contract(t: TestService, ...steps: [path: string, body: object][]) {
  const { id } = await createContract(t)
  for (const [path, body] of steps) await t.call('POST', path.replace(':id', id), { body })
  return { contract_id: id }
}

const byClient: [string, object] = ['/contracts/:id/sign', { signer_name: 'Nora' }]
const byWorker: [string, object] = ['/sandbox/contracts/:id/worker-signature', {}]

cases(
  'sandbox.sign_contract',
  {
    'the worker of a sandbox contract signs by its name': {
      given: (t) => contract(t),
      body: { signatures: { worker_name: 'Jonas Weber' } },
      emits: ['contract.signature.added'],
    },
    'with the client’s signature the contract is active': {
      given: (t) => contract(t, byClient),
      input: { signer_name: 'J. Weber' },
      body: { status: 'active', signatures: { worker_name: 'J. Weber' } },
      emits: ['contract.signature.added', 'contract.signed', 'contract.status.updated', 'person.updated'],
    },
    'a contract that both have signed is not signed again': {
      given: (t) => contract(t, byClient, byWorker),
      answers: '409 invalid_state',
    },
    'a second signature of the worker is refused': {
      given: (t) => contract(t, byWorker),
      answers: '409 already_signed',
    },
    'terms that are not those of the contract are not signed': {
      given: (t) => contract(t),
      input: { terms_version: 2 },
      answers: '409 terms_changed',
    },
    'in a live organization nobody signs for the worker': {
      sandbox: false,
      given: (t) => contract(t, byClient),
      answers: '409 sandbox_only',
    },
  },
  { sandbox: true },
)
