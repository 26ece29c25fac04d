// own process: it counts from zero what the whole process counts
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startManagement } from '#surfaces/management/management-server.ts'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const names = [
  'webhook_delivery_attempts_total',
  'webhook_attempt_duration_seconds',
  'webhook_attempt_lateness_seconds',
  'webhook_delivery_latency_seconds',
  'webhook_queue_depth',
  'webhook_oldest_due_seconds',
  'webhook_slots_in_use',
  'webhook_lanes',
  'webhook_claim_seconds',
  'webhook_completion_batch_size',
  'webhook_sweep_seconds',
  'webhook_leases_expired_total',
  'webhook_faults_total',
  'webhook_held_internal',
  'webhook_subscriptions_disabled_total',
  'webhook_released_total',
  'webhook_expired_total',
  'webhook_default_partition_rows',
  'webhook_partition_drops_postponed',
  'webhook_partitions_ahead',
  'webhook_feed_lag_seconds',
  'webhook_clock_jump_seconds',
  'webhook_clock_difference_seconds',
  'webhook_schema_mismatch_total',
  'webhook_egress_suspect',
  'webhook_invariant_violations',
]

/** Closed sets only: nothing that grows with customers. */
const labels = new Set([
  'outcome',
  'error_class',
  'origin',
  'phase',
  'state',
  'kind',
  'reason',
  'class',
  'invariant',
  'le',
])

let bench: WebhookBench
let scrape: () => Promise<string>
let id: string
let stop: () => Promise<void>

before(async () => {
  bench = await startWebhookBench({ WEBHOOK_RETRY_SCHEDULE: '100ms', WEBHOOK_RELEASE_RATE: '2' })
  const management = await startManagement(0, {})
  stop = management.close
  scrape = async () => (await fetch(`http://127.0.0.1:${management.port}/metrics`)).text()
  const { service, receiver } = bench
  ;({ id } = await bench.subscribe())
  receiver.script(answer({ status: 503 }))
  await bench.cause()
  await bench.cause()
  await service.dispatcher.runDue()
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  await bench.cause()
  await service.dispatcher.runDue()
  await service.call('POST', `/webhooks/${id}/enable`)
  await service.dispatcher.runDue()
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  await bench.cause()
  await service.startWorkers()
})
after(async () => {
  await stop()
  await bench.close()
})

/** The value of one series, 0 where it does not exist. */
const valueIn = (text: string, series: string) => {
  const line = text.split('\n').find((found) => found.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? 0)
}

test('a scrape names every metric, with labels of closed sets only and no id of anybody', async () => {
  const text = await scrape()
  for (const name of names) assert.match(text, new RegExp(`^# TYPE ${name} `, 'm'), name)
  const ours = text.split('\n').filter((line) => line.startsWith('webhook_'))
  const used = new Set(ours.flatMap((line) => [...line.matchAll(/[{,]([a-z_]+)="/g)].map(([, label = '']) => label)))
  assert.deepEqual(
    [...used].filter((label) => !labels.has(label)),
    [],
  )
  for (const secret of [id, bench.service.organization.id, bench.receiver.url, 'localhost']) {
    assert.ok(!ours.some((line) => line.includes(secret)), secret)
  }
})

test('every alert rule looks at metrics that exist', async () => {
  const rules = await readFile(new URL('../../docs/operations/alerts.yml', import.meta.url), 'utf8')
  const known = new Set([...names, 'webhook_sweep_seconds_count'])
  const used = [...rules.matchAll(/^ +expr: (.*)$/gm)].flatMap(([, rule = '']) => rule.match(/webhook_[a-z_]+/g) ?? [])
  assert.ok(used.length >= 8)
  assert.deepEqual(
    used.filter((name) => !known.has(name)),
    [],
  )
})

test('attempts, releases and disabled subscriptions are counted; what waits is told as it is', async () => {
  const text = await scrape()
  const attempts = 'webhook_delivery_attempts_total'
  assert.equal(valueIn(text, `${attempts}{outcome="succeeded",error_class="none",origin="event"}`), 3)
  assert.equal(valueIn(text, `${attempts}{outcome="failed",error_class="http_5xx",origin="event"}`), 1)
  assert.equal(valueIn(text, 'webhook_attempt_duration_seconds_count{phase="total"}'), 4)
  const lateness = (queue_class: string) =>
    valueIn(text, `webhook_attempt_lateness_seconds_count{class="${queue_class}"}`)
  assert.equal(lateness('quick') + lateness('slow'), 4)
  assert.ok(lateness('quick') > 0, 'its last attempt had succeeded')
  assert.equal(valueIn(text, 'webhook_delivery_latency_seconds_count'), 3)
  assert.equal(valueIn(text, 'webhook_subscriptions_disabled_total{reason="manual"}'), 2)
  assert.equal(valueIn(text, 'webhook_released_total'), 2)
  assert.equal(valueIn(text, 'webhook_queue_depth{state="held"}'), 1)
  assert.equal(valueIn(text, 'webhook_slots_in_use{class="quick"}'), 0)
  assert.ok(valueIn(text, 'webhook_sweep_seconds_count') > 0)
  assert.ok(valueIn(text, 'webhook_claim_seconds_count') > 0)
})
