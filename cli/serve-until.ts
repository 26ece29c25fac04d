import { rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '#boot/config.ts'
import type { DatabaseServer } from '#boot/database-server.ts'
import { seedDemo } from '#boot/demo/seed.ts'
import { welcome } from '#boot/demo/welcome.ts'
import { offerSetUp } from '#boot/set-up-offer.ts'
import { tidyLater } from '#core/tidy.ts'
import { type Running, start } from '#server/main.ts'
import { exitStatus } from './command.ts'

export interface Serving {
  config: Config
  log: Logger
  server: Promise<DatabaseServer>
  /** Fill a new, empty database first. */
  demo: boolean
}

/** Runs the service until `stop` is aborted, which a start heeds at every step, and tells whoever started it how to reach it. */
export async function serveUntil(stop: AbortSignal, serving: Serving): Promise<void> {
  const stopped = untilAborted(stop)
  const running = await Promise.race([start(serving.config, serving.log, serving.server), stopped])
  if (!running) return endStart(serving)
  try {
    await Promise.race([greet(running, serving), stopped])
    await stopped
  } finally {
    await running.stop()
  }
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  if (signal.aborted) resolve(undefined)
  else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return promise
}

/** All that a start writes is whole or not at all, so it need not be waited for; nothing it opened may keep the process. */
async function endStart({ log, server }: Serving): Promise<never> {
  await server.then(
    (opened) => opened.end(),
    () => undefined,
  )
  log.info('start_ended')
  process.exit(exitStatus.ok)
}

async function greet(running: Running, { config, demo }: Serving): Promise<void> {
  const demo_file = join(config.STINT_DATA_DIR, 'demo-credentials')
  const seeded = demo ? await seedDemo(running, demo_file) : undefined
  const set_up_file = config.STINT_ROLES.includes('api') ? await offerSetUp(config, running.storage.database) : null
  const is_terminal = process.stderr.isTTY === true
  process.stderr.write(welcome(running, config, { demo: seeded, demo_file, set_up_file, is_terminal }))
  // Shown now, so they need not lie about.
  if (seeded && is_terminal) await rm(demo_file, { force: true })
  // Written now and not at the exit, which a kill would skip: the next start takes 0.2 s less.
  flushCompileCache()
  tidyLater()
}
