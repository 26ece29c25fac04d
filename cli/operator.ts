import { createLog } from '#core/log.ts'
import type { Config } from '#server/config.ts'
import { refuseDataDir } from '#server/data-dir.ts'
import { openServerBeside } from '#server/database-server.ts'
import { openStorage, type Storage } from '#server/open-storage.ts'
import { commandSettings, tell } from './settings.ts'

/** Opens the storage of the configured service for one operator command and closes it afterwards. */
export async function withStorage<Result>(
  work: (storage: Storage, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = commandSettings()
  const storage = await openServerBeside(config, createLog('warn', process.stderr), { tell })
    .then((server) => openStorage(config, server))
    .catch((error: unknown) => {
      throw refuseDataDir(config, error)
    })
  try {
    return await work(storage, config)
  } finally {
    await storage.close()
  }
}
