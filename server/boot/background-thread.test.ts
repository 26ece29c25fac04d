import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createLog } from '#core/log.ts'
import { freePort, startServiceProcess, usedDataFolder } from '#test/process.ts'
import { dataFolder } from '#test/stint.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'
import { createBackgroundThread } from './start-background.ts'

/** Another process looks until the events have their places in the feed, which only the background gives. */
const untilNumbered = `
  import pg from 'pg'
  const client = new pg.Client(JSON.parse(process.argv[1]))
  await client.connect()
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const { rows } = await client.query('select from events where feed_seq is null')
    if (rows.length === 0) process.exit(0)
  }
  process.exit(1)`

test('the background works while the event loop of the callers stands still, tells its metrics and log, and ends', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service, receiver } = bench
  const secrets_file = join(await dataFolder(t), 'secrets.json')
  const sealing_keys = service.runtime.secrets.sealing_keys.map(({ id, key }) => ({ id, key: key.toString('base64') }))
  await writeFile(secrets_file, JSON.stringify({ sealing_keys }))
  const lines: string[] = []
  const background = createBackgroundThread(
    {
      ...{ config: service.config, origin: 'https://stint.test', secrets_file, is_alone: true },
      connection: service.database.connection,
    },
    createLog('info', { write: (line: string) => void lines.push(line) }),
  )
  await background.start()
  const { id } = await bench.subscribe()
  await bench.cause()
  background.due([id])

  execFileSync(process.execPath, ['--input-type=module', '-e', untilNumbered, JSON.stringify(service.database.owner)], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  })

  await receiver.waitFor(1)
  assert.equal(await background.fault(), null)
  await background.stop()
  const attempts = (await background.metrics()).find(({ name }) => name === 'webhook_delivery_attempts_total')
  assert.deepEqual(
    attempts?.values.map(({ value }) => value),
    [1],
  )
  await background.close()
  assert.ok(lines.join('').includes('"msg":"webhook_attempt"'), 'its last lines are not lost')
})

test('an error in the background that nobody catches ends the process, which whoever runs it starts again', async (t) => {
  const [started, log, config] = ['./start-background.ts', '../core/log.ts', './config.ts'].map(
    (path) => new URL(path, import.meta.url).href,
  )
  const program = join(await dataFolder(t), 'program.ts')
  await writeFile(
    program,
    `import { createBackgroundThread } from '${started}'
    import { createLog } from '${log}'
    import { loadConfig } from '${config}'
    createBackgroundThread({ config: loadConfig({}), origin: 'https://stint.test', connection: {},
      secrets_file: '/nowhere/secrets.json', is_alone: true }, createLog('info'))
    setInterval(() => undefined, 1_000)`,
  )
  const { status, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 60_000 })
  assert.equal(status, 1)
  assert.match(stderr, /the secrets file \/nowhere\/secrets.json does not exist/)
})

const is_linux = process.platform === 'linux'

test('where callers and deliveries want the same processor, deliveries come first', { skip: !is_linux }, async (t) => {
  const service = await startServiceProcess({ data_dir: await usedDataFolder(t), port: await freePort() })
  t.after(() => service.kill('SIGTERM'))

  const threads = await readdir(`/proc/${service.pid}/task`)
  const niceness = await Promise.all(threads.map((thread) => nicenessOf(service.pid, thread)))

  const of_callers = niceness[threads.indexOf(String(service.pid))] ?? 0
  const own = await nicenessOf(process.pid, String(process.pid))
  assert.ok(of_callers > own, `the callers' thread has ${of_callers}, this process ${own}`)
  assert.equal(niceness.filter((value) => value > own).length, 1, 'no other thread gives way')
})

/** Field 19 of proc(5); the name before it may hold spaces. */
async function nicenessOf(pid: number, thread: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}
