import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { recordAudit } from '#core/audit.ts'
import type { Actor } from '#core/caller.ts'
import { collectEffects, type Runtime, recordChange } from '#core/invoke.ts'
import type { Problem } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { emitEnded, endCredential } from '#identity/end-credentials.ts'
import {
  findStandingGrant,
  keepStandingGrant,
  type NewGrant,
  noteNeededScope,
  type StandingGrant,
} from './grant.store.ts'

export interface GrantEnding {
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

const audited = ['client_name', 'scopes', 'sensitive_data', 'ends_at'] as const

/**
 * The one grant under which a client acts for its organization at a resource, made where there is none yet and brought to
 * what the client has now. The caller holds the client locked. Most tokens change nothing, and leave no audit line.
 */
export async function standingGrant(
  tx: Transaction,
  grant: NewGrant,
  { request_id, address }: { request_id: string; address: string },
): Promise<StandingGrant> {
  const former = await findStandingGrant(tx, grant)
  const row = await keepStandingGrant(tx, grant)
  const changed_fields = audited.filter((name) => !isDeepStrictEqual(row[name], former?.[name]))
  if (former && changed_fields.length === 0) return row
  await recordAudit(tx, {
    organization_id: grant.organization_id,
    // As in what it does with its tokens: a client that acts for the organization goes by its grant.
    actor: { kind: 'token', id: row.id, name: row.client_name },
    credential_id: null,
    action: former ? 'oauth_grants.update' : 'oauth_grants.create',
    subject: { kind: 'oauth_grants', id: row.id },
    changed_fields: former ? changed_fields : ['scopes', 'sensitive_data'],
    request_id,
    address,
  })
  return row
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
