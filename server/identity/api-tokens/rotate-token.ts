import { authorise } from '#core/authorise.ts'
import { defineOperation } from '#core/operation.ts'
import { invalidState, notFound, sensitiveDataRequired } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { issueToken, parentsOf } from '../issue-token.ts'
import { findToken, replaceToken } from '../token.store.ts'
import { apiTokenOf, RevealedToken, revealedToken, TokenPath } from './api-token.ts'
import { apiTokenCreated, credentialOf } from './events.ts'
import { announceEnd } from './expiry-notice.ts'
import { earlierEnd, refuseExcess, tokenRoles } from './rights.ts'

export const rotateToken = defineOperation({
  id: 'api_tokens.rotate',
  summary: 'Replace an API token by a successor with the same rights',
  description: 'Both work until the overlap ends, so an integration can change over without a gap.',
  method: 'POST',
  path: '/api-tokens/:api_token_id/rotate',
  scopes: [],
  scopes_for_others: ['tokens:write'],
  input: Closed({
    ...TokenPath,
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
  problems: [invalidState, sensitiveDataRequired],
  emits: [apiTokenCreated],
  reveals_secret: revealedToken,

  async handle({ api_token_id, overlap_s }, { caller, tx, now, newId, emit, secrets }) {
    const own = caller.credential_id === api_token_id
    const old = await findToken(tx, caller.organization_id, api_token_id, true)
    // Its user may rotate a personal token, nobody else: the new value would be that user's rights in other hands.
    const isOthers = old?.kind === 'personal' && old.user_id !== caller.user_id
    const roles = old?.kind === 'personal' ? undefined : tokenRoles
    if (!own) authorise(caller, { scopes: ['tokens:write'], roles })
    if (!old || (!own && isOthers)) throw notFound()
    if (old.revoked_at || old.successor_id || (old.expires_at && old.expires_at <= now)) {
      throw invalidState('The token has ended or already has a successor.')
    }
    if (!own) refuseExcess(caller, old)
    const { row, token } = await issueToken(tx, secrets, {
      ...old,
      id: newId(),
      is_sandbox: caller.is_sandbox,
      created_by: caller.actor,
      // Who rotates another token learns a new value, so that value ends when its rights do, as with a creation.
      expires_at: earlierEnd(old.expires_at, caller.expires_at),
      ...(!own && caller.kind !== 'console' && parentsOf(caller)),
    })
    await replaceToken(tx, old, row.id, overlap_s)
    await announceEnd(tx, row)
    emit(apiTokenCreated, credentialOf(row))
    return { ...apiTokenOf(row), token }
  },
})
