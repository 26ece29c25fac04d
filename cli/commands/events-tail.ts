import { type Command, exitStatus, textFlag } from '../command.ts'
import type { Connected } from '../service/client.ts'
import { connect, profileOption } from '../service/connection.ts'
import { followEvents, latestCursor } from '../service/events.ts'
import { onStopRequests } from '../stop-requests.ts'

export const eventsTail: Command = {
  usage: '[--events <a,b>] [--from <cursor>]',
  options: {
    'events <a,b,…>': 'Event types to print (default: all).',
    'from <cursor>': 'Begin behind this place of the feed, or at `oldest` (default: with what happens from now on).',
    ...profileOption,
  },
  about: 'One line for each event; with --json its whole object. Needs: a token with webhooks:read.',
  examples: ['events tail', 'events tail --events contract.created --json', 'events tail --from oldest'],
  calls_service: true,
  async run(flags) {
    const types = [flags.events ?? []].flat().flatMap((list) => String(list).split(','))
    const connection = connect(flags)
    const given = textFlag(flags, 'from')
    const from = given === 'oldest' ? undefined : (given ?? (await latestCursor(connection, types)))
    const stop = new AbortController()
    onStopRequests({ stop: () => stop.abort(), endAtOnce: () => process.exit(exitStatus.interrupted) })
    try {
      let isFirst = true
      const connected: Connected = (why) => {
        if (isFirst && why === null)
          process.stderr.write(`Following the events at ${connection.origin}; Ctrl-C ends it.\n`)
        isFirst &&= why !== null
      }
      const following = { from, signal: stop.signal, connected }
      for await (const { event } of followEvents(connection, types, following)) {
        const { event_type, event_id, occurred_at } = event.data.meta
        const ids = event.data.resource.map((entry) => Object.values(entry as object)[0]).join(', ')
        process.stdout.write(
          flags.json ? `${JSON.stringify(event)}\n` : `${occurred_at}  ${event_type}  ${event_id}  ${ids}\n`,
        )
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
    return exitStatus.ok
  },
}
