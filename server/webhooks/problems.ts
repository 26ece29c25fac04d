import { nearestWord } from '#core/nearest-word.ts'
import { defineProblem, type Problem, validationFailed } from '#core/problems.ts'
import { errors_max } from '#core/schema/validate.ts'
import type { UrlRefusalCode } from '#outbound/url-rules.ts'

const advice = 'Give the https:// address of a receiver on the internet, without a password and without a fragment.'

/** The setting a receiver on a developer's own machine or network needs; whether it is set, and to what, is not told. */
export const way_to_private_networks =
  'For a receiver on a private network or this machine, the operator of the service can allow it with WEBHOOK_ALLOWED_NETWORKS (and other private names with WEBHOOK_ALLOWED_HOSTS).'
const public_only = `Give an address that is reachable from the internet. ${way_to_private_networks}`

const refusedUrl = (code: UrlRefusalCode, title: string, what_to_do = advice) =>
  defineProblem({ code, status: 422, title, advice: what_to_do })

/** Why a receiver url is refused (webhooks.md section 7). */
export const urlProblems = {
  url_invalid: refusedUrl('url_invalid', 'The url is not valid'),
  url_not_https: refusedUrl('url_not_https', 'The url is not https'),
  url_credentials: refusedUrl('url_credentials', 'The url contains credentials'),
  url_fragment: refusedUrl('url_fragment', 'The url contains a fragment'),
  url_port_forbidden: refusedUrl('url_port_forbidden', 'The port of the url is not allowed'),
  url_host_forbidden: refusedUrl('url_host_forbidden', 'The host of the url is not a public name', public_only),
  url_own_host: refusedUrl('url_own_host', 'The url leads to this service itself'),
  url_address_forbidden: refusedUrl('url_address_forbidden', 'The address of the url is not a public one', public_only),
} satisfies Record<UrlRefusalCode, unknown>

export const unknownEventType = defineProblem({
  code: 'unknown_event_type',
  status: 422,
  title: 'An event type does not exist',
  advice: 'Use names from GET /webhooks/events, each written out.',
})

/** Refuses names that the catalogue does not have, each with the known one that was most likely meant. */
export function refuseUnknownTypes(
  names: readonly string[],
  catalogue: ReadonlyMap<string, unknown>,
  pointerOf: (index: number) => string,
): void {
  const unknown = names.flatMap((name, index) => (catalogue.has(name) ? [] : [{ name, pointer: pointerOf(index) }]))
  if (unknown.length === 0) return
  const errors = unknown.slice(0, errors_max).map(({ name, pointer }) => {
    const nearest = nearestWord(name, catalogue.keys())
    return { pointer, message: `${name} is not an event type${nearest ? `; did you mean ${nearest}?` : ''}` }
  })
  throw unknownEventType(`There is no event type ${unknown.map(({ name }) => name).join(', ')}.`, { errors })
}

export const labelInUse = defineProblem({
  code: 'label_in_use',
  status: 409,
  title: 'Another signing key has this label',
  advice: 'Choose a label that no signing key of the organization has, or give none.',
})
export const rotationOpen = defineProblem({
  code: 'rotation_open',
  status: 409,
  title: 'Two signing keys are live already',
  advice: 'Wait until the previous key retires, or delete the one that is not needed.',
})
export const keyIsPrimary = defineProblem({
  code: 'key_is_primary',
  status: 409,
  title: 'The primary signing key cannot be deleted',
  advice: 'Rotate first; the replaced key can then be deleted at once.',
})
export const subscriptionLimitReached = defineProblem({
  code: 'subscription_limit_reached',
  status: 409,
  title: 'The organization has as many subscriptions as it may have',
  advice: 'Delete a subscription, or subscribe an existing one to more event types.',
})
export const subscriptionDisabled = defineProblem({
  code: 'subscription_disabled',
  status: 409,
  title: 'The subscription is disabled',
  advice: 'Enable it first: POST /webhooks/{id}/enable.',
})
export const notSubscribed = defineProblem({
  code: 'not_subscribed',
  status: 422,
  title: 'The subscription does not list this event type',
  advice: 'Add the event type to `events` of the subscription first.',
})
export const simulationLimit = defineProblem({
  code: 'simulation_limit',
  status: 429,
  title: 'Too many simulations',
  advice: 'A subscription takes 10 simulations per hour. Wait as long as `Retry-After` says.',
})
export const deliveryBusy = defineProblem({
  code: 'delivery_busy',
  status: 409,
  title: 'The delivery is under way or held',
  advice: 'Wait for the running attempt; a held delivery is sent when the subscription is enabled.',
})

export const cursorExpired = defineProblem({
  code: 'cursor_expired',
  status: 410,
  title: 'Events after this cursor are no longer kept',
  advice: 'Events were missed. Read what matters through the REST API, then begin without a cursor.',
})

export const replayRunning = defineProblem({
  code: 'replay_running',
  status: 409,
  title: 'The subscription has a replay that is not finished',
  advice: 'Wait until it is completed, see GET /webhooks/{id}/replays, or cancel it.',
})
export const replayFinished = defineProblem({
  code: 'replay_finished',
  status: 409,
  title: 'The replay is finished',
  advice: 'A replay that is completed or cancelled stays as it is; start another one instead.',
})
export const rangeOutsideRetention = defineProblem({
  code: 'range_outside_retention',
  status: 422,
  title: 'The time span begins before what is kept',
  advice: 'Begin the time span within the retention of deliveries, which `detail` names.',
})

/** The refusal of one field for a reason that no schema can tell. */
export function fieldRefused(pointer: string, message: string): Problem {
  return validationFailed(undefined, { errors: [{ pointer, message }] })
}
