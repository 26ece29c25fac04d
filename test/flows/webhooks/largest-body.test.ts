import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeContract } from '#test/factories.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'

/** The bound that docs/guides/reliability.md tells receivers. */
const body_bytes_max = 512 * 1024

/** `length` characters of four bytes each, the most that UTF-8 takes. */
const widest = (length: number, character: string) => character.repeat(length)

test('the largest body there is arrives whole and within what receivers are told', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service, receiver } = bench
  const { id: subscription_id } = await bench.subscribe({ events: ['contract.amendment.declined'] })
  const terms = (character: string) => ({
    job_title: widest(150, character),
    seniority: widest(100, character),
    scope_of_work: widest(20_000, character),
    special_clause: widest(20_000, character),
  })
  const { id } = await activeContract(service, { title: widest(200, '🌲'), ...terms('🌲') })
  const drafted = await service.call('POST', `/contracts/${id}/amendments`, { body: { terms: terms('🌊') } })
  assert.equal(drafted.status, 201, JSON.stringify(drafted.body).slice(0, 500))
  const withdrawn = await service.call('POST', `/contracts/${id}/amendments/${drafted.body.id}/withdraw`, {
    body: { reason: widest(500, '🌊') },
  })
  assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body).slice(0, 500))

  await service.dispatcher.runDue()
  const [request] = receiver.requests
  assert.ok(request)
  // Both texts, before and after.
  assert.ok(request.body.length > 4 * 20_000 * 4, `${request.body.length} bytes`)
  assert.ok(request.body.length <= body_bytes_max, `${request.body.length} bytes`)
  const [delivery] = await bench.deliveries(subscription_id)
  assert.equal(delivery.status, 'succeeded')
  const stored = await service.call('GET', `/webhooks/${subscription_id}/deliveries/${delivery.id}`)
  // Not `equal`: nobody wants to read the difference.
  assert.ok(stored.body.body.text === request.body.toString())
})
