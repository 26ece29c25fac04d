import { sql } from '#db/sql.ts'
import type { Resource } from '../addresses.ts'

/** A grant as the token endpoint holds it, locked, while it issues tokens under it. */
export interface HeldGrant {
  organization_id: string
  grant_id: string
  user_id: string | null
  person_id: string | null
  client_id: string
  client_name: string
  resource: Resource
  scopes: string[]
  sensitive_data: string[]
  with_assertion: boolean | null
  ends_at: string | null
  revoked_at: string | null
  /** Whether the user or worker may still act at all. */
  holder_is_live: boolean
}

export const heldGrantColumns = sql`g.organization_id, g.id as grant_id, g.user_id, g.person_id, g.client_id,
  g.client_name, g.resource, g.scopes, g.sensitive_data, g.with_assertion, g.ends_at, g.revoked_at,
  grant_holder_is_live(g.organization_id, g.user_id, g.person_id) as holder_is_live`

export function isLive({ revoked_at, ends_at, holder_is_live }: HeldGrant, now: string): boolean {
  return holder_is_live && revoked_at === null && (ends_at === null || ends_at > now)
}
