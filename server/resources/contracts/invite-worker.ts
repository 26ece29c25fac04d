import { randomBytes } from 'node:crypto'
import { defineTimer } from '#core/jobs/timer.ts'
import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Email, Locale, MultilineText, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { type SealedColumn, seal, unseal } from '#core/secrets.ts'
import { digestOf } from '#identity/token-format.ts'
import { person } from '#resources/people/index.ts'
import { changeContract, invitation_expiry, transition } from './change-contract.ts'
import { findInvitationSecret } from './contract.store.ts'
import { type ContractRow, contract } from './contract.ts'
import { contractInvitationExpired, contractInvitationRevoked, contractInvitationSent } from './events.ts'
import { invite, openInvitation, revokeInvitation as revoke } from './lifecycle.ts'
import { alreadySigned, noOpenInvitation } from './problems.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    contracts: {
      /** Address of the console, to whose pages invitations lead, e.g. `https://stint.example/console`. */
      console_url: string
    }
  }
}

const token_bytes = 32

export const inviteWorker = defineOperation({
  id: 'contracts.invite',
  summary: 'Invite the worker to review and sign a pending contract',
  description:
    'The invitation lives 14 days and takes the place of an open one. The service sends no mail: hand over the link of `contracts.get_invitation_link` yourself. Behind it the worker makes a login of its own, once, and then reads and signs.',
  method: 'POST',
  path: '/contracts/:contract_id/invite',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    ...contract.path,
    email: Type.Optional({ ...Email, description: 'Default: the worker’s e-mail address.' } as typeof Email),
    message: Type.Optional(Nullable(MultilineText(0, 2_000, { description: 'Personal words to the worker.' }))),
    locale: Type.Optional({ ...Locale, description: 'Default: the worker’s language.' } as typeof Locale),
  }),
  output: contract.answer,
  problems: [invalidState, alreadySigned],
  emits: [contractInvitationSent],
  tool: {
    name: 'invite_worker',
    text: 'Invite the worker to review and sign a pending contract; it takes the place of an open one. No mail is sent: a person hands over the link.',
    outside: true,
  },

  async handle({ contract_id: id, email, message = null, locale }, { caller, secrets, ...context }) {
    const { organization_id, actor } = caller
    const before = await contract.lock(context.tx, { organization_id, id })
    const language = locale ?? (await person.get(context.tx, { organization_id, id: before.worker_id })).locale
    const after = invite(before, { email: email ?? before.worker_email, locale: language, at: context.now })
    const token = randomBytes(token_bytes).toString('base64url')
    const secret = { message, sealed: seal(secrets, Buffer.from(token), sealedTo(after)), digest: digestOf(token) }
    return contract.show(await changeContract({ ...context, actor }, before, after, { secret }))
  },
})

export const revokeInvitation = transition({
  id: 'contracts.revoke_invitation',
  summary: 'Take back the open invitation',
  path: '/contracts/:contract_id/revoke-invitation',
  problems: [noOpenInvitation],
  emits: [contractInvitationRevoked],
  to: revoke,
})

export const getInvitationLink = defineOperation({
  id: 'contracts.get_invitation_link',
  summary: 'Read the link of the open invitation',
  description:
    'For handing it to the worker by another way. Whoever has the link can take the worker’s place. It works once: after that there is none, while the invitation stays open until the worker signs.',
  method: 'GET',
  path: '/contracts/:contract_id/invitation-link',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(contract.path),
  output: Type.Object({
    url: Type.String({ example: 'https://stint.example/console/invite#Example' }),
    expires_at: Timestamp,
  }),
  problems: [noOpenInvitation],
  reveals_secret: { field: 'url' },

  async handle({ contract_id: id }, { caller: { organization_id }, tx, now, secrets, rooms }) {
    const row = await contract.get(tx, { organization_id, id })
    const { expires_at } = openInvitation(row, now)
    const { sealed } = await findInvitationSecret(tx, organization_id, id)
    if (!sealed) throw noOpenInvitation('The link was used: the worker has a login. A new invitation makes a new link.')
    // The token stands behind `#`, so that it reaches no server log on its way to the page.
    return { url: `${rooms.contracts.console_url}/invite#${unseal(secrets, sealed, sealedTo(row))}`, expires_at }
  },
})

export const invitationExpiry = defineTimer({
  ...invitation_expiry,
  subject: 'contracts',
  emits: [contractInvitationExpired],

  async fire({ organization_id, subject_id: id }, context) {
    const before = await contract.lock(context.tx, { organization_id, id })
    if (before.invitation) await changeContract(context, before, { ...before, invitation: null }, { by_timer: true })
  },
})

/** The context that the token of an invitation is sealed to: it opens for its own contract only. */
function sealedTo({ organization_id, id }: Pick<ContractRow, 'organization_id' | 'id'>): string {
  return `invitation ${organization_id} ${id}`
}

export const sealedInvitations: SealedColumn = {
  table: 'contracts',
  column: 'invitation_sealed',
  key: ['id'],
  // The cast holds because the row has the columns of `key`.
  contextOf: (row) => sealedTo(row as unknown as ContractRow),
}
