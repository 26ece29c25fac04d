import { type Context, defineOperation } from '#core/operation.ts'
import { invalidState, sandboxOnly } from '#core/problems.ts'
import { Closed, Text, Type } from '#core/schema/schema.ts'
import { personUpdated } from '#resources/people/index.ts'
import { changeContract, emitWorkerStatus } from './change-contract.ts'
import { type ContractRow, contract } from './contract.ts'
import { contractSignatureAdded, contractSigned, contractStatusUpdated } from './events.ts'
import { type Party, sign } from './lifecycle.ts'
import { alreadySigned, ownLoginRequired, requireOwnLogin, termsChanged } from './problems.ts'
import { termsOf } from './terms.ts'
import { addTermsVersion } from './terms-version.store.ts'

export const SignerName = Text(2, 200, { description: 'The name that stands as signature.', example: 'Nora Pine' })
export const SignedVersion = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The `terms_version` that was read; no other is signed.',
})

const events = [contractSignatureAdded, contractSigned, contractStatusUpdated, personUpdated] as const

export const signContract = defineOperation({
  id: 'contracts.sign',
  summary: 'Sign a contract for the client',
  description: 'The parties sign in either order; with the second signature the contract is active.',
  method: 'POST',
  path: '/contracts/:contract_id/sign',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...contract.path, signer_name: SignerName, terms_version: Type.Optional(SignedVersion) }),
  output: contract.answer,
  problems: [invalidState, alreadySigned, termsChanged],
  emits: events,
  tool: {
    name: 'sign_contract',
    text: 'Sign a pending contract for the company, in the name of a person who read it and agreed. With the worker’s signature it becomes active.',
  },

  handle: (input, context) => addSignature('client', input, context.caller, context),
})

export const workerSignContract = defineOperation({
  id: 'worker.sign_contract',
  subject: 'contracts',
  summary: 'Sign one of the calling worker’s contracts',
  method: 'POST',
  path: '/worker/contracts/:contract_id/sign',
  scopes: ['worker:write'],
  input: Closed({ ...contract.path, signer_name: SignerName, terms_version: SignedVersion }),
  output: contract.answer,
  problems: [ownLoginRequired, invalidState, alreadySigned, termsChanged],
  emits: events,
  tool: {
    name: 'sign_my_contract',
    text: 'Sign a pending contract as the worker, in the worker’s name, after the worker read it and agreed. With the company’s signature it becomes active.',
  },

  handle(input, context) {
    const { organization_id, person_id: worker_id } = requireOwnLogin(context.caller)
    return addSignature('worker', input, { organization_id, worker_id }, context)
  },
})

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
    ...contract.path,
    signer_name: Type.Optional(SignerName),
    terms_version: Type.Optional(SignedVersion),
  }),
  output: contract.answer,
  problems: [sandboxOnly, invalidState, alreadySigned, termsChanged],
  emits: events,

  async handle(input, context) {
    if (!context.caller.is_sandbox) throw sandboxOnly()
    return addSignature('worker', input, context.caller, context)
  },
})

interface Signature {
  contract_id: string
  /** Default: the name of the worker. */
  signer_name?: string
  terms_version?: number
}

/** One party signs; the second signature makes the contract active, under version 1 of its terms. */
async function addSignature(
  party: Party,
  { contract_id: id, signer_name, terms_version }: Signature,
  { organization_id, worker_id }: { organization_id: string; worker_id?: string },
  context: Pick<Context<(typeof events)[number]>, 'tx' | 'now' | 'caller' | 'emit'>,
) {
  const { tx, now, caller, emit } = context
  const before = await contract.lock(tx, { organization_id, id, worker_id })
  const name = signer_name ?? before.worker_name
  const after = sign(before, { party, name, at: now, by: caller.actor, terms_version })
  const [{ row, worker }] = await Promise.all([
    changeContract(tx, before, after),
    after.status === 'active' && addTermsVersion(tx, after, firstVersion(after)),
  ])
  const entry = contract.entryOf(row)
  emit(contractSignatureAdded, { ...entry, party, signed_at: now })
  const { client_signed_at, worker_signed_at } = row
  if (client_signed_at !== null && worker_signed_at !== null) {
    emit(contractSigned, { ...entry, client_signed_at, worker_signed_at })
    emit(contractStatusUpdated, { ...entry, previous_status: before.status })
  }
  emitWorkerStatus(context, worker)
  return contract.show(row)
}

function firstVersion(row: ContractRow) {
  return { amendment_id: null, effective_from: row.start_date, terms: termsOf(row) }
}
