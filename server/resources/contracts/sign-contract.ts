import { invalidState } from '#core/problems.ts'
import { Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { transition } from './change-contract.ts'
import { contractSignatureAdded, contractSigned, contractStatusUpdated } from './events.ts'
import { sign } from './lifecycle.ts'
import { alreadySigned, termsChanged } from './problems.ts'

export const SignerName = Text(2, 200, { description: 'The name that stands as signature.', example: 'Nora Pine' })
export const SignedVersion = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The `terms_version` that was read; no other is signed.',
})

const signing = {
  problems: [invalidState, alreadySigned, termsChanged],
  emits: [contractSignatureAdded, contractSigned, contractStatusUpdated, personUpdated],
  to: sign,
}

export const signContract = transition({
  ...signing,
  id: 'contracts.sign',
  summary: 'Sign a contract for the client',
  description: 'The parties sign in either order; with the second signature the contract is active.',
  path: '/contracts/:contract_id/sign',
  input: { signer_name: SignerName, terms_version: Type.Optional(SignedVersion) },
  tool: {
    name: 'sign_contract',
    text: 'Sign a pending contract for the company, in the name of a person who read it and agreed. With the worker’s signature it becomes active.',
  },
})

export const workerSignContract = transition({
  ...signing,
  id: 'worker.sign_contract',
  summary: 'Sign one of the calling worker’s contracts',
  path: '/worker/contracts/:contract_id/sign',
  audience: 'worker',
  input: { signer_name: SignerName, terms_version: SignedVersion },
  tool: {
    name: 'sign_my_contract',
    text: 'Sign a pending contract as the worker, in the worker’s name, after the worker read it and agreed. With the company’s signature it becomes active.',
  },
})

export const sandboxSignContract = transition({
  ...signing,
  id: 'sandbox.sign_contract',
  summary: 'Sign a contract as its worker, in a sandbox',
  description: 'So that an integration can be tried to its end without a second person.',
  path: '/sandbox/contracts/:contract_id/worker-signature',
  audience: 'sandbox',
  input: { signer_name: Type.Optional(SignerName), terms_version: Type.Optional(SignedVersion) },
})
