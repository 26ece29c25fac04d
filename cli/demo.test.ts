import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findEmbeddedPostgres } from '@stint/embedded-postgres'
import pg from 'pg'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { dataFolder } from '#test/stint.ts'

const program = new URL('./stint.js', import.meta.url).pathname
const look_every_ms = 2
const looks_max = 30_000

/** Resolves when the first start of a data folder is in the middle of its demo: it holds the lock of the first account. */
async function isSeeding(data_dir: string): Promise<void> {
  let client: pg.Client | undefined
  for (let looks = 0; looks < looks_max; looks += 1) {
    const isHeld = await (async () => {
      const connection = client ? null : await findEmbeddedPostgres(data_dir)
      if (connection) {
        client = new pg.Client(connection)
        client.on('error', () => undefined)
        await client.connect()
      }
      const found = await client?.query(`select from pg_locks where locktype = 'advisory' and objid = 7316413`)
      return found?.rowCount === 1
    })().catch(() => {
      // The server is not there yet, or has no such database yet.
      client = undefined
      return false
    })
    if (isHeld) return client?.end()
    await pause(look_every_ms)
  }
  assert.fail('the demo never began')
}

test('kill -9 in the middle of the first start with --demo ends in a usable demo at the next one', async (t) => {
  const data_dir = await dataFolder(t)
  const port = await freePort()
  const killed = spawn(process.execPath, [program, 'serve', '--demo'], {
    env: {
      PATH: process.env.PATH,
      STINT_DATA_DIR: data_dir,
      STINT_PORT: String(port),
      STINT_MANAGEMENT_PORT: '0',
    },
    stdio: 'ignore',
  })
  const exited = once(killed, 'exit')
  await isSeeding(data_dir)
  killed.kill('SIGKILL')
  await exited

  const service = await startServiceProcess({ data_dir, port, demo: true })
  t.after(() => service.kill('SIGTERM'))
  assert.match(service.printed, /^The demo organization \S+ is ready/m)
  const client = await clientFor(data_dir, service.token ?? '')
  t.after(() => client.close())
  const { body } = await client.call('GET', `${service.origin}/rest/v2/contracts?limit=1`)
  assert.equal(body.pagination?.total_count ?? body.total_count, 15)
})

test('the printed commands work as they are printed, and nothing secret is printed into a pipe', async (t) => {
  const data_dir = await dataFolder(t)
  const service = await startServiceProcess({ data_dir, port: await freePort(), demo: true })
  t.after(() => service.kill('SIGTERM'))
  assert.equal(service.printed.includes(service.token ?? ''), false)
  assert.ok(service.printed.includes(join(data_dir, 'demo-credentials')))
  const [source = '', curl = ''] = service.printed.match(/^ {2}(\. |curl ).*$/gm) ?? []
  const { stdout, stderr } = spawnSync('sh', ['-eu'], { input: `${source}\n${curl} -sS\n`, encoding: 'utf8' })
  assert.equal(JSON.parse(stdout || `"${stderr}"`).data?.length, 3)
})
