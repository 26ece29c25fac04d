import { isDeepStrictEqual } from 'node:util'
import { recordAudit } from '#core/audit.ts'
import type { Transaction } from '#db/database.ts'
import { findStandingGrant, keepStandingGrant, type NewGrant, type StandingGrant } from './grant.store.ts'

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
    occurred_at: tx.now,
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
