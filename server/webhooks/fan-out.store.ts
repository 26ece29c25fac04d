import type { Clock } from '#core/clock.ts'
import type { FanOut } from '#core/effects.ts'
import type { RegisteredEvent } from '#core/registry.ts'
import { newId } from '#core/values.ts'
import { raw, sql, type Transaction } from '#db/database.ts'
import { type BodyChoice, bodyOf, type EventFacts, renderingOf } from './event-body.ts'
import type { WebhookRoom } from './room.ts'

export type DeliveryOrigin = 'event' | 'simulation' | 'redelivery' | 'replay'

/** A subscription as the fan-out sees it. */
interface Subscriber extends BodyChoice {
  id: string
  status: 'active' | 'disabled'
  events: string[]
}

/** One event with those it is to be sent to. */
interface Sending {
  type: RegisteredEvent
  event: EventFacts & { trace_id: string | null }
  to: readonly Subscriber[]
  source_delivery_id?: string
  replay_id?: string
}

/** So long a look ahead is good for: a change that waited for a lock looks once more, and misses no new subscription. */
const look_ahead_ms = 50

interface LookAhead {
  types: ReadonlySet<string>
  at_ms: number
  subscribers: Promise<Subscriber[]>
}

/**
 * Writes one delivery per matching subscription in the transaction of the event. It only reads configuration and
 * inserts rows: no queue or subscription is locked, so a business change never waits for the engine. The snapshot that
 * reads the subscriptions defines "matching".
 */
export function createFanOut(
  { catalogue, schedules, wake }: WebhookRoom,
  clock: Clock,
  monotonic_ms: () => number,
): FanOut {
  const looks = new WeakMap<Transaction, LookAhead>()
  const look = (tx: Transaction, organization_id: string, types: ReadonlySet<string>) =>
    tx.rowsBefore<Subscriber>(sql`
      select id, status, api_version, payload, sensitive_data, events from webhook_subscriptions
      where organization_id = ${organization_id} and status <> 'deleted' and events && ${[...types]}::text[]`)
  const subscribersOf = (tx: Transaction, organization_id: string, types: ReadonlySet<string>) => {
    const ahead = looks.get(tx)
    const is_good = ahead && monotonic_ms() - ahead.at_ms <= look_ahead_ms && types.isSubsetOf(ahead.types)
    return is_good ? ahead.subscribers : look(tx, organization_id, types)
  }
  const fanOut: FanOut = async (tx, { organization_id, trace_id }, events) => {
    const subscribers = await subscribersOf(tx, organization_id, new Set(events.map(({ type }) => type.type)))
    const sendings = events.flatMap(({ type: { type: name }, ...event }): Sending[] => {
      // An event about a subscription goes to the others: one that is disabled could not be told anyway.
      const to = subscribers.filter(
        (one) => one.events.includes(name) && !event.entries.some(({ webhook_id }) => webhook_id === one.id),
      )
      if (to.length === 0) return []
      const type = catalogue.get(name)
      if (!type) throw new Error(`${name} is not in the catalogue`)
      return [{ type, event: { ...event, organization_id, trace_id, is_simulation: false }, to }]
    })
    if (sendings.length === 0) return
    const origin = {
      origin: 'event',
      schedule_id: await schedules.current(tx),
      newId: () => newId(clock.now()),
    } as const
    const deliveries = insertDeliveries(tx, organization_id, origin, sendings)
    const due = deliveries.filter(({ status }) => status === 'pending')
    if (due.length > 0) tx.afterCommit(() => wake.due(due.map(({ subscription_id }) => subscription_id)))
  }
  fanOut.expect = (tx, organization_id, expected) => {
    const types = new Set(expected.map(({ type }) => type))
    const subscribers = look(tx, organization_id, types)
    // Looked at by the fan-out, if the change comes to it.
    subscribers.catch(() => undefined)
    looks.set(tx, { types, at_ms: monotonic_ms(), subscribers })
  }
  return fanOut
}

/**
 * Writes deliveries, due now or held, with the bodies of their events where those are not stored yet. Bodies are serialised
 * once per distinct rendering.
 */
export function insertDeliveries(
  tx: Transaction,
  organization_id: string,
  { origin, schedule_id, newId: nextId }: { origin: DeliveryOrigin; schedule_id: number; newId(): string },
  sendings: readonly Sending[],
) {
  const bodies = new Map<string, { event_id: string; rendering: string; body: Buffer }>()
  const deliveries = sendings.flatMap(({ type, event, to, ...source }) =>
    to.map(({ id: subscription_id, status, ...choice }) => {
      const { event_id, is_simulation, trace_id } = event
      const rendering = renderingOf(type, choice)
      const place = `${event_id} ${rendering}`
      if (!bodies.has(place)) bodies.set(place, { event_id, rendering, body: bodyOf(type, event, choice) })
      const waits =
        status === 'disabled'
          ? ({ status: 'held', hold_reason: 'disabled' } as const)
          : ({ status: 'pending' } as const)
      const event_type = type.type.type
      const facts = { event_id, event_type, is_simulation, trace_id }
      return { id: nextId(), ...facts, subscription_id, rendering, ...waits, ...source }
    }),
  )
  const rows = [...bodies.values()]
  // A new event needs no look whether its rows are there: that is a second record in the log for each.
  const unless_stored = raw(origin === 'event' || origin === 'simulation' ? '' : 'on conflict do nothing')
  tx.insert(sql`
    insert into event_bodies (organization_id, event_id, rendering, body, sha256)
    select ${organization_id}::uuid, b.event_id, b.rendering, b.body, sha256(b.body)
    from unnest(${rows.map(({ event_id }) => event_id)}::uuid[], ${rows.map(({ rendering }) => rendering)}::text[],
                ${rows.map(({ body }) => body)}::bytea[]) as b (event_id, rendering, body)
    ${unless_stored}`)
  tx.insert(sql`
    insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation,
      rendering, trace_id, origin, source_delivery_id, replay_id, status, hold_reason, schedule_id, next_attempt_at, created_at,
      updated_at)
    select ${organization_id}::uuid, d.event_id, d.id, d.subscription_id, d.event_type, d.is_simulation, d.rendering,
      d.trace_id, ${origin}::text, d.source_delivery_id, d.replay_id, d.status, d.hold_reason, ${schedule_id}::smallint,
      case when d.status = 'pending' then app_now() end, app_now(), app_now()
    from json_populate_recordset(null::webhook_open_deliveries, ${JSON.stringify(deliveries)}::json) d`)
  return deliveries
}
