import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { requireNotOver, termsChanged } from '#resources/contracts/index.ts'
import { saveAmendment } from './amendment.store.ts'
import { signedByClient } from './amendment.ts'
import { Amendment, amendmentOf, SignInput } from './amendment-schema.ts'
import { amendmentEntry, amendmentSigned, amendmentStatusUpdated, movedEntry } from './events.ts'
import { lockAmendment } from './lock-amendment.ts'

export const signAmendment = defineOperation({
  id: 'amendments.sign',
  summary: 'Sign an amendment for the client',
  description: 'From then on the worker can read it and sign or decline it.',
  method: 'POST',
  path: '/contracts/:contract_id/amendments/:amendment_id/sign',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: SignInput,
  output: Amendment,
  problems: [invalidState, termsChanged],
  emits: [amendmentSigned, amendmentStatusUpdated],
  tool: {
    name: 'sign_contract_amendment',
    text: 'Sign the draft of an amendment for the company, in the name of a person who read it and agreed. Then the worker is asked.',
  },

  async handle({ signer_name: name, terms_version, ...path }, { caller, tx, now, emit }) {
    const { organization_id, actor } = caller
    const { contract, amendment } = await lockAmendment(tx, { organization_id, ...path })
    requireNotOver(contract, now)
    const { currency } = contract
    const signature = { name, at: now, by: actor, currency, terms_version }
    const signed = await saveAmendment(tx, signedByClient(amendment, signature))
    emit(amendmentSigned, { ...amendmentEntry(signed, contract), party: 'client', signed_at: now })
    emit(amendmentStatusUpdated, movedEntry(signed, amendment, contract))
    return amendmentOf(signed, contract)
  },
})
