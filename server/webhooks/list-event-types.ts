import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf, SetOf, Type } from '#core/schema/schema.ts'
import { payloadExample, payloadSchema } from './catalogue.ts'

/** As many as a subscription may name. */
const types_max = 200

export const listEventTypes = defineOperation({
  id: 'webhooks.list_event_types',
  summary: 'List the event types that webhooks can receive',
  method: 'GET',
  path: '/webhooks/events',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer', 'viewer'],
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
      name: Type.String(),
      module: Type.String(),
      description: Type.String(),
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
    return {
      ...page,
      data: page.data.map((event) => ({
        name: event.type.type,
        module: event.type.module,
        description: event.type.summary,
        json_schema: { ...payloadSchema(event) },
        payload_example: payloadExample(event),
      })),
    }
  },
})
