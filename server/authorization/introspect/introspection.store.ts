import type { Database } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { Resource } from '../addresses.ts'
import type { Presented } from '../token/secret-organization.ts'

export interface IntrospectedToken {
  scopes: string[]
  client_id: string
  user_id: string | null
  person_id: string | null
  resource: Resource
  expires_at: string
  created_at: string
}

/** A token that a request could use at this moment, judged by the same statement as a request is; else undefined. */
export function introspected(database: Database, { digests }: Presented): Promise<IntrospectedToken | undefined> {
  return database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    tx.row<IntrospectedToken>(sql`
      select live.scopes, live.client_id, live.user_id, live.person_id, r.resource, t.expires_at, t.created_at
      from unnest(array['rest', 'mcp']) as r (resource)
      cross join lateral resolve_access_token(${digests}::bytea[], r.resource) live
      join access_tokens t on t.organization_id = live.organization_id and t.id = live.id
      limit 1`),
  )
}
