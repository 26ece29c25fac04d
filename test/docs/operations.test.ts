import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { collectDefaultMetrics } from 'prom-client'
import { metrics } from '#core/metrics.ts'
// Every room registers its metrics when it is loaded.
import '#server/main.ts'
// Loaded with the first tool call.
import '#surfaces/mcp/tool-server.ts'

const read = (file: string) => readFile(new URL(`../../docs/operations/${file}`, import.meta.url), 'utf8')

function knownNames(): Set<string> {
  if (!metrics.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: metrics })
  const names = metrics.getMetricsAsArray().map(({ name }) => name)
  const histograms = names.flatMap((name) => [`${name}_bucket`, `${name}_sum`, `${name}_count`])
  return new Set([...names, ...histograms])
}

/** Names of metrics in an expression: words that are followed by neither `(`, nor `=`, nor stand behind `by`. */
function namesIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(by|without) \([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
  return [...bare.matchAll(/\b([a-z][a-z0-9_]*_[a-z0-9_]+)\b(?!\s*\()/g)].map(([, name = '']) => name)
}

interface Panel {
  id: number
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

test('every metric that the dashboard shows exists', async () => {
  const { panels } = JSON.parse(await read('dashboard.json')) as { panels: Panel[] }
  const known = knownNames()
  const shown = panels.filter(({ type }) => type !== 'row')
  assert.ok(shown.length >= 20)
  for (const { title, targets = [] } of shown) {
    const names = targets.flatMap(({ expr }) => namesIn(expr))
    assert.ok(names.length >= targets.length && targets.length > 0, `${title} shows something`)
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      title,
    )
  }
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
})

test('the dashboard shows every metric of the webhook engine', async () => {
  const { panels } = JSON.parse(await read('dashboard.json')) as { panels: Panel[] }
  const named = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr)))
  const shown = new Set(named.map((name) => name.replace(/_(bucket|sum|count)$/, '')))
  const names = metrics.getMetricsAsArray().map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => name.startsWith('webhook_') && !shown.has(name)),
    [],
  )
})

test('every alert looks at metrics that exist', async () => {
  const expressions = [...(await read('alerts.yml')).matchAll(/^ +expr: (.*)$/gm)].map(([, rule = '']) => rule)
  assert.ok(expressions.length >= 14)
  const known = knownNames()
  assert.deepEqual(
    expressions.flatMap(namesIn).filter((name) => !known.has(name)),
    [],
  )
})

/** Every metric that operators are promised, whatever the webhook engine tells beside. */
const promised = [
  ...['http_server_request_duration_seconds', 'webhook_delivery_attempts_total', 'webhook_delivery_latency_seconds'],
  ...['webhook_queue_depth', 'webhook_oldest_due_seconds', 'webhook_subscriptions_disabled_total'],
  ...['oauth_tokens_issued_total', 'tool_calls_total', 'scim_requests_total', 'rate_limited_total', 'build_info'],
  ...['db_pool_connections', 'db_pool_connections_max', 'db_pool_waiting', 'tls_certificate_expiry_timestamp_seconds'],
]

test('the metrics that are promised exist, and the dashboard shows each', async () => {
  const dashboard = await read('dashboard.json')
  const known = knownNames()
  assert.deepEqual(
    promised.filter((name) => !known.has(name) || !dashboard.includes(name)),
    [],
  )
})
