import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { ownLoginRequired, requireOwnLogin, termsChanged } from '#resources/contracts/index.ts'
import { Amendment, amendmentOf, WorkerSignInput } from './amendment-schema.ts'
import { amendmentSigned, amendmentStatusUpdated, contractAmended } from './events.ts'
import { lockAmendment } from './lock-amendment.ts'
import { effectiveDateTaken } from './problems.ts'
import { signForWorker } from './sign-for-worker.ts'

export const workerSignAmendment = defineOperation({
  id: 'worker.sign_amendment',
  summary: 'Sign an amendment as the worker',
  description: 'The second signature: the amendment takes effect on its date, or at once if that has come.',
  method: 'POST',
  path: '/worker/contracts/:contract_id/amendments/:amendment_id/sign',
  scopes: ['worker:write'],
  input: WorkerSignInput,
  output: Amendment,
  subject: 'amendments',
  problems: [ownLoginRequired, invalidState, effectiveDateTaken, termsChanged],
  emits: [amendmentSigned, amendmentStatusUpdated, contractAmended],
  tool: {
    name: 'sign_my_amendment',
    text: 'Sign a pending amendment as the worker, in the worker’s name, after the worker read it and agreed. It takes effect on its date, or at once.',
  },

  async handle({ signer_name: name, terms_version, ...path }, context) {
    const { organization_id, person_id } = requireOwnLogin(context.caller)
    const wanted = { organization_id, worker_id: person_id, ...path }
    const { contract, amendment } = await lockAmendment(context.tx, wanted)
    const signed = await signForWorker(contract, amendment, { name, terms_version }, context)
    return amendmentOf(signed.amendment, signed.contract)
  },
})
