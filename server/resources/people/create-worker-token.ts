import type { Caller } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { insufficientScope, notFound } from '#core/problems.ts'
import { Closed, Id, ShownOnce, Timestamp, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { revealedToken } from '#identity/api-tokens/api-tokens.ts'
import { credentialOf, workerTokenCreated } from '#identity/end-credentials.ts'
import { workerScopes } from '#identity/scopes.ts'
import { isOfUser, issueToken, parentsOf, revokeWorkerTokens } from '#identity/token.store.ts'
import { person } from './person.ts'
import { lockWorker } from './worker.store.ts'

const lifetime_ms = 24 * 3_600_000

const WorkerToken = Type.Object({
  id: Id,
  token: ShownOnce('The credential.'),
  person_id: Id,
  scopes: Type.Array(Type.String({ example: 'worker:read' })),
  sensitive_data: Type.Array(Type.String({ example: 'compensation' })),
  created_at: Timestamp,
  updated_at: Timestamp,
  expires_at: Timestamp,
})

export const createWorkerToken = defineOperation({
  id: 'people.create_worker_token',
  subject: 'people',
  summary: 'Mint a token that acts as one worker',
  description:
    'Only a credential of the organization mints one, no user’s. It lives 24 hours, replaces the person’s previous one and sees the sensitive categories of the credential that mints it. In a live organization it cannot sign or reject anything.',
  method: 'POST',
  path: '/people/:person_id/worker-tokens',
  scopes: ['tokens:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({
    ...person.path,
    scopes: Type.Array(Type.Enum([...workerScopes]), {
      minItems: 1,
      maxItems: workerScopes.length,
      set: true,
      default: [...workerScopes],
    }),
  }),
  output: WorkerToken,
  status: 201,
  on_real_time: true,
  emits: [workerTokenCreated],
  reveals_secret: revealedToken,

  async handle({ person_id, scopes }, { caller, tx, newId, emit }) {
    await refuseUsers(tx, caller)
    const { organization_id, actor } = caller
    // Locked, so that of two tokens minted at once the second replaces the first.
    const person = await lockWorker(tx, organization_id, { id: person_id })
    if (!person) throw notFound()
    await revokeWorkerTokens(tx, organization_id, person_id, actor)
    // Real time, also in a sandbox: credentials do not follow the test clock.
    const end = new Date(Date.parse(tx.real_now) + lifetime_ms).toISOString()
    const expires_at = caller.expires_at !== null && caller.expires_at < end ? caller.expires_at : end
    const { row, token } = await issueToken(tx, {
      id: newId(),
      organization_id,
      is_sandbox: caller.is_sandbox,
      kind: 'worker',
      name: person.full_name,
      scopes,
      sensitive_data: [...caller.sensitive_data],
      person_id,
      created_by: actor,
      expires_at,
      ...parentsOf(caller),
    })
    emit(workerTokenCreated, credentialOf(row))
    const { id, sensitive_data, created_at, updated_at } = row
    return { id, token, person_id, scopes, sensitive_data, created_at, updated_at, expires_at }
  },
})

/**
 * The one credential with scopes its maker lacks: a user, or an app that a user allowed `tokens:write` alone, would read
 * by it what the user's own scopes hide (design 3.7), also by way of a token or client of the organization that it made.
 * No other scope would help, so none is named.
 */
async function refuseUsers(tx: Transaction, { organization_id, user_id, root_id }: Caller): Promise<void> {
  if (!user_id && !(root_id && (await isOfUser(tx, organization_id, root_id)))) return
  throw insufficientScope(
    'This needs a credential that the organization made itself; the calling one is a user’s work.',
    {
      members: { required_scopes: [] },
    },
  )
}
