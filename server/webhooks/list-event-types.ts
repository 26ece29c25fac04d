import { defineOperation } from '#core/operation.ts'
import type { RegisteredEvent } from '#core/registry.ts'
import { Closed, Id, PageInput, PageOf, SetOf, Timestamp, Type } from '#core/schema/schema.ts'
import { payloadOf, payloadSchema } from './event-body.ts'
import { mayRead } from './subscriptions/subscription.ts'

/** As many as a subscription may name. */
const types_max = 200

export const listEventTypes = defineOperation({
  id: 'webhooks.list_event_types',
  summary: 'List the event types that webhooks can receive',
  method: 'GET',
  path: '/webhooks/events',
  ...mayRead,
  input: Closed({
    ...PageInput,
    // Without further ado all of them (interface specification 4.3).
    limit: Type.Integer({ minimum: 1, maximum: types_max, default: types_max, description: 'Rows per page.' }),
    modules: Type.Optional(
      SetOf(Type.String({ minLength: 1, maxLength: 50 }), {
        description: 'Of any of these modules, such as contracts.',
      }),
    ),
  }),
  output: PageOf(
    Type.Object({
      name: Type.String({ example: 'contract.created' }),
      module: Type.String({ example: 'contracts' }),
      description: Type.String({ example: 'A contract was created.' }),
      json_schema: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the whole payload.' }),
      payload_example: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  tool: {
    name: 'list_webhook_event_types',
    text: 'List the event types that webhooks can receive, each with an example of what is sent.',
    omits: ['json_schema'],
  },

  async handle({ modules }, { pageOf, rooms: { webhooks } }) {
    const types = [...webhooks.catalogue.values()]
      .filter(({ type }) => !modules || modules.includes(type.module))
      .sort((a, b) => (a.type.type < b.type.type ? -1 : 1))
    const page = pageOf(types, ({ type }) => type.type)
    return { ...page, data: page.data.map(describe) }
  },
})

const described = {
  event_id: Type.String({ ...Id, description: 'The same in every delivery of the event: drop what you have seen.' }),
  timestamp: Type.String({ ...Timestamp, description: 'When the event occurred; equal to occurred_at.' }),
}

/** The ids and the time of the published examples. */
const example = {
  event_id: '019bb16e-fe80-7c41-9a53-2f6d1c0e8b17',
  organization_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3',
  occurred_at: '2026-01-12T09:00:00.000Z',
  is_simulation: false,
}

/** One type of the catalogue, with a whole payload as a subscription with every category receives it. */
function describe(event: RegisteredEvent) {
  const { type: name, module, summary, entry } = event.type
  const entries = Type.Array(entry, { minItems: 1, maxItems: 100 })
  return {
    name,
    module,
    description: summary,
    json_schema: { ...payloadSchema(Type.Literal(name), entries, described) },
    payload_example: payloadOf(
      event,
      { ...example, entries: [event.type.example] },
      new Set(event.sensitive.categories),
    ),
  }
}
