import type { Config } from '#boot/config.ts'
import { openServerBeside } from '#boot/database-server.ts'
import { openStorage, type Storage } from '#boot/open-storage.ts'
import { createLog } from '#core/log.ts'
import { refuseDataDir } from '#db/make-folder.ts'
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
