import { nearestWord } from '#core/nearest-word.ts'
import { type Command, exitStatus, type Flags, print, textFlag, UsageError } from '../command.ts'
import { send } from '../service/client.ts'
import { type Connection, connect, profileOption } from '../service/connection.ts'
import type { Json } from '../service/document.ts'
import { operationCommands } from '../service/document.ts'
import { callOperation } from '../service/operation-command.ts'

interface Subscription {
  id: string
  url: string
  status: string
  events: string[]
  created_at: string
}

const subscriptions_max = 100

export const trigger: Command = {
  usage: '<event type> [--webhook <id>]',
  about: `The service sends the example of its catalogue, marked \`is_simulation\`, signed and repeated like a real event, to one
subscription: 10 an hour for each. Needs: a token with webhooks:write, and a subscription that lists the type.
To have simulations forwarded to a program on this machine, run \`stint listen --webhook <id>\` beside it.`,
  options: {
    'webhook <id>': 'The subscription (default: the newest active one that lists the type).',
    'dry-run': 'Try it: nothing is sent.',
    ...profileOption,
  },
  examples: ['trigger contract.created', 'trigger payment.completed --webhook 019bb16e-fe80-7b02-b1c4-90aa3e5d7f62'],
  calls_service: true,
  words_max: 1,
  async run(flags, [event_type]) {
    if (!event_type)
      throw new UsageError('name an event type, such as contract.created; `stint webhooks list-event-types` lists all')
    const connection = connect(flags)
    const webhook_id = textFlag(flags, 'webhook') ?? (await findSubscription(connection, event_type)).id
    const operation = operationCommands().find(({ id }) => id === 'webhooks.simulate')
    if (!operation) throw new Error('the reference has no webhooks.simulate')
    const path = `/webhooks/${encodeURIComponent(webhook_id)}/simulate`
    const { body } = await callOperation(connection, operation, { path, input: { event_type }, flags })
    tellSent(flags, event_type, webhook_id, body as Json)
    return exitStatus.ok
  },
}

function tellSent(flags: Flags, event_type: string, webhook_id: string, delivery: Json): void {
  const sent = [
    `${event_type} ${delivery.event_id} is on its way to the subscription ${webhook_id}`,
    `What becomes of it: stint deliveries show ${webhook_id} ${delivery.id}`,
  ]
  print(flags, delivery, flags['dry-run'] ? [`${event_type} could be sent to the subscription ${webhook_id}`] : sent)
}

async function findSubscription(connection: Connection, event_type: string): Promise<Subscription> {
  const request = { method: 'GET', path: `/webhooks?limit=${subscriptions_max}`, is_repeatable: true }
  // The cast holds because the list answers subscriptions, newest first.
  const { data } = (await send(connection, request)).body as { data: Subscription[] }
  const found = data.find(({ status, events }) => status === 'active' && events.includes(event_type))
  if (found) return found
  const near = nearestWord(event_type, await eventTypes(connection))
  if (near !== event_type)
    throw new UsageError(
      `there is no event type ${event_type}${near ? `; did you mean ${near}?` : ''} \`stint webhooks list-event-types\` lists all`,
    )
  throw new UsageError(
    `no active subscription lists ${event_type}: \`stint webhooks create --url https://… --events ${event_type}\` makes one`,
  )
}

async function eventTypes(connection: Connection): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { body } = await send(connection, {
      method: 'GET',
      path: `/webhooks/events?limit=100${more}`,
      is_repeatable: true,
    })
    // The cast holds because the catalogue is a list of named types.
    const page = body as { data: { name: string }[]; cursor: string | null }
    names.push(...page.data.map(({ name }) => name))
    cursor = page.cursor
  }
  return names
}
