import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, mock, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { answer, type ReceivedRequest } from '#test/receiver.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const hour_ms = 3_600_000
const verifier = new URL('verifier.py', import.meta.url).pathname
/** CI must have it. */
const skip = spawnSync('python3', ['--version']).error && !process.env.CI ? 'python3 is not on this machine' : false

/** A delivery beside the keys that were live when it was sent. */
interface Delivered {
  request: ReceivedRequest
  keys: Record<string, string>
}

let bench: WebhookBench
before(async () => {
  let turn = 0
  bench = await startWebhookBench(
    { WEBHOOK_RETRY_SCHEDULE: Array(20).fill('100ms').join(',') },
    { behaviour: (socket, request) => answer({ status: ++turn % 3 === 0 ? 200 : 500 })(socket, request) },
  )
})
after(() => bench.close())

/** Sends whatever is due, retries included, under these keys. */
async function deliver(keys: Record<string, string>): Promise<Delivered[]> {
  const { service, receiver } = bench
  const arrived = receiver.requests.length
  for (let rounds = 0; rounds < 8; rounds += 1) {
    await service.dispatcher.runDue()
    await service.clock.advance(100)
  }
  return receiver.requests.slice(arrived).map((request) => ({ request, keys: { ...keys } }))
}

/** The published library, at the time of the sending. */
function libraryVerdict({ request: { headers, body }, keys }: Delivered): string[] {
  mock.timers.enable({ apis: ['Date'], now: Number(headers['webhook-timestamp']) * 1_000 })
  try {
    return Object.entries(keys).flatMap(([label, key]) => {
      try {
        new Webhook(key).verify(body.toString(), headers)
        return [label]
      } catch {
        return []
      }
    })
  } finally {
    mock.timers.reset()
  }
}

function pythonVerdicts(delivered: readonly Delivered[]): { standard: string[]; service: string[] }[] {
  const lines = delivered.map(({ request: { headers, body }, keys }) =>
    JSON.stringify({ headers, body: body.toString('base64'), now: Number(headers['webhook-timestamp']), keys }),
  )
  const { stdout, stderr, status } = spawnSync('python3', [verifier], { input: lines.join('\n'), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('two verifiers in two languages accept every delivery: first attempts, retries, simulations, redeliveries, before, during and after a rotation', {
  skip,
}, async () => {
  const { service } = bench
  const { id, signing_key } = await bench.subscribe({ key_label: 'old' })
  const events = async () => {
    await bench.cause('Zoë – 東京 😀')
    await bench.cause('"quoted" \\ and < & >')
    await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } })
  }
  const delivered: Delivered[] = []
  await events()
  delivered.push(...(await deliver({ old: signing_key })))

  const activate_at = new Date(service.clock.now() + hour_ms).toISOString()
  const rotation = { label: 'new', activate_at, overlap_hours: 2 }
  const { body: rotated } = await service.call('POST', `/webhooks/${id}/signing-keys`, { body: rotation })
  const both = { old: signing_key, new: rotated.signing_key }
  for (let hours = 0; hours < 3; hours += 1) {
    await events()
    const [, last] = await bench.deliveries(id, { statuses: 'succeeded' })
    await service.call('POST', `/webhooks/${id}/deliveries/${last.id}/redeliver`, { body: { retry: true } })
    delivered.push(...(await deliver(both)))
    await service.clock.advance(hour_ms)
  }
  await events()
  delivered.push(...(await deliver({ new: rotated.signing_key })))

  const attempts_of = Map.groupBy(delivered, ({ request }) => request.headers['webhook-id'])
  assert.ok(delivered.length >= 30 && [...attempts_of.values()].some((attempts) => attempts.length > 2), 'with retries')
  const verdicts = pythonVerdicts(delivered)
  delivered.forEach((delivery, index) => {
    const live = Object.keys(delivery.keys)
    assert.deepEqual(libraryVerdict(delivery), live)
    const service = [delivery.request.headers['x-service-hmac-label']]
    verifies('5.3.value', '5.3.label').deepEqual(verdicts[index], { standard: live, service })
  })
  const signed_by = new Set(delivered.map(({ request }) => request.headers['x-service-hmac-label']))
  assert.deepEqual(signed_by, new Set(['old', 'new']))
})

test('both verifiers refuse what was altered, is old, or is signed with another key', { skip }, async () => {
  const { id, signing_key } = await bench.subscribe({ key_label: 'own' })
  await bench.cause()
  const [genuine] = (await deliver({ own: signing_key })).filter(({ request }) => request.method === 'POST')
  assert.ok(genuine)
  const { request, keys } = genuine
  const changed = (change: Partial<ReceivedRequest>): Delivered => ({ request: { ...request, ...change }, keys })
  const wrong = [
    changed({ body: Buffer.concat([request.body, Buffer.from(' ')]) }),
    changed({ headers: { ...request.headers, 'webhook-id': crypto.randomUUID() } }),
    { request, keys: { own: `whsec_${Buffer.alloc(32, 7).toString('base64')}` } },
  ]
  assert.deepEqual(wrong.map(libraryVerdict), [[], [], []])
  assert.deepEqual(
    pythonVerdicts(wrong).map(({ standard }) => standard),
    [[], [], []],
  )
  await bench.service.call('DELETE', `/webhooks/${id}`)
})
