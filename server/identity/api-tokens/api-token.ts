import { anyOf, matching } from '#core/filters.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { ActorSchema, Id, Nullable, Observed, Text, Timestamp, Type } from '#core/schema/schema.ts'
import { sql } from '#db/database.ts'
import { scopes, sensitiveCategories } from '../scopes.ts'

export const ScopeList = Type.Array(Type.Enum([...scopes]), { minItems: 1, maxItems: scopes.length, set: true })
export const SensitiveList = Type.Array(Type.Enum([...sensitiveCategories]), {
  maxItems: sensitiveCategories.length,
  set: true,
})

const kinds = ['organization', 'personal'] as const

const makerLeft = sql`(
  case when access_tokens.created_by ->> 'kind' = 'user' then not exists (
    select from own_members m
    where m.organization_id = access_tokens.organization_id
      and m.user_id = (access_tokens.created_by ->> 'id')::uuid) else false end)`

/** An organization or personal token as lists show it; its value is never among the fields. */
export const apiToken = defineResource({
  name: 'api_token',
  table: 'access_tokens',
  only: sql`access_tokens.kind in ('organization', 'personal')`,
  fields: {
    id: { type: Id, set_by: 'server' },
    name: { type: Text(1, 100), required: true, example: 'Payroll export' },
    type: { type: Type.Enum([...kinds]), column: 'kind', default: 'organization' },
    prefix: {
      type: Type.String({ description: 'Start of the value, for recognising it.' }),
      set_by: 'server',
      example: 'stint_org_Exam',
    },
    last4: { type: Type.String({ description: 'End of the value.' }), set_by: 'server', example: 'mple' },
    scopes: { type: ScopeList, required: true },
    sensitive_data: { type: SensitiveList, default: [] },
    user_id: { type: Id, set_by: 'server', nullable: true },
    created_by: { type: ActorSchema, set_by: 'server' },
    maker_left: {
      type: Observed(Type.Boolean({ description: 'The member who made it is none any more; it works on.' })),
      read_from: makerLeft,
      initial: false,
    },
    created_with: { type: Id, computed: true, nullable: true },
    created_at: { type: Timestamp, set_by: 'server' },
    updated_at: { type: Timestamp, set_by: 'server' },
    expires_at: { type: Timestamp, nullable: true },
    last_used_at: { type: Observed(Nullable(Timestamp)), set_by: 'server' },
    last_used_address: { type: Observed(Nullable(Type.String())), set_by: 'server' },
    revoked_at: { type: Timestamp, set_by: 'server', nullable: true },
    revoked_by: { type: ActorSchema, set_by: 'server', nullable: true },
    successor_id: { type: Id, set_by: 'server', nullable: true },
  },
  internal: {
    person_id: { type: Id, nullable: true },
    parent_token_id: { type: Id, nullable: true },
    parent_grant_id: { type: Id, nullable: true },
    root_id: { type: Id },
  },
  compute: ({ parent_token_id, parent_grant_id }) => ({ created_with: parent_token_id ?? parent_grant_id }),
  filters: {
    types: anyOf('kind'),
    expiring_before: matching(Timestamp, (end) => sql`expires_at < ${end} and revoked_at is null`),
    unused_since: matching(
      Timestamp,
      (time) => sql`coalesce(last_used_at, created_at) < ${time} and revoked_at is null`,
    ),
  },
})

/** A token of any kind. */
export type TokenRow = Omit<RowFrom<typeof apiToken>, 'kind'> & {
  kind: 'organization' | 'personal' | 'worker' | 'oauth'
}
