import type pg from 'pg'
import { settingsTable } from '#boot/config.ts'
import { createWholeService } from '#boot/service.ts'
import { readSettings } from '#boot/settings.ts'
import { createLog } from '#core/log.ts'
import { openDatabase } from '#db/database.ts'

/** The order to a peer: send one form many times at once. Its answers name the path. */
export interface PeerTask {
  path: string
  form: Record<string, string>
  times: number
}

interface PeerSetting {
  connection: pg.PoolConfig
  sealing_keys: { id: string; key: string }[]
}

const { connection, sealing_keys } = JSON.parse(process.argv[2] ?? '') as PeerSetting

const service = createWholeService({
  config: readSettings(settingsTable, {}),
  origin: 'https://stint.test',
  database: openDatabase(connection, { connections_max: 10 }),
  connection,
  secrets: { sealing_keys: sealing_keys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') })) },
  clock: { now: Date.now },
  log: createLog('fatal', { write: () => undefined }),
  strict: true,
})
await service.app.ready()

process.on('message', async ({ path, form, times }: PeerTask) => {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) =>
      service.app.inject({
        method: 'POST',
        url: path,
        remoteAddress: `10.0.0.${index}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(form).toString(),
      }),
    ),
  )
  const told = answers.map(({ statusCode, body }) => ({
    status: statusCode,
    body: body === '' ? null : JSON.parse(body),
  }))
  process.send?.({ path, answers: told })
})
process.send?.('ready')
