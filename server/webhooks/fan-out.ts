import type { Clock } from '#core/clock.ts'
import type { FanOut } from '#core/event.ts'
import type { RegisteredEvent } from '#core/registry.ts'
import { idPattern, newId } from '#core/values.ts'
import { type DeliverySeed, insertDeliveries, matchingSubscriptions, type Subscriber } from './delivery.store.ts'
import { bodyOf, renderingOf } from './event-body.ts'
import type { WebhookRoom } from './room.ts'

/** One event, with the parts that do not depend on its subscribers. */
interface Fact {
  type: RegisteredEvent
  event_id: string
  organization_id: string
  occurred_at: string
  is_simulation: boolean
  entries: readonly Record<string, unknown>[]
}

/**
 * Writes one delivery per matching subscription in the transaction of the event. It only reads configuration and
 * inserts rows: no lane or subscription is locked, so a business change never waits for the engine. The snapshot that
 * reads the subscriptions defines "matching".
 */
export function createFanOut({ catalogue, schedules, wake }: WebhookRoom, clock: Clock): FanOut {
  return async (tx, { organization_id }, events) => {
    const types = [...new Set(events.map(({ type }) => type.type))]
    const subscribers = await matchingSubscriptions(tx, organization_id, types)
    if (subscribers.length === 0) return
    const seeds = events.flatMap(({ type: { type: name }, event_id, occurred_at, entries }) => {
      const type = catalogue.get(name)
      if (!type) throw new Error(`${name} is not in the catalogue`)
      const fact = { type, event_id, organization_id, occurred_at, is_simulation: false, entries }
      const matching = subscribers.filter((subscriber) => matches(subscriber, fact))
      return matching.length === 0 ? [] : [seedOf(fact, matching, () => newId(clock.now()))]
    })
    if (seeds.length === 0) return
    await insertDeliveries(tx, organization_id, 'event', await schedules.current(tx), seeds)
    const due = seeds.flatMap(({ deliveries }) => deliveries.filter(({ is_held }) => !is_held))
    if (due.length > 0) tx.afterCommit(() => wake.due(due.map(({ subscription_id }) => subscription_id)))
  }
}

/** An event about a subscription goes to the others: one that is disabled could not be told anyway. */
function matches(subscriber: Subscriber, { type, entries }: Fact): boolean {
  return subscriber.events.includes(type.type.type) && !entries.some(({ webhook_id }) => webhook_id === subscriber.id)
}

/** Bodies are serialised once per distinct rendering. */
export function seedOf(fact: Fact, subscribers: readonly Subscriber[], nextId: () => string): DeliverySeed {
  const bodies = new Map<string, Buffer>()
  const deliveries = subscribers.map(({ id, status, ...choice }) => {
    const rendering = renderingOf(fact.type, choice)
    if (!bodies.has(rendering)) bodies.set(rendering, bodyOf(fact.type, fact, choice))
    return { id: nextId(), subscription_id: id, rendering, is_held: status === 'disabled' }
  })
  const { event_id, is_simulation, entries } = fact
  return {
    event_id,
    event_type: fact.type.type.type,
    is_simulation,
    resource_ids: resourceIdsOf(entries),
    bodies,
    deliveries,
  }
}

const id = new RegExp(idPattern)

/** An event has at most 100 entries of a handful of identifiers; more than this are not kept for the filter. */
const ids_max = 1_000

/** Every identifier found in the entries of an event, each once: what the filter `resource_id` finds it by. */
function resourceIdsOf(entries: readonly object[]): string[] {
  const found = new Set<string>()
  collect(entries, found)
  return [...found]
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') {
    if (value.length === 36 && found.size < ids_max && id.test(value)) found.add(value)
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, found)
  }
}
