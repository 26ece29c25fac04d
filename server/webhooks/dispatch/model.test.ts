import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '../testing/webhook-bench.ts'

const delays_ms = [1_000, 2_000, 4_000]
const disable_after = 4

type Step =
  | { do: 'cause'; events: number }
  | { do: 'pass'; ms: number }
  | { do: 'run'; workers: number }
  | { do: 'disable' | 'enable' | 'simulate' | 'redeliver' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('cause' as const), events: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('run' as const), workers: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(999, 1_000, 2_000, 4_000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('disable', 'enable', 'simulate', 'redeliver') }) },
)

interface AttemptSeen {
  id: string
  origin: string
  attempt_no: number
  outcome: string
  counted: boolean
  schedule: readonly number[]
}

/** The rules as the design tells them, fed with attempts in the order in which they were recorded. */
class Reference {
  failures = 0
  active = true

  record({ origin, outcome, attempt_no, counted, schedule }: AttemptSeen) {
    const counts = origin === 'event' && this.active
    assert.equal(counted, counts)
    if (!counts) return
    this.failures = outcome === 'succeeded' ? 0 : this.failures + 1
    if (outcome === 'failed' && attempt_no === schedule.length && this.failures >= disable_after) this.active = false
  }
}

test('any history of attempts, disables and enables leaves what the reference says, with any number of workers', async (t) => {
  // One attempt at a time per subscription, so that their order is that of their ids.
  let luck: Iterator<number> = [].values()
  const bench = await startWebhookBench(
    {
      WEBHOOK_RETRY_SCHEDULE: delays_ms.map((ms) => `${ms}ms`).join(),
      WEBHOOK_DISABLE_AFTER: String(disable_after),
      WEBHOOK_MAX_IN_FLIGHT: '1',
    },
    { behaviour: (socket, request) => answer({ status: luck.next().value < 7 ? 500 : 200 })(socket, request) },
  )
  t.after(() => bench.close())
  const dispatchers = [bench.service.dispatcher, bench.openWorkers().dispatcher, bench.openWorkers().dispatcher]
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 25 }),
      fc.infiniteStream(fc.nat(9)),
      async (steps, stream) => {
        luck = stream
        await bench.service.clock.advance(60_000)
        const subscribed = await bench.subscribe()
        const reference = new Reference()
        const seen = new Set<string>()
        for (const one of steps) {
          await play(bench, subscribed.id, one, dispatchers)
          for (const attempt of await attemptsOf(bench, subscribed.id, seen)) reference.record(attempt)
          if (one.do === 'disable') reference.active = false
          if (one.do === 'enable' && !reference.active) Object.assign(reference, { active: true, failures: 0 })
          const { body } = await bench.service.call('GET', `/webhooks/${subscribed.id}`)
          assert.deepEqual(
            { failures: body.consecutive_failures, active: body.status === 'active' },
            { failures: reference.failures, active: reference.active },
          )
        }
        await checkDeliveries(bench, subscribed.id)
        await bench.unsubscribeAll()
      },
    ),
    { numRuns: 5, endOnFailure: true },
  )
})

async function play(
  bench: WebhookBench,
  id: string,
  one: Step,
  dispatchers: readonly { runDue(): Promise<number> }[],
): Promise<void> {
  const { service } = bench
  if (one.do === 'cause') for (let events = 0; events < one.events; events += 1) await bench.cause()
  if (one.do === 'pass') await service.clock.advance(one.ms)
  if (one.do === 'disable') await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  if (one.do === 'enable') await service.call('POST', `/webhooks/${id}/enable`)
  if (one.do === 'simulate')
    await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } })
  if (one.do === 'redeliver') {
    const last = (await bench.deliveries(id)).at(-1)
    if (last) await service.call('POST', `/webhooks/${id}/deliveries/${last.id}/redeliver`)
  }
  if (one.do === 'run') await Promise.all(dispatchers.slice(0, one.workers).map((dispatcher) => dispatcher.runDue()))
}

async function attemptsOf(bench: WebhookBench, id: string, seen: Set<string>): Promise<AttemptSeen[]> {
  const found: AttemptSeen[] = []
  for (const { id: delivery_id, origin } of await bench.deliveries(id)) {
    const { body } = await bench.service.call('GET', `/webhooks/${id}/deliveries/${delivery_id}`)
    for (const attempt of body.attempts) {
      if (seen.has(attempt.id)) continue
      seen.add(attempt.id)
      found.push({ ...attempt, origin, schedule: delays_ms })
    }
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Every delivery agrees with its last attempt, and its attempts are the ones its series had to have. */
async function checkDeliveries(bench: WebhookBench, id: string): Promise<void> {
  const deliveries = await bench.deliveries(id)
  assert.equal(
    new Set(deliveries.map(({ origin, event_id, id: own }) => (origin === 'event' ? event_id : own))).size,
    deliveries.length,
  )
  for (const delivery of deliveries) {
    const { body } = await bench.service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)
    const last = body.attempts.at(-1)
    assert.notEqual(delivery.status, 'sending')
    if (delivery.status === 'failed') assert.deepEqual([last.outcome, last.decision], ['failed', 'exhausted'])
    if (last?.outcome === 'succeeded') assert.equal(delivery.status, 'succeeded')
    const series = Map.groupBy(body.attempts as { series: number; attempt_no: number }[], (attempt) => attempt.series)
    for (const attempts of series.values())
      assert.deepEqual(
        attempts.map(({ attempt_no }) => attempt_no),
        attempts.map((_, index) => index),
      )
  }
}
