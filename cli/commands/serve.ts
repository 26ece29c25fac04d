import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Config } from '#boot/config.ts'
import { type DatabaseServer, openDatabaseServer } from '#boot/database-server.ts'
import { createLog } from '#core/log.ts'
import { refuseDataDir } from '#db/make-folder.ts'
import { type Command, exitStatus, type Flags, textFlag } from '../command.ts'
import { commandSettings, tell } from '../settings.ts'
import { onStopRequests } from '../stop-requests.ts'

export const serve: Command = {
  usage: '[--roles api,worker] [--demo]',
  options: {
    'roles <list>': 'What this process does: api, worker or both (default both).',
    demo: 'Fill a new, empty database with a demo organization and print a token and a sign-in.',
  },
  about:
    'Prints where it answers on standard error, and its log, one JSON object a line, on standard output. SIGTERM, SIGHUP\nor Ctrl-C stops it in order; a second Ctrl-C ends it at once.',
  examples: ['serve --demo', 'serve --roles worker'],
  has_result: false,
  async run(flags) {
    // Listened for from the first moment: a signal that comes during the start must not leave the database running.
    const stop = new AbortController()
    let held: DatabaseServer | undefined
    onStopRequests({ stop: () => stop.abort(), endAtOnce: () => endAtOnce(held) })
    const config = await withPorts(commandSettings(withRoles(flags)))
    const log = createLog(config.STINT_LOG_LEVEL)
    const launched = Promise.withResolvers<void>()
    const server = openDatabaseServer(config, log, { launched: launched.resolve, signal: stop.signal, tell })
    try {
      // Loading keeps this process busy for 0.1 s, which PostgreSQL, once launched, takes to get ready.
      await Promise.race([launched.promise, server.then((opened) => (held = opened))])
      const { serveUntil } = await import('../serve-until.ts')
      await serveUntil(stop.signal, { config, log, server, demo: flags.demo === true })
    } catch (error) {
      if (!stop.signal.aborted) throw refuseDataDir(config, error)
      // The abort ends a start by this very reason; every other error is a fault of the shutdown, which its log tells.
      if (error !== stop.signal.reason && (error as Error).name !== 'AbortError')
        log.error({ err: error }, 'stop_failed')
      log.info('start_ended')
    }
    return exitStatus.ok
  },
}

function withRoles(flags: Flags): NodeJS.ProcessEnv {
  const roles = textFlag(flags, 'roles')
  return roles ? { ...process.env, STINT_ROLES: roles } : process.env
}

/** Every address that the service issues holds its port, and no receiver may be at ours: free ones are chosen before anything is made. */
async function withPorts(config: Config): Promise<Config> {
  const { STINT_PORT, STINT_HOST, STINT_MANAGEMENT_PORT } = config
  return {
    ...config,
    STINT_PORT: STINT_PORT || (await freePort(STINT_HOST)),
    STINT_MANAGEMENT_PORT: STINT_MANAGEMENT_PORT || (await freePort('127.0.0.1')),
  }
}

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host)
  await once(probe, 'listening')
  // A server that listens on a port has an address of that kind.
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** All that was promised is on disk, and the database replays it at its next start. */
async function endAtOnce(held: DatabaseServer | undefined): Promise<never> {
  await held?.endAtOnce()
  process.exit(exitStatus.interrupted)
}
