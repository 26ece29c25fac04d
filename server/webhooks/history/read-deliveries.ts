import { holdsScope } from '#core/caller.ts'
import { type Context, defineOperation, type StreamReader } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, Id, Nullable, PageInput, PageOf, type Static, Type } from '#core/schema/schema.ts'
import { utcOf } from '#core/values.ts'
import { categoriesOf } from '../event-body.ts'
import { fieldRefused, refuseUnknownTypes, unknownEventType } from '../problems.ts'
import { lockSubscription, mayRead, mayReadBodies, SubscriptionPath } from '../subscriptions/subscription.ts'
import { Attempt, attemptOf } from './attempt.ts'
import { Delivery, type DeliveryRow, deliveryFilters, deliveryOf } from './delivery.ts'
import { changedDeliveries, deliveryList, findAttempts, findBody, findDelivery, hasHistory } from './history.store.ts'

const ListInput = Closed({ ...SubscriptionPath, ...PageInput, ...deliveryFilters })

export const listDeliveries = defineOperation({
  id: 'webhooks.list_deliveries',
  summary: 'List the deliveries of a subscription',
  description: 'Also those of a deleted subscription, until they are older than the retention.',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries',
  ...mayRead,
  input: ListInput,
  output: PageOf(Delivery),
  problems: [unknownEventType],
  stream: followDeliveries,

  async handle(input, context) {
    await checkRead(input, context)
    const { webhook_id, ...filter } = input
    const { caller, page, rooms } = context
    return page(deliveryList(caller, webhook_id, filter), (row: DeliveryRow) =>
      deliveryOf(row, rooms.webhooks.settings.retention_days),
    )
  },
})

async function checkRead({ webhook_id, event_types = [] }: Static<typeof ListInput>, { caller, tx, rooms }: Context) {
  if (!(await hasHistory(tx, caller, webhook_id))) throw notFound()
  refuseUnknownTypes(event_types, rooms.webhooks.catalogue, () => '/event_types')
}

/** Changes are looked for this far back: a transaction writes its time at its start and is seen at its end. */
const looked_back_ms = 10_000

/**
 * Every change of the newest deliveries of a subscription, each told once while the stream is open; what was told in the
 * last seconds before a break is told again after it. An id of the stream is the time of the change.
 */
function followDeliveries(input: Static<typeof ListInput>, last_event_id: string | undefined): StreamReader {
  const { webhook_id, cursor, updated_after, ...filter } = input
  if (cursor !== undefined) throw fieldRefused('/cursor', 'is for pages; a stream goes on from Last-Event-ID')
  let newest = last_event_id === undefined ? updated_after : timeOf(last_event_id)
  /** The states of deliveries that changed a moment ago: they are read again, and told once. */
  let told = new Set<string>()

  return {
    async read(context) {
      await checkRead(input, context)
      const { caller, tx, rooms } = context
      const since = new Date(Date.parse(newest ?? tx.now) - looked_back_ms).toISOString()
      const rows = await changedDeliveries(tx, caller, webhook_id, filter, since)
      const news = rows.filter((row) => !told.has(stateOf(row)))
      told = new Set(rows.map(stateOf))
      // Without a place to go on from, what was there before the stream is no news.
      const items = newest === undefined ? [] : news
      const position = latest(newest ?? tx.now, news.at(-1)?.updated_at)
      newest = position
      const { retention_days } = rooms.webhooks.settings
      return {
        items: items.map((row) => ({ id: row.updated_at, data: deliveryOf(row, retention_days) })),
        position,
        has_more: false,
      }
    },
  }
}

/** Two changes may fall into one millisecond. */
const stateOf = ({ id, updated_at, status, series, attempt_no }: DeliveryRow) =>
  `${id} ${updated_at} ${status} ${series} ${attempt_no}`

/** Times of one form compare as texts. */
const latest = (time: string, other = '') => (other > time ? other : time)

function timeOf(last_event_id: string): string {
  if (utcOf(last_event_id) !== last_event_id) throw fieldRefused('/Last-Event-ID', 'must be an id of this stream')
  return last_event_id
}

export const getDelivery = defineOperation({
  id: 'webhooks.get_delivery',
  summary: 'Get a delivery with its body and all attempts',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries/:delivery_id',
  ...mayReadBodies,
  input: Closed({ ...SubscriptionPath, delivery_id: Id }),
  output: Type.Object({
    ...Delivery.properties,
    body: Nullable(
      Type.Object(
        { text: Type.String({ example: '{"data":…}' }), sha256: Type.String({ example: 'f1b07a9c52f04f0e' }) },
        { description: 'The exact bytes; null when they hold a category that the caller was not granted.' },
      ),
    ),
    attempts: Type.Array(Attempt, { description: 'Oldest first.' }),
  }),

  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller, webhook_id),

  async handle({ webhook_id, delivery_id }, { caller, tx, rooms: { webhooks } }) {
    const row = await findDelivery(tx, caller, webhook_id, delivery_id)
    if (!row) throw notFound()
    const [attempts, stored] = await Promise.all([findAttempts(tx, caller, row), findBody(tx, caller, row)])
    const is_granted = stored && categoriesOf(stored.rendering).every((category) => caller.sensitive_data.has(category))
    const shows_signatures = holdsScope(caller, 'webhooks:write')
    return {
      ...deliveryOf(row, webhooks.settings.retention_days),
      body: is_granted ? { text: stored.body.toString(), sha256: stored.sha256.toString('hex') } : null,
      attempts: attempts.map((attempt) => attemptOf(attempt, shows_signatures)),
    }
  },
})
