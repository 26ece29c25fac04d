import { type Actor, authorize, type Caller } from '#core/caller.ts'
import { collectEffects, recordChange } from '#core/effects.ts'
import type { Runtime } from '#core/invoke.ts'
import { defineOperation } from '#core/operation.ts'
import { notFound, type Problem } from '#core/problems.ts'
import { Closed, PageInput, PageOf, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { ownUser, tokenRoles, usersOwnOnly } from '#identity/api-tokens/rights.ts'
import { endCredential, endingEvents } from '#identity/end-credentials.ts'
import { addNeededScope, oauthGrant, ofUser } from './grant.store.ts'
import type { OAuthRequest } from './oauth-endpoint.ts'

export const listGrants = defineOperation({
  id: 'oauth_grants.list',
  summary: 'List connected apps',
  description:
    'Each is one permission that a user or the organization gave to a client. Takes `tokens:read`. Without it, a user sees their own; an app sees none.',
  method: 'GET',
  path: '/oauth-grants',
  scopes: [],
  scopes_for_others: ['tokens:read'],
  input: Closed(PageInput),
  output: PageOf(oauthGrant.answer),

  handle: (_, context) => oauthGrant.page(context, {}, ofUser(usersOwnOnly(context.caller))),
})

export const deleteGrant = defineOperation({
  id: 'oauth_grants.delete',
  summary: 'Disconnect an app',
  description:
    'Ends the permission with every token of it and what was created with them, for every request that begins afterwards. A user may always end the own ones, and an app its own; others of the user with `tokens:write`.',
  method: 'DELETE',
  path: '/oauth-grants/:grant_id',
  scopes: [],
  scopes_for_others: ['tokens:write'],
  input: Closed(oauthGrant.path),
  output: Type.Null(),
  status: 204,
  emits: endingEvents,

  async handle({ grant_id }, { caller, tx, emit, audit }) {
    const { organization_id, actor } = caller
    const found = await oauthGrant.find(tx, { organization_id, id: grant_id })
    const own = caller.grant_id === grant_id || (found?.user_id && found.user_id === ownUser(caller, 'tokens:write'))
    if (!own) authorize(caller, { scopes: ['tokens:write'], roles: tokenRoles })
    if (!found) throw notFound()
    await endCredential({ tx, emit }, { grant_id }, { organization_id, by: actor, reason: 'revoked' })
    audit({ id: grant_id })
    return null
  },
})

export const oauthGrantOperations = [listGrants, deleteGrant]

/**
 * Ends a grant outside any operation, with what it issued and created; its events and its audit line commit with it.
 * Reasons are `code_replay`, `refresh_reuse`, `revoked_by_client` and `unused`.
 */
export async function endGrant(
  runtime: Runtime,
  tx: Transaction,
  { organization_id, grant_id }: { organization_id: string; grant_id: string },
  ending: { by: Actor; reason: string; request?: Pick<OAuthRequest, 'request_id' | 'address'> },
): Promise<void> {
  const { by, reason, request } = ending
  const { effects, base } = collectEffects(runtime, tx)
  if ((await endCredential(base, { grant_id }, { organization_id, by, reason })) === 0) return
  await recordChange(runtime, tx, effects.events, {
    organization_id,
    actor: by,
    action: `oauth_grants.${reason}`,
    subject: { kind: 'oauth_grants', id: grant_id },
    changed_fields: ['revoked_at'],
    request_id: request?.request_id ?? null,
    address: request?.address ?? null,
  })
}

/**
 * Keeps what a client was challenged for (step-up, RFC 6750 §3.1), at the REST API and the tool server alike: the consent
 * page tells by it what the client needs from what it would like.
 */
export async function noteNeededScope(
  { database, log }: Pick<Runtime, 'database' | 'log'>,
  { organization_id, grant_id }: Caller,
  { details }: Problem,
): Promise<void> {
  // The challenge names several where any one suffices: the least first.
  const [scope] = [...((details.members?.required_scopes as string[] | undefined) ?? [])].sort()
  if (scope === undefined || grant_id === undefined) return
  const note = database.transaction({ role: 'app', organization_id }, (tx) =>
    addNeededScope(tx, { organization_id, grant_id, scope }),
  )
  // The refusal stands without it; the user ticks one box more.
  await note.catch((err: unknown) => log.warn({ err }, 'needed_scope_lost'))
}
