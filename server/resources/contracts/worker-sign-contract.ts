import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { addSignature, signatureEvents } from './add-signature.ts'
import { lockContract } from './contract.store.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { requireOwnLogin } from './own-login.ts'
import { alreadySigned, ownLoginRequired, termsChanged } from './problems.ts'
import { SignedVersion, SignerName } from './sign-contract.ts'

export const workerSignContract = defineOperation({
  id: 'worker.sign_contract',
  subject: 'contracts',
  summary: 'Sign one of the calling worker’s contracts',
  method: 'POST',
  path: '/worker/contracts/:contract_id/sign',
  scopes: ['worker:write'],
  input: Closed({ ...ContractPath, signer_name: SignerName, terms_version: SignedVersion }),
  output: Contract,
  problems: [ownLoginRequired, invalidState, alreadySigned, termsChanged],
  emits: signatureEvents,
  tool: {
    name: 'sign_my_contract',
    text: 'Sign a pending contract as the worker, in the worker’s name, after the worker read it and agreed. With the company’s signature it becomes active.',
  },

  async handle({ contract_id, signer_name: name, terms_version }, context) {
    const { tx } = context
    const { organization_id, person_id } = requireOwnLogin(context.caller)
    const contract = await lockContract(tx, organization_id, contract_id, person_id)
    return contractOf(await addSignature(contract, { party: 'worker', name, terms_version }, context))
  },
})
