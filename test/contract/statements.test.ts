import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import pg from 'pg'
import { openWays } from '#test/hot-ways.ts'

const documented = new URL('../../docs/performance.md', import.meta.url)
const warm_up_calls = 2
/** The least of these counts: a round of the engine, once a second, falls into some of them only. */
const measured_calls = 4

test('the hot ways send the database as many statements as docs/performance.md says', async (t) => {
  let sent = 0
  const { query } = pg.Client.prototype
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, asked: string | { text: string }) {
    sent += (typeof asked === 'string' ? asked : asked.text).split(';').filter((part) => part.trim() !== '').length
    return Reflect.apply(query, this, [asked])
  })
  const { ways, close } = await openWays()
  const counted = new Map<string, number>()
  for (const { name, call, beyond } of ways) {
    let least = Number.POSITIVE_INFINITY
    for (let calls = 0; calls < warm_up_calls + measured_calls; calls += 1) {
      const before = sent
      await call()
      if (calls >= warm_up_calls) least = Math.min(least, sent - before)
    }
    counted.set(name, least - (beyond ? (counted.get(beyond) ?? 0) : 0))
  }
  await close()
  const table = (await readFile(documented, 'utf8')).matchAll(/^\| ([^|]+) \| (\d+) statements/gm)
  assert.deepEqual(
    [...counted],
    [...table].map(([, name, statements]) => [name, Number(statements)]),
  )
})
