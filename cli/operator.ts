import { createLog } from '#core/log.ts'
import type { Config } from '#server/config.ts'
import { openServerBeside } from '#server/database-server.ts'
import { openStorage, type Storage } from '#server/open-storage.ts'
import { commandSettings } from './settings.ts'

/** Opens the storage of the configured service for one operator command and closes it afterwards. */
export async function withStorage<Result>(
  work: (storage: Storage, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = commandSettings()
  const storage = await openStorage(config, await openServerBeside(config, createLog('warn')))
  try {
    return await work(storage, config)
  } finally {
    await storage.close()
  }
}
