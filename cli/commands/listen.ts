import { makeSigningKey } from '#webhooks/signature.ts'
import { type Command, exitStatus, type Flags, textFlag, UsageError } from '../command.ts'
import { type Connected, follow, send } from '../service/client.ts'
import { type Connection, connect, profileOption } from '../service/connection.ts'
import { followEvents, latestCursor } from '../service/events.ts'
import { type Forwarded, forward, type Target, type Try } from '../service/forward.ts'
import { writeProfile } from '../service/profiles.ts'
import { onStopRequests } from '../stop-requests.ts'

const answers_default = 5
const answers_max = 100

export const listen: Command = {
  usage: '--forward-to <url> [--events <a,b>] [--webhook <id>]',
  options: {
    'forward-to <url>': 'Address that gets a POST for each event: https, or http on this machine.',
    'events <a,b,…>': 'Event types to forward (default: all). `stint webhooks list-event-types` lists them.',
    'webhook <id>': 'Also forward the simulations of this subscription, such as those of `stint trigger`.',
    'from <cursor>': 'Begin behind this place of the feed, or at `oldest` (default: with what happens from now on).',
    'tries <n>': `Leave an event after so many answers that are not 2xx, 1 to ${answers_max} (default ${answers_default}).`,
    'key <whsec_…>': 'Sign with this key (default: one that is made once and kept in the profile).',
    ...profileOption,
  },
  about: `Takes the events over a connection that it opens itself, so no tunnel and no public address are needed. Each is sent as a
delivery is: the same body, both signatures, one after the other in the order of the feed.

An event is forwarded at least once: one that was answered 2xx is not sent again while this runs. A receiver that is not
there is waited for, and nothing is passed over meanwhile; one that answers anything but 2xx gets the event again after 1, 2, 4 …
seconds, and after --tries answers the event is left and named. When the connection is lost or the service restarts, it goes on where it
was. At the end it prints the place from which another call goes on: after a kill -9 the event that was on its way comes again.

Needs: a token with webhooks:read.`,
  examples: [
    'listen --forward-to http://localhost:3000/hook',
    'listen --forward-to http://localhost:3000/hook --events contract.created,contract.signed',
    'listen --forward-to http://localhost:3000/hook --from oldest --json',
  ],
  calls_service: true,
  async run(flags) {
    const url = targetUrl(flags)
    const tries = countOf(flags)
    const types = [flags.events ?? []].flat().flatMap((list) => String(list).split(','))
    const connection = connect(flags)
    const from = textFlag(flags, 'from')
    const cursor = from === 'oldest' ? undefined : (from ?? (await latestCursor(connection, types)))
    const signing_key = signingKey(flags, connection)
    const webhook_id = textFlag(flags, 'webhook')
    if (webhook_id) await findWebhook(connection, webhook_id)
    const stop = new AbortController()
    onStopRequests({ stop: () => stop.abort(), endAtOnce: () => process.exit(exitStatus.interrupted) })
    const shown = createDisplay(flags)
    if (!webhook_id) shown.ready(url, signing_key)
    const target: Target = { url, signing_key, answers_max: tries, tried: shown.tried }
    const place = { cursor }
    const opened = () => shown.ready(url, signing_key)
    await untilStopped(stop, [
      forwardFeed(connection, { types, place, target, connected: shown.connected }, stop.signal),
      ...(webhook_id ? [forwardSimulations(connection, { webhook_id, target, opened }, stop.signal)] : []),
    ]).finally(() => shown.ended(place.cursor))
    return exitStatus.ok
  },
}

