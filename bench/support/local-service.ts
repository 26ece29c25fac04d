import { settingsTable } from '#boot/config.ts'
import { createWholeService, type WholeService } from '#boot/service.ts'
import { readSettings } from '#boot/settings.ts'
import { createLog } from '#core/log.ts'
import { type Database, openDatabase } from '#db/database.ts'
import type { Installation } from './installation.ts'

export interface LocalService extends WholeService, AsyncDisposable {
  database: Database
}

/** The service in this process, on the database of an installation; its workers are not started. */
export function openLocalService(
  { connection, secrets, service }: Installation,
  connections_max: number,
  settings: Record<string, string> = {},
): LocalService {
  const database = openDatabase(connection, { connections_max })
  const local = createWholeService({
    config: readSettings(settingsTable, { STINT_RATE_LIMIT_REQUESTS: '1000000', ...settings }),
    origin: service.origin,
    database,
    connection,
    secrets,
    clock: { now: Date.now },
    log: createLog('silent'),
    strict: false,
  })
  return {
    ...local,
    database,
    async [Symbol.asyncDispose]() {
      await local.stopWorkers()
      await local.app.close()
      await local.close()
      await database.close()
    },
  }
}
