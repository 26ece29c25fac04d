import type { FastifyInstance } from 'fastify'
import type { Actor } from '#core/caller.ts'
import { authorize } from '#core/caller.ts'
import { collectEffects, recordChange } from '#core/effects.ts'
import type { Runtime } from '#core/invoke.ts'
import { defineOperation } from '#core/operation.ts'
import type { Problem } from '#core/problems.ts'
import { notFound } from '#core/problems.ts'
import {
  ActorSchema,
  Closed,
  Id,
  Nullable,
  PageInput,
  PageOf,
  type Static,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { ScopeList, SensitiveList } from '#identity/api-tokens/api-token.ts'
import { ownUser, tokenRoles, usersOwnOnly } from '#identity/api-tokens/rights.ts'
import { emitEnded, endCredential, endingEvents } from '#identity/end-credentials.ts'
import { findGrant, type GrantRow, grantList, noteNeededScope } from './grant.store.ts'

/** A permission given to a client, as the list of connected apps shows it. */
export const OAuthGrant = Type.Object({
  id: Id,
  client_id: Type.String(),
  client_name: Type.String({ description: 'As the client called itself when the grant was made.' }),
  user_id: Nullable(Id),
  person_id: Nullable(Id),
  redirect_host: Nullable(
    Type.String({ description: 'Where the code was sent, in ASCII (punycode where the name is international).' }),
  ),
  resource: Type.Enum(['rest', 'mcp'], { description: 'What its tokens open: the REST API or the tool server.' }),
  scopes: ScopeList,
  sensitive_data: SensitiveList,
  created_at: Timestamp,
  updated_at: Timestamp,
  ends_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  revoked_by: Nullable(ActorSchema),
  revoked_reason: Nullable(
    Type.String({ description: '`revoked`, `revoked_by_client`, `code_replay`, `refresh_reuse` or `unused`.' }),
  ),
})

export const GrantPath = { grant_id: Id }

export function oauthGrantOf(row: GrantRow): Static<typeof OAuthGrant> {
  const { organization_id: _, with_assertion: __, ...rest } = row
  // The cast holds because the columns are only ever written by the consent page and the token endpoint.
  return rest as Static<typeof OAuthGrant>
}

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
  output: PageOf(OAuthGrant),

  handle: (_, { caller, page }) => page(grantList(caller.organization_id, usersOwnOnly(caller)), oauthGrantOf),
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
  input: Closed(GrantPath),
  output: Type.Null(),
  status: 204,
  emits: endingEvents,

  async handle({ grant_id }, { caller, tx, emit, audit }) {
    const { organization_id, actor } = caller
    const found = await findGrant(tx, organization_id, grant_id)
    const own = caller.grant_id === grant_id || (found?.user_id && found.user_id === ownUser(caller, 'tokens:write'))
    if (!own) authorize(caller, { scopes: ['tokens:write'], roles: tokenRoles })
    if (!found) throw notFound()
    emitEnded(emit, await endCredential(tx, { grant_id }, { organization_id, by: actor, reason: 'revoked' }))
    audit({ id: grant_id })
    return null
  },
})

export const oauthGrantOperations = [listGrants, deleteGrant]

interface GrantEnding {
  organization_id: string
  grant_id: string
  by: Actor
  /** `code_replay`, `refresh_reuse`, `revoked_by_client`, `unused`. */
  reason: string
  request_id: string | null
  address: string | null
}

/** Ends a grant outside any operation, with what it issued and created; its events and its audit line commit with it. */
export async function endGrant(runtime: Runtime, tx: Transaction, ending: GrantEnding): Promise<void> {
  const { organization_id, grant_id, by, reason, request_id, address } = ending
  const ended = await endCredential(tx, { grant_id }, { organization_id, by, reason })
  if (ended.grants.length + ended.tokens.length === 0) return
  const { effects, base } = collectEffects(runtime, tx)
  emitEnded(base.emit, ended)
  await recordChange(runtime, tx, effects.events, {
    organization_id,
    actor: by,
    action: `oauth_grants.${reason}`,
    subject: { kind: 'oauth_grants', id: grant_id },
    changed_fields: ['revoked_at'],
    request_id,
    address,
  })
}

/**
 * Keeps what a client was challenged for (step-up, RFC 6750 §3.1), at the REST API and the tool server alike, before it is
 * told: when it comes back to ask its user, the consent page knows what it needs from what it would like.
 */
export function noteNeededScopes(app: FastifyInstance, { database, log }: Pick<Runtime, 'database' | 'log'>): void {
  app.addHook('onSend', (request, _, payload, done) => {
    const { caller, problem } = request
    const [scope] = problem?.definition.code === 'insufficient_scope' ? scopesAskedFor(problem) : []
    if (scope === undefined || caller?.grant_id === undefined) return done(null, payload)
    const { organization_id, grant_id } = caller
    database
      .transaction({ role: 'app', organization_id }, (tx) => noteNeededScope(tx, { organization_id, grant_id, scope }))
      // The refusal stands without it; the user ticks one box more.
      .catch((err: unknown) => log.warn({ err }, 'needed_scope_lost'))
      .finally(() => done(null, payload))
  })
}

/** As the challenges name them: the least first. */
function scopesAskedFor({ details }: Problem): string[] {
  return [...((details.members?.required_scopes as string[] | undefined) ?? [])].sort()
}
