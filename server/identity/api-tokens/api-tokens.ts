import { authorize } from '#core/caller.ts'
import { type Context, defineOperation, type RevealedSecret } from '#core/operation.ts'
import { insufficientScope, invalidState, notFound, sensitiveDataRequired } from '#core/problems.ts'
import { Closed, PageInput, PageOf, ShownOnce, Type } from '#core/schema/schema.ts'
import { reauthenticationRequired } from '../console-request.ts'
import {
  announceEnd,
  apiTokenCreated,
  credentialOf,
  endCredential,
  endingEvents,
  expiryTimers,
} from '../end-credentials.ts'
import { issueToken, lockToken, type NewToken, ofUser, parentsOf, replaceToken, tokenStands } from '../token.store.ts'
import { apiToken } from './api-token.ts'
import { earlierEnd, endOf, ownUser, refuseExcess, tokenRoles, usersOwnOnly } from './rights.ts'

const path = '/api-tokens/:api_token_id'

/** The answer that makes a token: the only one that ever holds its value. */
const RevealedToken = Type.Object({ ...apiToken.answer.properties, token: ShownOnce('The credential.') })

export const revealedToken: RevealedSecret = {
  field: 'token',
  // The cast holds for every answer that makes a token.
  stands: (answer, { tx, caller }) => tokenStands(tx, caller.organization_id, (answer as { id: string }).id),
}

export const createToken = defineOperation({
  id: 'api_tokens.create',
  summary: 'Create an API token',
  description:
    'The value is in this answer and in no other. A token never has more rights or a later end than its maker.',
  method: 'POST',
  path: '/api-tokens',
  scopes: ['tokens:write'],
  input: Closed(apiToken.create),
  output: RevealedToken,
  status: 201,
  problems: [sensitiveDataRequired, reauthenticationRequired],
  emits: [apiTokenCreated],
  reveals_secret: revealedToken,

  async handle({ name, type, scopes, sensitive_data, expires_at }, context) {
    const { caller, tx, now } = context
    // A user of any role makes personal tokens; those of the organization take a role that manages tokens.
    if (type === 'organization') authorize(caller, { scopes: [], roles: tokenRoles })
    else if (!caller.user_id || caller.person_id) {
      throw insufficientScope('Only a user can make a personal token.', { members: { required_scopes: [] } })
    }
    refuseExcess(caller, { kind: type, scopes, sensitive_data }, tx.real_now)
    return issue(context, {
      ...{ kind: type, name, scopes, sensitive_data },
      expires_at: endOf(caller, expires_at, now),
      ...parentsOf(caller),
      ...(type === 'personal' && { user_id: caller.user_id ?? null }),
    })
  },
})

type Issuing = Pick<Context<typeof apiTokenCreated>, 'caller' | 'tx' | 'newId' | 'emit'>
type Issued = Pick<NewToken, 'name' | 'scopes' | 'sensitive_data' | 'expires_at'> & Partial<NewToken>

/** Makes a token of the caller's organization, which is told of it now and before its end. */
async function issue({ caller, tx, newId, emit }: Issuing, given: Issued & { kind: 'organization' | 'personal' }) {
  const { organization_id, is_sandbox, actor } = caller
  const { row, token } = await issueToken(tx, {
    ...given,
    ...{ id: newId(), organization_id, is_sandbox, created_by: actor },
  })
  await announceEnd(tx, row)
  emit(apiTokenCreated, credentialOf(row))
  return { ...apiToken.show(row), token }
}

