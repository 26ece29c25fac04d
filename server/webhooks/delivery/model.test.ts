import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer, answerAfter, type Behaviour } from '#test/receiver.ts'
import { delays_ms, disable_after, Reference } from '#test/reference-model.ts'
import { readHistory } from '#test/serial-history.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { lease_ms } from './deliver.store.ts'

type Meanwhile = 'nothing' | 'cause' | 'disable' | 'enable'

type Step =
  | { do: 'cause'; events: number }
  | { do: 'pass'; ms: number }
  | { do: 'run'; workers: number; meanwhile: Meanwhile }
  | { do: 'disable' | 'enable' | 'simulate' | 'redeliver' | 'lose' }

const run_all: Step = { do: 'run', workers: 3, meanwhile: 'nothing' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('cause' as const), events: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      workers: fc.integer({ min: 1, max: 3 }),
      meanwhile: fc.constantFrom('nothing', 'nothing', 'cause', 'disable', 'enable'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(999, 1_000, 2_000, 10_000) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('disable', 'enable', 'simulate', 'redeliver', 'lose') }) },
)

/** Three deliveries fail to their end, by parallel workers: the subscription is disabled whatever the seed is. */
const unlucky: Step[] = [
  { do: 'cause', events: 3 },
  ...delays_ms.flatMap((ms): Step[] => [run_all, { do: 'pass', ms }]),
  run_all,
]

/** Answers of the receiver: by luck, and once not before it is told to. */
class Fortune {
  luck: Iterator<number> = [].values()
  #held: { arrived: PromiseWithResolvers<void>; until: Promise<void> } | null = null

  readonly behaviour: Behaviour = (socket, request) => {
    const then = answer({ status: this.luck.next().value < 8 ? 500 : 200 })
    const held = this.#held
    this.#held = null
    held?.arrived.resolve()
    return held ? answerAfter(held.until, then)(socket, request) : then(socket, request)
  }

  /** The next request is not answered until then; resolves when it has arrived. */
  holdNext(until: Promise<void>): Promise<void> {
    this.#held = { arrived: Promise.withResolvers<void>(), until }
    return this.#held.arrived.promise
  }

  holdNone(): void {
    this.#held = null
  }
}

type Worker = { runDue(): Promise<number> }

test('any history of attempts by parallel workers, lost workers, disables and enables is what the reference says', async (t) => {
  const fortune = new Fortune()
  const bench = await startWebhookBench(
    {
      WEBHOOK_RETRY_SCHEDULE: delays_ms.map((ms) => `${ms}ms`).join(),
      WEBHOOK_DISABLE_AFTER: String(disable_after),
      WEBHOOK_WARN_AFTER: '2',
      WEBHOOK_MAX_IN_FLIGHT: '4',
    },
    { behaviour: fortune.behaviour },
  )
  t.after(() => bench.close())
  const workers = [bench.service.dispatcher, bench.openWorkers().dispatcher, bench.openWorkers().dispatcher]
  let [parallel, stopped] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 25 }),
      fc.infiniteStream(fc.nat(9)),
      async (steps, stream) => {
        fortune.luck = stream
        await bench.service.clock.advance(60_000)
        const { id } = await bench.subscribe()
        const reference = new Reference()
        for (const one of steps) {
          await play(bench, id, one, workers, fortune)
          reference.follow(await readHistory(bench.service.database.database, id))
          const { body } = await bench.service.call('GET', `/webhooks/${id}`)
          assert.deepEqual(
            { failures: body.consecutive_failures, active: body.status === 'active' },
            { failures: reference.failures, active: reference.active },
          )
        }
        // Brings what is not over to where it has to wait.
        await bench.service.dispatcher.runDue()
        reference.follow(await readHistory(bench.service.database.database, id))
        reference.check(await bench.deliveries(id))
        parallel += reference.batches_of_several
        stopped += reference.disabled_by_failures
        await bench.unsubscribeAll()
      },
    ),
    {
      numRuns: 8,
      endOnFailure: true,
      examples: [[unlucky, fc.stream(Iterator.from({ next: () => ({ value: 0, done: false }) }))]],
    },
  )
  assert.ok(parallel > 0 && stopped > 0)
  t.diagnostic(`${parallel} transactions recorded several attempts, ${stopped} disabled the subscription`)
})

async function play(
  bench: WebhookBench,
  id: string,
  one: Step,
  workers: readonly Worker[],
  fortune: Fortune,
): Promise<void> {
  const { service } = bench
  if (one.do === 'cause') for (let events = 0; events < one.events; events += 1) await bench.cause()
  if (one.do === 'pass') await service.clock.advance(one.ms)
  if (one.do === 'disable' || one.do === 'enable') await change(bench, id, one.do)
  if (one.do === 'simulate')
    await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } })
  if (one.do === 'redeliver') {
    const last = (await bench.deliveries(id)).at(-1)
    if (last) await service.call('POST', `/webhooks/${id}/deliveries/${last.id}/redeliver`)
  }
  if (one.do === 'lose') await lose(bench, workers, fortune)
  if (one.do === 'run') {
    const running = workers.slice(0, one.workers).map((worker) => worker.runDue())
    await Promise.all([...running, change(bench, id, one.meanwhile)])
  }
}

async function change(bench: WebhookBench, id: string, what: Meanwhile): Promise<void> {
  if (what === 'cause') await bench.cause()
  if (what === 'disable') await bench.service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  if (what === 'enable') await bench.service.call('POST', `/webhooks/${id}/enable`)
}

/** A worker stands still with an attempt under way, another one takes over, and then the first one's answer comes. */
async function lose({ service }: WebhookBench, [first, second]: readonly Worker[], fortune: Fortune): Promise<void> {
  if (!first || !second) throw new Error('two workers are needed')
  const late = Promise.withResolvers<void>()
  const arrived = fortune.holdNext(late.promise)
  const running = first.runDue()
  const is_held = await Promise.race([arrived.then(() => true), running.then(() => false)])
  fortune.holdNone()
  if (is_held) {
    await service.clock.advance(lease_ms)
    await second.runDue()
  }
  late.resolve()
  await running
}
