import { defineResource, type RowFrom } from '#core/resource.ts'
import { ActorSchema, Id, Timestamp, Type } from '#core/schema/schema.ts'
import { ScopeList, SensitiveList } from '#identity/api-tokens/api-token.ts'

/**
 * A permission given to a client, as the list of connected apps shows it: what the client may do for a user, for a worker,
 * or (with neither) for the organization.
 */
export const oauthGrant = defineResource({
  name: 'grant',
  table: 'oauth_grants',
  fields: {
    id: { type: Id },
    client_id: { type: Type.String(), example: 'cli_4Qm8Zt2VbX6nR1cW9yLk3P' },
    client_name: {
      type: Type.String({ description: 'As the client called itself when the grant was made.' }),
      example: 'Desk Assistant',
    },
    user_id: { type: Id, nullable: true },
    person_id: { type: Id, nullable: true },
    redirect_host: {
      type: Type.String({
        description: 'Where the code was sent, in ASCII (punycode where the name is international).',
      }),
      nullable: true,
    },
    resource: {
      type: Type.Enum(['rest', 'mcp'], { description: 'What its tokens open: the REST API or the tool server.' }),
    },
    scopes: { type: ScopeList },
    sensitive_data: { type: SensitiveList },
    created_at: { type: Timestamp },
    updated_at: { type: Timestamp },
    ends_at: { type: Timestamp, nullable: true },
    last_used_at: { type: Timestamp, nullable: true },
    revoked_at: { type: Timestamp, nullable: true },
    revoked_by: { type: ActorSchema, nullable: true },
    revoked_reason: {
      type: Type.String({
        description: '`revoked`, `revoked_by_client`, `code_replay`, `refresh_reuse` or `unused`.',
      }),
      nullable: true,
    },
  },
  internal: {
    // Redeemed with a signed assertion, so it is refreshed with one only; null until it is redeemed.
    with_assertion: { type: Type.Boolean(), nullable: true },
  },
})

export type GrantRow = RowFrom<typeof oauthGrant>
