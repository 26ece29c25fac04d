import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Text, Type } from '#core/schema/schema.ts'
import { addSignature, signatureEvents } from './add-signature.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { alreadySigned, termsChanged } from './problems.ts'

export const SignerName = Text(2, 200, { description: 'The name that stands as signature.' })
export const SignedVersion = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The `terms_version` that was read; no other is signed.',
})

export const signContract = defineOperation({
  id: 'contracts.sign',
  summary: 'Sign a contract for the client',
  description: 'The parties sign in either order; with the second signature the contract is active.',
  method: 'POST',
  path: '/contracts/:contract_id/sign',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...ContractPath, signer_name: SignerName, terms_version: Type.Optional(SignedVersion) }),
  output: Contract,
  problems: [invalidState, alreadySigned, termsChanged],
  emits: signatureEvents,
  tool: {
    name: 'sign_contract',
    text: 'Sign a pending contract for the company, in the name of a person who read it and agreed. With the worker’s signature it becomes active.',
  },

  async handle({ contract_id, signer_name: name, terms_version }, context) {
    const contract = await lockContract(context.tx, context.caller.organization_id, contract_id)
    return contractOf(await addSignature(contract, { party: 'client', name, terms_version }, context))
  },
})
