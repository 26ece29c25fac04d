import { defineOperation } from '#core/operation.ts'
import { invalidState, sandboxOnly } from '#core/problems.ts'
import { Closed, Text, Type } from '#core/schema/schema.ts'
import { SignedVersion, termsChanged } from '#resources/contracts/index.ts'
import { Amendment, AmendmentPath, amendmentOf } from './amendment-schema.ts'
import { amendmentSigned, amendmentStatusUpdated, contractAmended } from './events.ts'
import { lockAmendment } from './lock-amendment.ts'
import { effectiveDateTaken } from './problems.ts'
import { signForWorker } from './sign-for-worker.ts'

export const sandboxSignAmendment = defineOperation({
  id: 'sandbox.sign_amendment',
  summary: 'Sign an amendment in the place of the worker',
  description: 'In sandbox organizations only: for trying out what the second signature brings about.',
  method: 'POST',
  path: '/sandbox/contracts/:contract_id/amendments/:amendment_id/worker-signature',
  acts_on: 'amendments.get',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    ...AmendmentPath,
    signer_name: Type.Optional(Text(2, 200, { description: 'Default: the name of the worker.' })),
    terms_version: Type.Optional(SignedVersion),
  }),
  output: Amendment,
  subject: 'amendments',
  problems: [sandboxOnly, invalidState, effectiveDateTaken, termsChanged],
  emits: [amendmentSigned, amendmentStatusUpdated, contractAmended],

  async handle({ signer_name, terms_version, ...path }, context) {
    const { organization_id, is_sandbox } = context.caller
    if (!is_sandbox) throw sandboxOnly()
    const { contract, amendment } = await lockAmendment(context.tx, { organization_id, ...path })
    const signature = { name: signer_name ?? contract.worker_name, terms_version }
    const signed = await signForWorker(contract, amendment, signature, context)
    return amendmentOf(signed.amendment, signed.contract)
  },
})
