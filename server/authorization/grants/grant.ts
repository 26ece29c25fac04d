import { ActorSchema, Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { ScopeList, SensitiveList } from '#identity/api-tokens/api-token.ts'
import type { GrantRow } from './grant.store.ts'

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
