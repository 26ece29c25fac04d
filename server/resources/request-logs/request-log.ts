import { ActorSchema, Id, Nullable, SetOf, Text, Timestamp, Type } from '#core/schema/schema.ts'

const Status = Type.Integer({ minimum: 100, maximum: 599, description: 'HTTP status of the answer.', example: 403 })
const ErrorCode = Text(1, 100, {
  description: 'Code of the problem; of provisioning the scimType, where the refusal has one.',
  example: 'insufficient_scope',
})
const Surface = Type.Enum(['rest', 'mcp', 'scim'], {
  description: 'The way in: REST API, tool server or provisioning.',
})
const Operation = Text(1, 100, { description: 'Id of the operation.', example: 'contracts.list' })

/** A request of a token or an app, as lists show it: never its credential, and nothing that was answered. */
export const RequestLog = Type.Object({
  id: Id,
  occurred_at: { ...Timestamp, description: 'When it was answered.' } as typeof Timestamp,
  request_id: Type.String({ example: '019bb170-1c40-7f25-9d3b-5a8e0c7d2f16' }),
  surface: Surface,
  operation: Operation,
  method: Type.String({ example: 'GET' }),
  path: Type.String({ description: 'Without the query.', example: '/rest/v2/contracts' }),
  status: Status,
  error_code: Nullable(ErrorCode),
  hint: Nullable(Type.String({ description: 'What to do about a refusal of provisioning.' })),
  missing_scopes: Type.Array(Type.String(), {
    description: 'Of a refusal for want of a scope: those of which any one would have sufficed.',
    example: ['contracts:read'],
  }),
  duration_ms: Type.Integer({ minimum: 0, example: 12 }),
  credential_id: Id,
  client_id: Nullable(Type.String({ description: 'The OAuth client, where one acted.' })),
  actor: ActorSchema,
  ip: Nullable(Type.String({ description: 'Address of the client.', example: '192.0.2.7' })),
})

/** Filters of the list. */
export const requestFilters = {
  credential_id: Type.Optional(Id),
  client_id: Type.Optional(Text(1, 2_048)),
  surfaces: Type.Optional(SetOf(Surface)),
  operation: Type.Optional(Operation),
  status: Type.Optional(Status),
  outcomes: Type.Optional(
    SetOf(
      Type.Enum(['succeeded', 'refused', 'failed'], {
        description: 'Succeeded: below 400; refused: 400 to 499; failed: from 500 on.',
      }),
    ),
  ),
  error_code: Type.Optional(ErrorCode),
  request_id: Type.Optional(Text(1, 64)),
  from: Type.Optional({ ...Timestamp, description: 'Answered at this time or later.' } as typeof Timestamp),
  to: Type.Optional({ ...Timestamp, description: 'Answered at this time or before.' } as typeof Timestamp),
}
