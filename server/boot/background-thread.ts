import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '#core/clock.ts'
import { createLog, gathered } from '#core/log.ts'
import { metrics } from '#core/metrics.ts'
import { watchPool } from '#core/pool-metrics.ts'
import { tidyLater } from '#core/tidy.ts'
import { openDatabase } from '#db/database.ts'
import { openSecretsFile } from '#operator/secrets-file.ts'
import { createBackground } from './background.ts'
import type { Order, Question, ThreadParts } from './start-background.ts'

/** The other side of `start-background.ts`: what runs in the thread. */

/** Timers, clean-up and the hourly look; the engine has a pool of its own. */
const connections_max = 3

if (isMainThread || !parentPort) throw new Error('this file is the program of a thread')
const main = parentPort
const { config, origin, connection, secrets_file, is_alone }: ThreadParts = workerData
const lines = gathered((text) => main.postMessage(text))
const database = openDatabase(connection, { connections_max })
watchPool('background', database.pool)
const background = createBackground({
  ...{ config, origin, connection, database, is_alone },
  secrets: openSecretsFile(secrets_file, false),
  clock: systemClock,
  log: createLog(config.STINT_LOG_LEVEL, lines),
  strict: false,
})

const answers: Record<Question, () => unknown> = {
  start() {
    tidyLater()
    return background.start()
  },
  fault: background.fault,
  metrics: () => metrics.getMetricsAsJSON(),
  stop: background.stop,
  async close() {
    await background.close()
    await database.close()
    lines.flushSync()
    main.close()
  },
}

main.on('message', async (order: Order) => {
  if ('due' in order) background.due(order.due)
  else if ('changed' in order) background.changed(order.changed)
  else order.answer.postMessage(await answers[order.question]())
})
