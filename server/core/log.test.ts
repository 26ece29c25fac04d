import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { useTestDatabase } from '#test/database.ts'
import { createLog, gathered } from './log.ts'

test('an error of the database is logged with its code and constraint, and without the row that it quotes', async (t) => {
  const { database } = await useTestDatabase(t)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const twice = database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`insert into users (id, email, name, created_at, updated_at)
      select gen_random_uuid(), 'nora@harbour.example', 'Nora', app_now(), app_now() from generate_series(1, 2)`),
  )
  await twice.catch((err: unknown) => log.error({ err }, 'request'))
  const { err } = JSON.parse(lines.join(''))
  assert.deepEqual([err.code, err.constraint], ['23505', 'users_email'])
  assert.match(err.stack, /duplicate key value/)
  assert.ok(!lines.join('').includes('nora@harbour.example'))
})

test('lines leave as one text 20 ms after the first of them, or when they are many; without lines nothing runs', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const passed: string[] = []
  const lines = gathered((text) => passed.push(text))
  t.mock.timers.tick(1_000)
  for (const line of ['one\n', 'two\n']) lines.write(line)
  t.mock.timers.tick(19)
  assert.deepEqual(passed, [])
  t.mock.timers.tick(1)
  assert.deepEqual(passed, ['one\ntwo\n'])
  lines.write('x'.repeat(16_000))
  assert.equal(passed.length, 2)
  t.mock.timers.tick(1_000)
  assert.equal(passed.length, 2)
})

const endings: [name: string, statement: string, status: number][] = [
  ['returns', '', 0],
  ['exits', 'process.exit(3)', 3],
  ['throws', "throw new Error('broken')", 1],
]
for (const [name, statement, status] of endings)
  test(`what was logged before the process ${name} is on standard output`, () => {
    const program = `import { createLog } from '#core/log.ts'
      const log = createLog('info')
      for (let line = 0; line < 1_000; line += 1) log.info({ line }, 'counted')
      ${statement}`
    const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
    assert.equal(ended.status, status, ended.stderr)
    const lines = ended.stdout.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).line),
      Array.from({ length: 1_000 }, (_, line) => line),
    )
  })

test('regression: a reader of the log that goes away does not stop the process', { timeout: 60_000 }, async () => {
  const program = `import { createLog } from '#core/log.ts'
    const log = createLog('info')
    let line = 0
    setInterval(() => {
      log.info({ line }, 'counted')
      line += 1
      process.send(line)
    }, 1)`
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: [...stdio] })
  await once(child, 'message')
  child.stdout?.destroy()
  for (let turns = 0; turns < 20; turns += 1) await once(child, 'message')
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [null, 'SIGTERM'])
})
