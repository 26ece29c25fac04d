import { defineOperation } from '#core/operation.ts'
import { invalidState, sandboxOnly } from '#core/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { addSignature, signatureEvents } from './add-signature.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { alreadySigned, termsChanged } from './problems.ts'
import { SignedVersion, SignerName } from './sign-contract.ts'

export const sandboxSignContract = defineOperation({
  id: 'sandbox.sign_contract',
  subject: 'contracts',
  summary: 'Sign a contract as its worker, in a sandbox',
  description: 'So that an integration can be tried to its end without a second person.',
  method: 'POST',
  path: '/sandbox/contracts/:contract_id/worker-signature',
  acts_on: 'contracts.get',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    ...ContractPath,
    signer_name: Type.Optional(SignerName),
    terms_version: Type.Optional(SignedVersion),
  }),
  output: Contract,
  problems: [sandboxOnly, invalidState, alreadySigned, termsChanged],
  emits: signatureEvents,

  async handle({ contract_id, signer_name, terms_version }, context) {
    const { caller, tx } = context
    if (!caller.is_sandbox) throw sandboxOnly()
    const contract = await lockContract(tx, caller.organization_id, contract_id)
    const name = signer_name ?? contract.worker_name
    return contractOf(await addSignature(contract, { party: 'worker', name, terms_version }, context))
  },
})
