import { createLog } from '#core/log.ts'
import { loadConfig } from '#server/config.ts'
import { openServerBeside } from '#server/database-server.ts'
import { openStorage, type Storage } from '#server/open-storage.ts'

/** Opens the storage of the configured service for one operator command and closes it afterwards. */
export async function withStorage<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const config = loadConfig()
  const storage = await openStorage(config, await openServerBeside(config, createLog('warn')))
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}
