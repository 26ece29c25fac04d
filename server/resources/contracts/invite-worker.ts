import { randomBytes } from 'node:crypto'
import { defineTimer } from '#core/jobs/timer.ts'
import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Email, Locale, MultilineText, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import type { SealedColumn } from '#core/secrets.ts'
import { type Secrets, seal, unseal } from '#core/secrets.ts'
import { digestOf } from '#identity/token-format.ts'
import { person } from '#resources/people/index.ts'
import { changeContract, invitation_expiry, scheduleExpiry, writeContract } from './change-contract.ts'
import { findSealedInvitation, type InvitationSecret } from './contract.store.ts'
import { type ContractRow, contract, type Invitation } from './contract.ts'
import { contractInvitationExpired, contractInvitationRevoked, contractInvitationSent } from './events.ts'
import { invite, openInvitation } from './lifecycle.ts'
import { alreadySigned, noOpenInvitation } from './problems.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    contracts: {
      /** Public origin of the pages that invitations lead to, e.g. `https://stint.example`. */
      origin: string
    }
  }
}

const token_bytes = 32

export const inviteWorker = defineOperation({
  id: 'contracts.invite',
  summary: 'Invite the worker to review and sign a pending contract',
  description: 'The invitation lives 14 days and takes the place of an open one.',
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
    text: 'Send the worker the invitation to review and sign a pending contract; it takes the place of an open one.',
    outside: true,
  },

  async handle({ contract_id: id, email, message = null, locale }, { caller, tx, now, emit, secrets }) {
    const { organization_id } = caller
    const before = await contract.lock(tx, { organization_id, id })
    const language = locale ?? (await person.get(tx, { organization_id, id: before.worker_id })).locale
    const { invitation, ...after } = invite(before, email ?? before.worker_email, language, now)
    const [{ row }] = await Promise.all([
      changeContract(tx, before, { ...after, invitation }, newSecret(secrets, after, message)),
      scheduleExpiry(tx, before, invitation),
    ])
    emit(contractInvitationSent, invitationEntry(row, invitation))
    return contract.show(row)
  },
})

export const revokeInvitation = defineOperation({
  id: 'contracts.revoke_invitation',
  summary: 'Take back the open invitation',
  method: 'POST',
  path: '/contracts/:contract_id/revoke-invitation',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: Closed(contract.path),
  output: contract.answer,
  problems: [noOpenInvitation],
  emits: [contractInvitationRevoked],

  async handle({ contract_id: id }, { caller, tx, now, emit }) {
    const before = await contract.lock(tx, { organization_id: caller.organization_id, id })
    const invitation = openInvitation(before, now)
    const { row } = await changeContract(tx, before, { ...before, invitation: null })
    emit(contractInvitationRevoked, invitationEntry(row, invitation))
    return contract.show(row)
  },
})

export const getInvitationLink = defineOperation({
  id: 'contracts.get_invitation_link',
  summary: 'Read the link of the open invitation',
  description: 'For handing it to the worker by another way. Whoever has the link can take the worker’s place.',
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
    const sealed = await findSealedInvitation(tx, organization_id, id)
    if (!sealed) throw noOpenInvitation()
    return { url: invitationLink(rooms.contracts.origin, secrets, row, sealed), expires_at }
  },
})

export const invitationExpiry = defineTimer({
  ...invitation_expiry,
  subject: 'contracts',
  emits: [contractInvitationExpired],

  async fire({ organization_id, subject_id: id }, { tx, emit }) {
    const before = await contract.lock(tx, { organization_id, id })
    if (!before.invitation) return
    const { row } = await writeContract(tx, before, { ...before, invitation: null })
    emit(contractInvitationExpired, invitationEntry(row, before.invitation))
  },
})

function invitationEntry(row: ContractRow, { email, expires_at }: Invitation) {
  return { ...contract.entryOf(row), invitation_email: email, expires_at }
}

function newSecret(
  secrets: Secrets,
  row: Pick<ContractRow, 'organization_id' | 'id'>,
  message: string | null,
): InvitationSecret {
  const token = randomBytes(token_bytes).toString('base64url')
  const sealed = seal(secrets, Buffer.from(token), invitationContext(row))
  return { message, sealed, digest: digestOf(token) }
}

/** The context that the token of an invitation is sealed to: it opens for its own contract only. */
function invitationContext({ organization_id, id }: Pick<ContractRow, 'organization_id' | 'id'>): string {
  return `invitation ${organization_id} ${id}`
}

/** The token stands behind `#`, so that it reaches no server log on its way to the page. */
function invitationLink(
  origin: string,
  secrets: Secrets,
  row: Pick<ContractRow, 'organization_id' | 'id'>,
  sealed: Buffer,
): string {
  return `${origin}/invite#${unseal(secrets, sealed, invitationContext(row)).toString()}`
}

export const sealedInvitations: SealedColumn = {
  table: 'contracts',
  column: 'invitation_sealed',
  key: ['id'],
  // The cast holds because the row has the columns of `key`.
  contextOf: (row) => invitationContext(row as unknown as ContractRow),
}
