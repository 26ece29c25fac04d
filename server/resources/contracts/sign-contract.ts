import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems/problems.ts'
import { Closed, Text } from '#core/schema/schema.ts'
import { addSignature, signatureEvents } from './add-signature.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { alreadySigned } from './problems.ts'

export const SignerName = Text(2, 200, { description: 'The name that stands as signature.' })

export const signContract = defineOperation({
  id: 'contracts.sign',
  summary: 'Sign a contract for the client',
  description: 'The parties sign in either order; with the second signature the contract is active.',
  method: 'POST',
  path: '/contracts/:contract_id/sign',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...ContractPath, signer_name: SignerName }),
  output: Contract,
  problems: [invalidState, alreadySigned],
  emits: signatureEvents,

  async handle({ contract_id, signer_name }, context) {
    const contract = await lockContract(context.tx, context.caller.organization_id, contract_id)
    return contractOf(await addSignature(contract, { party: 'client', name: signer_name }, context))
  },
})
