import { recordAudit } from '#core/audit.ts'
import type { Actor } from '#core/caller.ts'
import { collectEffects } from '#core/context.ts'
import { recordEvents } from '#core/outbox.ts'
import type { Runtime } from '#core/runtime.ts'
import type { Transaction } from '#db/database.ts'
import { emitEnded } from '#identity/api-tokens/events.ts'
import { endCredential } from '#identity/end-credentials.ts'

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
  await Promise.all([
    recordEvents(tx, { organization_id, request_id, trace_id: null }, effects.events, runtime.fanOut),
    recordAudit(tx, {
      organization_id,
      occurred_at: tx.now,
      actor: by,
      credential_id: null,
      action: `oauth_grants.${reason}`,
      subject: { kind: 'oauth_grants', id: grant_id },
      changed_fields: ['revoked_at'],
      request_id,
      address,
    }),
  ])
}
