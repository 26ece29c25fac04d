import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type EventStreamClient, type ServerSentEvent, useListeningRest } from '#test/event-stream.ts'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())

// biome-ignore lint/suspicious/noExplicitAny: deliveries as they came
const seen = ({ data }: { data: any }) => [data.origin, data.status, data.attempt_no]

/** The next changes beside `sending`, which a look may or may not come upon. */
async function takeSettled(stream: EventStreamClient, count: number): Promise<ServerSentEvent[]> {
  const taken: ServerSentEvent[] = []
  while (taken.length < count) taken.push(...(await stream.take(1)).filter(({ data }) => data.status !== 'sending'))
  return taken
}

test('each change of a delivery is told once, as the list shows it', async (t) => {
  const { service, receiver } = bench
  const { open } = await useListeningRest(t, service)
  const { id } = await bench.subscribe()
  await bench.cause('before the stream')
  const stream = await open(`/webhooks/${id}/deliveries`)
  await service.clock.advance(1)
  await bench.cause()
  const [pending] = await stream.take(1)
  assert.deepEqual(pending && seen(pending), ['event', 'pending', 0])
  receiver.script(answer({ status: 500 }))
  await service.clock.advance(1)
  await service.dispatcher.runDue()
  const changes = await takeSettled(stream, 2)
  assert.deepEqual(changes.map(seen).sort(), [
    ['event', 'pending', 1],
    ['event', 'succeeded', 0],
  ])
  await service.clock.advance(60_000)
  await service.dispatcher.runDue()
  const [last] = await takeSettled(stream, 1)
  const [failing] = changes.filter(({ data }) => data.status === 'pending')
  assert.deepEqual([last?.data.id, last?.data.status], [failing?.data.id, 'succeeded'])
  assert.equal(last?.id, last?.data.updated_at)
  const { body } = await service.call('GET', `/webhooks/${id}/deliveries`)
  const listed = body.data.find((row: { id: string }) => row.id === last?.data.id)
  assert.deepEqual(last?.data, listed)
})

test('a resumed stream repeats at most the last seconds and misses nothing', async (t) => {
  const { service } = bench
  const { open } = await useListeningRest(t, service)
  const { id } = await bench.subscribe()
  const path = `/webhooks/${id}/deliveries`
  const stream = await open(path)
  await bench.cause('old')
  const [old] = await stream.take(1)
  await service.clock.advance(20_000)
  await bench.cause('told')
  const [told] = await stream.take(1)
  stream.close()
  await bench.cause('missed')
  const resumed = await open(path, undefined, { 'last-event-id': told?.id ?? '' })
  const events = await resumed.take(2)
  const { body } = await service.call('GET', path)
  const [missed, , oldest] = body.data
  assert.deepEqual(
    events.map(({ data }) => data.id),
    [told?.data.id, missed.id],
  )
  assert.equal(old?.data.id, oldest.id)
})

test('filters hold for the stream, and what only makes sense for pages is refused', async (t) => {
  const { service } = bench
  const { open } = await useListeningRest(t, service)
  const { id } = await bench.subscribe()
  const stream = await open(`/webhooks/${id}/deliveries?statuses=succeeded`)
  await bench.cause()
  await service.clock.advance(1)
  await service.dispatcher.runDue()
  const [event] = await stream.take(1)
  assert.equal(event?.data.status, 'succeeded')
  const path = `/webhooks/${id}/deliveries`
  assert.equal((await open(`${path}?cursor=x`)).status, 400)
  for (const place of ['yesterday', '2026-02-30', '2026-99-01T00:00:00.000Z', '019cadd4'])
    assert.equal((await open(path, undefined, { 'last-event-id': place })).status, 400, place)
})
