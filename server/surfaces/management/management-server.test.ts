// own process: the metrics of a process can be registered once only
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Counter, Gauge } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import { startManagement } from './management-server.ts'

let management: Awaited<ReturnType<typeof startManagement>>
let fault: string | null = null
before(async () => {
  management = await startManagement(0, {
    database: async () => fault,
    secrets: async () => {
      if (fault) throw new Error('connection refused')
      return null
    },
    certificate: async () => ({ warning: 'expires tomorrow' }),
  })
})
after(() => management.close())

async function get(path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${management.port}${path}`)
  return { status: answer.status, text: await answer.text() }
}

test('a process that answers is alive, whatever its checks say', async () => {
  fault = 'no answer'
  assert.deepEqual(await get('/health/live'), { status: 200, text: '{"status":"ok"}\n' })
  const ready = await get('/health/ready')
  assert.equal(ready.status, 503)
  assert.deepEqual(JSON.parse(ready.text), {
    status: 'unavailable',
    checks: { database: 'no answer', secrets: 'connection refused', certificate: null },
    warnings: { certificate: 'expires tomorrow' },
  })
  fault = null
  const { status, text } = await get('/health/ready')
  assert.equal(status, 200, 'a warning keeps no request away')
  assert.deepEqual(JSON.parse(text).warnings, { certificate: 'expires tomorrow' })
})

test('a check that does not answer is asked once, whoever wants to know, and anew when it has', async (t) => {
  let asked = 0
  const answered = Promise.withResolvers<null>()
  const slow = await startManagement(0, {
    database: () => {
      asked += 1
      return answered.promise
    },
  })
  t.after(() => slow.close())
  const ready = async () => (await fetch(`http://127.0.0.1:${slow.port}/health/ready`)).status
  assert.deepEqual(await Promise.all([ready(), ready(), ready()]), [503, 503, 503])
  assert.equal(asked, 1)
  answered.resolve(null)
  assert.equal(await ready(), 200)
  assert.equal(asked, 2)
})

test('metrics are told in the text format, with parameters of the scraper or without', async () => {
  for (const path of ['/metrics', '/metrics?format=prometheus']) {
    const { status, text } = await get(path)
    assert.equal(status, 200)
    assert.match(text, /^process_cpu_seconds_total/m)
  }
})

test('the instruments of another thread are added to those of this one, those of the process told once', async (t) => {
  const drawn = new Counter({ name: 'drawn_total', help: 'Drawn.', registers: [metrics] })
  drawn.inc(2)
  const both = await startManagement(0, {}, () => metrics.getMetricsAsJSON())
  t.after(() => both.close())
  const text = await (await fetch(`http://127.0.0.1:${both.port}/metrics`)).text()
  metrics.removeSingleMetric('drawn_total')
  assert.match(text, /^drawn_total 4$/m)
  assert.equal(text.match(/^process_start_time_seconds /gm)?.length, 1)
})

test('a gauge that cannot be read answers 500 and ends nothing', async () => {
  const collect = () => {
    throw new Error('the database is away')
  }
  new Gauge({ name: 'broken', help: 'Cannot be read.', registers: [metrics], collect })
  assert.deepEqual((await get('/metrics')).status, 500)
  metrics.removeSingleMetric('broken')
  assert.equal((await get('/metrics')).status, 200)
})

test('any other path is 404 and names those there are', async () => {
  const { status, text } = await get('/')
  assert.equal(status, 404)
  assert.match(text, /\/health\/ready/)
})

test('from the beginning of the shutdown the process is not ready', async () => {
  management.startShutdown()
  assert.equal((await get('/health/ready')).status, 503)
  assert.equal((await get('/health/live')).status, 200)
})
