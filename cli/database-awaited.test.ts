import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { freePort } from '#test/process.ts'
import { dataFolder } from '#test/stint.ts'

const program = new URL('./stint.js', import.meta.url).pathname

test('SIGTERM ends a start that waits for its database, in order', async (t) => {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      PATH: process.env.PATH,
      STINT_DATA_DIR: await dataFolder(t),
      DATABASE_URL: `postgres://stint@127.0.0.1:${await freePort()}/stint`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = once(child, 'exit')
  let printed = ''
  for await (const chunk of child.stderr) {
    printed += chunk
    if (!child.killed && printed.includes('waiting for the database of DATABASE_URL')) child.kill('SIGTERM')
  }
  assert.deepEqual(await exit, [0, null], printed)
})
