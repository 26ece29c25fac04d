import { randomBytes } from 'node:crypto'
import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { Closed, Email, Locale, MultilineText, Nullable, Type } from '#core/schema/schema.ts'
import { type Secrets, seal } from '#core/secrets.ts'
import { digestOf } from '#identity/token-format.ts'
import { localeOf } from '#resources/people/index.ts'
import { changeContract } from './change-contract.ts'
import { type InvitationSecret, lockContract } from './contract.store.ts'
import type { ContractRow } from './contract.ts'
import { Contract, ContractPath, contractOf } from './contract-schema.ts'
import { scheduleExpiry } from './contract-timers.ts'
import { contractInvitationSent, invitationEntry } from './events.ts'
import { invitationContext } from './invitation-link.ts'
import { invite } from './lifecycle.ts'
import { alreadySigned } from './problems.ts'

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
    ...ContractPath,
    email: Type.Optional({ ...Email, description: 'Default: the worker’s e-mail address.' } as typeof Email),
    message: Type.Optional(Nullable(MultilineText(0, 2_000, { description: 'Personal words to the worker.' }))),
    locale: Type.Optional({ ...Locale, description: 'Default: the worker’s language.' } as typeof Locale),
  }),
  output: Contract,
  problems: [invalidState, alreadySigned],
  emits: [contractInvitationSent],
  tool: {
    name: 'invite_worker',
    text: 'Send the worker the invitation to review and sign a pending contract; it takes the place of an open one.',
    outside: true,
  },

  async handle({ contract_id, email, message = null, locale }, { caller, tx, now, emit, secrets }) {
    const { organization_id } = caller
    const before = await lockContract(tx, organization_id, contract_id)
    const language = locale ?? (await localeOf(tx, organization_id, before.worker_id))
    const { invitation, ...after } = invite(before, email ?? before.worker_email, language, now)
    const [{ row }] = await Promise.all([
      changeContract(tx, before, { ...after, invitation }, newSecret(secrets, after, message)),
      scheduleExpiry(tx, before, invitation),
    ])
    emit(contractInvitationSent, invitationEntry(row, invitation))
    return contractOf(row)
  },
})

function newSecret(
  secrets: Secrets,
  contract: Pick<ContractRow, 'organization_id' | 'id'>,
  message: string | null,
): InvitationSecret {
  const token = randomBytes(token_bytes).toString('base64url')
  const sealed = seal(secrets, Buffer.from(token), invitationContext(contract))
  return { message, sealed, digest: digestOf(token) }
}
