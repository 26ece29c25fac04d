import { flushCompileCache } from 'node:module'
import { loadConfig } from '#server/config.ts'
import { consoleAddress } from '#server/console-address.ts'
import { seedDemo } from '#server/demo/seed.ts'
import { welcome } from '#server/demo/welcome.ts'
import { start } from '#server/main.ts'
import { offerSetUp } from '#server/set-up-offer.ts'
import { collectGarbage } from '../collect-garbage.ts'
import { type Command, exitStatus, type Flags, textFlag } from '../command.ts'

/** Later than the first calls, which wait for nothing then. */
const tidy_after_ms = 5_000

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service (what `npm start` runs)',
  usage: '[--roles api,worker] [--demo]',
  flags: { roles: { type: 'string' }, demo: { type: 'boolean' } },
  help: {
    'roles <list>': 'What this process does: api, worker or both (default both).',
    demo: 'Fill a new, empty database with a demo organization and print a token and a sign-in.',
  },
  async run(flags) {
    // Listened for from the first moment: a signal that comes during the start must not leave the database running.
    const stopped = stopSignal()
    const config = loadConfig(withRoles(flags))
    const running = await start(config)
    try {
      const demo = flags.demo ? await seedDemo(running) : undefined
      const set_up_file = config.STINT_ROLES.includes('api') ? await offerSetUp(config, running.storage.database) : null
      process.stdout.write(`${welcome(running, consoleAddress(config), { demo, set_up_file })}\n`)
      // Written now and not at the exit, which a kill would skip: the next start takes 0.2 s less.
      flushCompileCache()
      // Half of what the process holds is left of the start, and V8 never looks while it idles: 256 MiB become 124, once,
      // for a pause of 0.1 s.
      setTimeout(collectGarbage, tidy_after_ms).unref()
      await stopped
    } finally {
      await running.stop()
    }
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