/** Waits for every way; the failure of one ends the others. */
async function untilStopped(stop: AbortController, ways: readonly Promise<void>[]): Promise<void> {
  const isStop = (error: unknown) => stop.signal.aborted && error === stop.signal.reason
  const ended = ways.map((way) =>
    way.catch((error: unknown) => {
      if (isStop(error)) return
      stop.abort()
      throw error
    }),
  )
  const results = await Promise.allSettled(ended)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

interface Way {
  types: readonly string[]
  /** Moves on with each event that was dealt with. */
  place: { cursor: string | undefined }
  target: Target
  connected: Connected
}

async function forwardFeed(connection: Connection, { types, place, target, connected }: Way, signal: AbortSignal) {
  for await (const { cursor, event } of followEvents(connection, types, { from: place.cursor, signal, connected })) {
    const { event_id, event_type } = event.data.meta
    const forwarded = { event_id, event_type, is_simulation: false, body: JSON.stringify(event) }
    if ((await forward(forwarded, target, signal)) === 'interrupted') return
    place.cursor = cursor
  }
}

/** Simulations are not in the feed: they are deliveries of their subscription, with the body that it got. */
async function forwardSimulations(
  connection: Connection,
  { webhook_id, target, opened }: { webhook_id: string; target: Target; opened(): void },
  signal: AbortSignal,
) {
  const seen = new Set<string>()
  const path = `/webhooks/${encodeURIComponent(webhook_id)}/deliveries`
  // Such a stream tells what comes once it is open.
  let isOpen = false
  const connected: Connected = (why) => {
    if (why === null && !isOpen) opened()
    isOpen ||= why === null
  }
  for await (const { data } of follow(connection, `${path}?origins[]=simulation`, {
    from: undefined,
    signal,
    connected,
  })) {
    const id = String(data.id)
    if (seen.has(id)) continue
    seen.add(id)
    const { body } = await send(connection, { method: 'GET', path: `${path}/${id}`, is_repeatable: true })
    const forwarded = simulationIn(body)
    if (forwarded && (await forward(forwarded, target, signal)) === 'interrupted') return
  }
}

function simulationIn(answer: unknown): Forwarded | null {
  // The cast holds because the operation answers a delivery; its body is null where a category is not granted.
  const delivery = answer as { event_id: string; event_type: string; body: { text: string } | null }
  const { event_id, event_type, body } = delivery
  return body && { event_id, event_type, is_simulation: true, body: body.text }
}

async function findWebhook(connection: Connection, id: string): Promise<void> {
  await send(connection, { method: 'GET', path: `/webhooks/${encodeURIComponent(id)}`, is_repeatable: true })
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

function targetUrl(flags: Flags): string {
  const text = textFlag(flags, 'forward-to')
  if (!text)
    throw new UsageError('--forward-to is missing: the address of your receiver, such as http://localhost:3000/hook')
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--forward-to ${text} is no address such as http://localhost:3000/hook`)
  if (url.protocol === 'http:' && !loopback.test(url.hostname))
    throw new UsageError(
      `--forward-to ${url.origin} is another machine: https only, since events hold names and addresses`,
    )
  return url.href
}

function countOf(flags: Flags): number {
  const tries = Number(textFlag(flags, 'tries') ?? answers_default)
  if (Number.isInteger(tries) && tries >= 1 && tries <= answers_max) return tries
  throw new UsageError(`--tries must be a whole number from 1 to ${answers_max}`)
}

/** The key stays the same between calls, so that the receiver's settings do. */
function signingKey(flags: Flags, { profile, stored }: Connection): string {
  const given = textFlag(flags, 'key') ?? stored?.listen_key
  if (given !== undefined && !/^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(given))
    throw new UsageError('--key must be whsec_ and base64, as the service shows signing keys')
  const key = given ?? makeSigningKey()
  if (given === undefined && profile !== null && stored) writeProfile(profile, { ...stored, listen_key: key })
  return key
}

/** Tells a person, or with --json a program, one line for each try; everything beside them is on standard error. */
function createDisplay({ json }: Flags) {
  const tell = (line: string) => process.stderr.write(`${line}\n`)
  let isAway = false
  let taken = 0
  const left: string[] = []
  return {
    ready(url: string, signing_key: string) {
      tell(`Forwarding to ${url}; Ctrl-C ends it.\nThe signing key of your receiver: ${signing_key}`)
    },
    connected: ((why) => {
      if (why === null && isAway) tell('stint: connected again; nothing is missed')
      if (why !== null && !isAway) tell(`stint: the connection is lost (${why}); trying until it is back`)
      isAway = why !== null
    }) satisfies Connected,
    tried(attempt: Try) {
      const isTaken = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
      if (isTaken) taken += 1
      else if (attempt.again_in_ms === null) left.push(`${attempt.event_type} ${attempt.event_id}`)
      process.stdout.write(json ? `${JSON.stringify(attempt)}\n` : `${lineOf(attempt)}\n`)
    },
    ended(cursor: string | undefined) {
      tell(`Forwarded ${taken}${left.length > 0 ? `, left ${left.length}: ${left.join(', ')}` : ''}.`)
      if (cursor !== undefined) tell(`To go on from here: --from ${cursor}`)
    },
  }
}

function lineOf({ at, event_type, event_id, is_simulation, status, error, took_ms, again_in_ms }: Try): string {
  const again = again_in_ms === null ? '' : `; again in ${again_in_ms / 1_000} s`
  const outcome = status === null ? `${error}${again}` : `${status} in ${took_ms} ms${again}`
  return `${at.slice(11, 23)}  ${event_type}${is_simulation ? ' (simulation)' : ''}  ${event_id}  ${outcome}`
}
