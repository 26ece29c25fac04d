import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { contract, readAllContracts, writeContracts } from './support/load.ts'
import { may_mount, mountSmallDisk } from './support/small-disk.ts'

const kills = Number(process.env.KILLS ?? 0)
const skip = (kills === 0 && 'a fault run: npm run faults') || (!may_mount && 'no disk can be mounted here')

/** Longer than any repetition that gives up would last. */
const full_ms = 20_000
const limit_ms = 60_000

test('a disk that is full under load, so full that PostgreSQL ends, loses nothing and stops nothing for good', {
  skip,
}, async (t) => {
  const { data_dir, namespace, filler, fill } = await mountSmallDisk(t)
  const [port, management_port] = [await freePort(), await freePort()]
  const environment = { STINT_RATE_LIMIT_REQUESTS: '1000000', STINT_MANAGEMENT_PORT: String(management_port) }
  const service = await startServiceProcess({ data_dir, port, demo: true, environment, namespace })
  t.after(() => service.kill('SIGTERM'))
  const client = await clientFor(namespace.data_dir, service.token ?? '')
  t.after(() => client.close())
  const base = `${service.origin}/rest/v2`
  const before = await readAllContracts(client, base)
  const create = (key: string) => client.call('POST', `${base}/contracts`, contract(key), { 'idempotency-key': key })
  const readiness = async () =>
    (await fetch(`http://127.0.0.1:${management_port}/health/ready`)).json() as Promise<{
      checks: Record<string, string | null>
    }>

  const load = writeContracts(client, base)
  await load.progress(20)
  await fill()
  // Pages that were there already take some more: each try is a contract of its own.
  const early = new Set<string>()
  await untilStatus(async () => {
    const answer = await create(`early-${early.size}`)
    if (answer.status === 201) early.add(answer.body.id)
    return answer
  }, 503)
  assert.match(JSON.stringify((await readiness()).checks.disk), /make room there/)
  // A new segment of its log is what PostgreSQL cannot do without.
  await fillLog(join(namespace.data_dir, 'postgres-socket'))
  const full_at_ms = performance.now()
  while (performance.now() - full_at_ms < full_ms) {
    const { status, body } = await create('full')
    assert.equal(status, 503, JSON.stringify(body))
    await delay(500)
  }
  await rm(filler)
  const freed_at_ms = performance.now()
  const made = await untilStatus(() => create('full'), 201)
  const back_ms = Math.round(performance.now() - freed_at_ms)
  const acknowledged = await load.stop()
  for (const id of [...early, made.body.id]) acknowledged.add(id)
  const existing = (await readAllContracts(client, base)).difference(before)
  assert.deepEqual(existing, acknowledged)
  t.diagnostic(`${existing.size} acknowledged and exist; back ${back_ms} ms after there was room`)
})

async function untilStatus<Answer extends { status: number; body: unknown }>(
  call: () => Promise<Answer>,
  status: number,
) {
  const until_ms = performance.now() + limit_ms
  for (;;) {
    const answer = await call()
    if (answer.status === status) return answer
    assert.ok(performance.now() < until_ms, `${answer.status} ${JSON.stringify(answer.body)}`)
    await delay(100)
  }
}

/** Asks for new segments of the log until the server ends of it. */
async function fillLog(socket_folder: string): Promise<void> {
  for (let segments = 0; segments < 20; segments += 1) {
    const client = new pg.Client({ host: socket_folder, user: 'stint', database: 'stint' })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query(`select pg_logical_emit_message(false, 'x', 'y'); select pg_switch_wal()`)
      await client.end()
    } catch {
      return
    }
  }
  assert.fail('the server had room for 20 segments on a full disk')
}
