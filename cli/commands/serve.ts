import { createLog } from '#core/log.ts'
import { openDatabaseServer } from '#server/database-server.ts'
import { type Command, exitStatus, type Flags, textFlag } from '../command.ts'
import { commandSettings } from '../settings.ts'

export const serve: Command = {
  usage: '[--roles api,worker] [--demo]',
  flags: { roles: { type: 'string' }, demo: { type: 'boolean' } },
  help: {
    'roles <list>': 'What this process does: api, worker or both (default both).',
    demo: 'Fill a new, empty database with a demo organization and print a token and a sign-in.',
  },
  about:
    'Prints where it answers on standard error, and its log, one JSON object a line, on standard output. SIGTERM or Ctrl-C\nstops it in order; a second one ends it at once.',
  examples: ['serve --demo', 'serve --roles worker'],
  has_result: false,
  async run(flags) {
    // Listened for from the first moment: a signal that comes during the start must not leave the database running.
    const stopped = stopSignal()
    const config = commandSettings(withRoles(flags))
    const log = createLog(config.STINT_LOG_LEVEL)
    const launched = Promise.withResolvers<void>()
    const server = openDatabaseServer(config, log, launched.resolve)
    // Loading keeps this process busy for 0.1 s, which PostgreSQL, once launched, takes to get ready.
    await Promise.race([launched.promise, server])
    const { serveUntil } = await import('../serve-until.ts')
    await serveUntil(stopped, { config, log, server, demo: flags.demo === true })
    return exitStatus.ok
  },
}

function withRoles(flags: Flags): NodeJS.ProcessEnv {
  const roles = textFlag(flags, 'roles')
  return roles ? { ...process.env, STINT_ROLES: roles } : process.env
}

/** Resolves at the first signal, which stops gracefully; a second one ends at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false
    const stop = () => {
      if (stopping) process.exit(exitStatus.failed)
      stopping = true
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}
