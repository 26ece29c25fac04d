import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Id, PageInput, PageOf, SetOf, Timestamp, Type } from '#core/schema/schema.ts'
import { SubscriptionPath } from '../subscriptions/subscription.ts'
import { Delivery, deliveryOf, deliveryStatuses, origins } from './delivery.ts'
import { type DeliveryRow, deliveryList, hasHistory } from './delivery-history.store.ts'
import { followDeliveries } from './follow-deliveries.ts'

export const listDeliveries = defineOperation({
  id: 'webhooks.list_deliveries',
  summary: 'List the deliveries of a subscription',
  description: 'Also those of a deleted subscription, until they are older than the retention.',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer', 'viewer'],
  input: Closed({
    ...SubscriptionPath,
    ...PageInput,
    statuses: Type.Optional(SetOf(Type.Enum([...deliveryStatuses]))),
    event_types: Type.Optional(SetOf(Type.String({ minLength: 1, maxLength: 100 }))),
    origins: Type.Optional(SetOf(Type.Enum([...origins]))),
    since: Type.Optional({ ...Timestamp, description: 'Created at this time or later.' } as typeof Timestamp),
    until: Type.Optional({ ...Timestamp, description: 'Created before this time.' } as typeof Timestamp),
    resource_id: Type.Optional(Id),
    event_id: Type.Optional(Id),
    is_simulation: Type.Optional(Type.Boolean()),
  }),
  output: PageOf(Delivery),
  stream: followDeliveries,

  async handle({ webhook_id, ...filter }, { caller, tx, page, rooms: { webhooks } }) {
    if (!(await hasHistory(tx, caller.organization_id, webhook_id))) throw notFound()
    return page(deliveryList(caller.organization_id, webhook_id, filter), (row: DeliveryRow) =>
      deliveryOf(row, webhooks.settings.retention_days),
    )
  },
})
