import type { InvitationKind } from '#identity/invitation.ts'
import { giveLogin, person } from '#resources/people/index.ts'
import { dropInvitationToken, findInvitationSecret } from './contract.store.ts'
import { contract } from './contract.ts'

/** The invitation to read and sign a contract: its link gives the worker a login of its own. */
export const workerInvitation: InvitationKind = {
  kind: 'worker',

  home: ({ subject_id }) => `/console/worker/contracts/${subject_id}`,

  async offer(tx, { organization_id, subject_id: id }) {
    const { worker_id, title } = await contract.get(tx, { organization_id, id })
    const { full_name, user_id, access } = await person.get(tx, { organization_id, id: worker_id })
    const { message } = await findInvitationSecret(tx, organization_id, id)
    return { name: full_name, user_id, is_blocked: access === 'disabled', shown: { contract_title: title, message } }
  },

  lock: async (tx, { organization_id, subject_id: id }) => void (await contract.lock(tx, { organization_id, id })),

  async accept({ organization_id, subject_id }, login, context) {
    const { worker_id: id } = await contract.get(context.tx, { organization_id, id: subject_id })
    await dropInvitationToken(context.tx, organization_id, subject_id)
    const { full_name: name } = await giveLogin({ organization_id, id }, login.id, context)
    return {
      actor: { kind: 'worker', id, name },
      subject: { kind: 'people', id },
      changed_fields: ['access'],
    }
  },
}