export const deleteToken = defineOperation({
  id: 'api_tokens.delete',
  summary: 'Revoke an API token and what was created with it',
  description:
    'Takes effect for every request that begins afterwards. A token may always revoke itself, and a user its own ones; an app needs `tokens:write` for those.',
  method: 'DELETE',
  path,
  scopes: [],
  scopes_for_others: ['tokens:write'],
  input: Closed(apiToken.path),
  output: Type.Null(),
  status: 204,
  emits: endingEvents,

  async handle({ api_token_id }, { caller, tx, emit, audit }) {
    const found = await lockToken(tx, { organization_id: caller.organization_id, id: api_token_id })
    const own =
      caller.credential_id === api_token_id || (found?.user_id && found.user_id === ownUser(caller, 'tokens:write'))
    if (!own) authorize(caller, { scopes: ['tokens:write'], roles: tokenRoles })
    if (!found) throw notFound()
    const ending = { organization_id: caller.organization_id, by: caller.actor, reason: 'revoked' }
    await endCredential({ tx, emit }, { token_id: api_token_id }, ending)
    audit({ id: api_token_id })
    return null
  },
})

export const getToken = defineOperation({
  id: 'api_tokens.get',
  summary: 'Get an API token, without its value',
  method: 'GET',
  path,
  description: 'Takes `tokens:read`. Without it, a user sees their own personal tokens; an app sees none.',
  scopes: [],
  scopes_for_others: ['tokens:read'],
  input: Closed(apiToken.path),
  output: apiToken.answer,

  lock: ({ api_token_id: id }, { caller: { organization_id }, tx }) => apiToken.lock(tx, { organization_id, id }),

  async handle({ api_token_id: id }, { caller, tx }) {
    const { organization_id } = caller
    const user_id = usersOwnOnly(caller) ?? undefined
    return apiToken.show(await apiToken.get(tx, { organization_id, id, user_id }))
  },
})

export const listTokens = defineOperation({
  id: 'api_tokens.list',
  summary: 'List API tokens',
  method: 'GET',
  path: '/api-tokens',
  description: 'Takes `tokens:read`. Without it, a user sees their own personal tokens; an app sees none.',
  scopes: [],
  scopes_for_others: ['tokens:read'],
  input: Closed({ ...PageInput, ...apiToken.filters }),
  output: PageOf(apiToken.answer),

  handle: (filter, context) => apiToken.page(context, filter, ofUser(usersOwnOnly(context.caller))),
})

export const rotateToken = defineOperation({
  id: 'api_tokens.rotate',
  summary: 'Replace an API token by a successor with the same rights',
  description: 'Both work until the overlap ends, so an integration can change over without a gap.',
  method: 'POST',
  path: `${path}/rotate`,
  scopes: [],
  scopes_for_others: ['tokens:write'],
  input: Closed({
    ...apiToken.path,
    overlap_s: Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 3_600,
      description: 'Seconds the old value stays valid.',
    }),
  }),
  output: RevealedToken,
  status: 201,
  location: ({ id }) => `/api-tokens/${id}`,
  problems: [invalidState, sensitiveDataRequired, reauthenticationRequired],
  emits: [apiTokenCreated],
  reveals_secret: revealedToken,

  async handle({ api_token_id, overlap_s }, context) {
    const { caller, tx, now } = context
    const own = caller.credential_id === api_token_id
    const old = await lockToken(tx, { organization_id: caller.organization_id, id: api_token_id })
    // Its user may rotate a personal token, nobody else: the new value would be that user's rights in other hands.
    const isOthers = old?.kind === 'personal' && old.user_id !== caller.user_id
    const roles = old?.kind === 'personal' ? undefined : tokenRoles
    if (!own) authorize(caller, { scopes: ['tokens:write'], roles })
    if (!old || (!own && isOthers)) throw notFound()
    if (old.revoked_at || old.successor_id || (old.expires_at && old.expires_at <= now)) {
      throw invalidState('The token has ended or already has a successor.')
    }
    if (!own) refuseExcess(caller, old, tx.real_now)
    const made = await issue(context, {
      ...old,
      // The caller who rotates another token learns a new value, so that value ends when its rights do, as with a creation.
      expires_at: earlierEnd(old.expires_at, caller.expires_at),
      ...(!own && caller.kind !== 'console' && parentsOf(caller)),
    })
    await replaceToken(tx, old, made.id, overlap_s)
    return made
  },
})

export const apiTokenOperations = [listTokens, createToken, getToken, rotateToken, deleteToken]
export const apiTokenTimers = expiryTimers
