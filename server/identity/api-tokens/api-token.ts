import type { RevealedSecret } from '#core/operation.ts'
import {
  ActorSchema,
  Closed,
  Id,
  Nullable,
  Observed,
  ShownOnce,
  type Static,
  Text,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import { scopes, sensitiveCategories } from '../scopes.ts'
import { type TokenRow, tokenStands } from '../token.store.ts'

export const ScopeList = Type.Array(Type.Enum([...scopes]), { minItems: 1, maxItems: scopes.length, set: true })
export const SensitiveList = Type.Array(Type.Enum([...sensitiveCategories]), {
  maxItems: sensitiveCategories.length,
  set: true,
})

/** An organization or personal token as lists show it; its value is never among the fields. */
export const ApiToken = Type.Object({
  id: Id,
  name: Type.String(),
  type: Type.Enum(['organization', 'personal']),
  prefix: Type.String({ description: 'Start of the value, for recognising it.' }),
  last4: Type.String({ description: 'End of the value.' }),
  scopes: ScopeList,
  sensitive_data: SensitiveList,
  user_id: Nullable(Id),
  created_by: ActorSchema,
  created_with: Nullable(Id),
  created_at: Timestamp,
  updated_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Observed(Nullable(Timestamp)),
  last_used_address: Observed(Nullable(Type.String())),
  revoked_at: Nullable(Timestamp),
  revoked_by: Nullable(ActorSchema),
  successor_id: Nullable(Id),
})

/** The answer that makes a token: the only one that ever holds its value. */
export const RevealedToken = Type.Object({
  ...ApiToken.properties,
  token: ShownOnce('The credential.'),
})

export const revealedToken: RevealedSecret = {
  field: 'token',
  // The cast holds for every answer that makes a token.
  stands: (answer, { tx, caller }) => tokenStands(tx, caller.organization_id, (answer as { id: string }).id),
}

export const TokenPath = { api_token_id: Id }

export const NewTokenInput = Closed({
  name: Text(1, 100),
  type: Type.Enum(['organization', 'personal'], { default: 'organization' }),
  scopes: ScopeList,
  sensitive_data: { ...SensitiveList, default: [] } as typeof SensitiveList,
  expires_at: Type.Optional(Nullable(Timestamp)),
})

export function apiTokenOf(row: TokenRow): Static<typeof ApiToken> {
  const { organization_id: _, kind, person_id: __, parent_token_id, parent_grant_id, root_id: ___, ...rest } = row
  // The cast holds because the columns are only ever written through the schema above.
  return { ...rest, type: kind, created_with: parent_token_id ?? parent_grant_id } as Static<typeof ApiToken>
}
