import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { atRate } from './support/at-rate.ts'
import { openBarePosts } from './support/bare-post.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { startByHand } from './support/by-hand.ts'
import { fillContracts } from './support/contracts.ts'
import { installWithReceivers } from './support/delivery-installation.ts'
import { exchanges } from './support/exchanges.ts'
import { openClient } from './support/https-client.ts'
import type { Installation } from './support/installation.ts'
import { newContracts } from './support/new-contract.ts'
import { form } from './support/oauth-flows.ts'
import { proportionalSize_mib } from './support/process-usage.ts'
import { type Receivers, startReceivers } from './support/receiver.ts'
import { type Contender, measureRounds, ratioOf, rowsOf } from './support/rounds.ts'
import { percentile, rounded } from './support/statistics.ts'

const path = '/rest/v2/contracts'
const contracts = 1_000
const callers = 8
const creators = 16

/** The ways of the table "From outside", each with as many callers as there. */
const loads = {
  'list of 50': callers,
  'refresh exchange': callers,
  'created and delivered, 16 at once': creators,
  'created and delivered, 100/s at most': 1,
  'created and delivered, 50/s at most': 1,
} satisfies Record<string, number>

type Ways = Record<keyof typeof loads, Contender>

/** Every way of the table "From outside" against a server by hand: what its rows alone cost on this machine. */
export const byHand: Benchmark = {
  name: 'by-hand',
  summary: 'CPU of a list, an exchange and a created and delivered contract against the least that their rows cost',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const stint = await waysOf('Stint', resources)
    const hand = await waysOf('by hand', resources)
    const databasePids = () => [stint, hand].flatMap(({ installation }) => installation.server.pids())
    const rows: Result['rows'] = []
    const outcomes: Outcome[] = []
    for (const [load, concurrency] of Object.entries(loads)) {
      const way = load as keyof typeof loads
      const samples = await measureRounds([stint.ways[way], hand.ways[way]], {
        rounds,
        round_ms,
        databasePids,
        concurrency,
      })
      rows.push(...rowsOf(samples).map((row) => ({ load, ...row })))
      for (const part of ['service_us', 'database_us'] as const) {
        const measured = ratioOf(samples, stint.ways[way], hand.ways[way], part)
        outcomes.push({ goal: '', what: `CPU of the ${part.slice(0, -3)}, ${load}`, measured, unit: '×' })
      }
    }
    rows.push(stint.memory(), hand.memory())
    rows.push(...(await stepsAtRate(stint.installation, stint.receivers)))
    return {
      method: `over keep-alive TLS, ${contracts} contracts, one subscription; by hand: node:https, a look-up and one statement, of a contract also a signed POST and one statement per 100 ms of results; memory is what is there after all of it; steps are what lies between the answer to a caller and the arrival at a receiver; ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: stint.installation.server.description,
      rows,
      outcomes,
    }
  },
}

/** A service, or a server by hand beside one that only has the database. */
async function waysOf(name: 'Stint' | 'by hand', resources: AsyncDisposableStack) {
  const receivers = resources.use(await startReceivers(1))
  const roles = name === 'by hand' ? { STINT_ROLES: 'api' } : {}
  const { installation, organizations } = resources.use(await installWithReceivers(receivers, 1, roles))
  const [organization] = organizations
  const [url] = receivers.urls
  if (!organization || !url) throw new Error('there is no organization to call for')
  const { service, server } = installation
  await fillContracts(installation, organization.id, contracts)
  const { ca } = receivers
  const { pid, origin } =
    name === 'by hand' ? resources.use(await startByHand(installation, organization, { url, ca })) : service
  const open = async (...given: [token: string | null, connections: number, headers?: Record<string, string>]) =>
    resources.use(await openClient(installation, origin, ...given))
  await using asking = await openClient(installation, service.origin, organization.token, 1)
  const contract = await newContracts(asking)
  const lists = await open(organization.token, callers)
  const creates = await open(organization.token, creators)
  const create = () => creates.call('POST', path, JSON.stringify(contract()))
  const operations: Record<keyof Ways, () => Promise<unknown>> = {
    'list of 50': () => lists.call('GET', `${path}?limit=50`),
    'refresh exchange': await exchanges(installation, organization.id, await open(null, callers, form)),
    'created and delivered, 16 at once': create,
    'created and delivered, 100/s at most': atIntervals(create, 10),
    'created and delivered, 50/s at most': atIntervals(create, 20),
  }
  const contenders = Object.entries(operations).map(([way, operate]) => [way, { name, pid, operate }])
  return {
    ways: Object.fromEntries(contenders) as Ways,
    installation,
    receivers,
    memory: () => ({
      load: 'memory (PSS)',
      contender: name,
      'service MiB': rounded(proportionalSize_mib([pid])),
      'database MiB': rounded(proportionalSize_mib(server.pids())),
    }),
  }
}

/** The least steps of a delivery behind the answer to its caller, each by itself 100 times a second. */
async function stepsAtRate({ database }: Installation, receivers: Receivers): Promise<Result['rows']> {
  await using posts = openBarePosts(receivers, 1)
  const echo = `const { parentPort } = require('node:worker_threads'); parentPort.on('message', (told) => parentPort.postMessage(told))`
  const thread = new Worker(echo, { eval: true })
  const steps = {
    'a message to another thread and back': async () => {
      thread.postMessage(null)
      await once(thread, 'message')
    },
    'a statement': () => database.pool.query('select 1'),
    'a signed POST over TLS': (tick: number) => posts.post(String(tick)),
  }
  const rows: Result['rows'] = []
  for (const [contender, step] of Object.entries(steps)) {
    const taken_ms: number[] = []
    await atRate(100, 300, async (tick) => {
      const began_ms = performance.now()
      await step(tick)
      taken_ms.push(performance.now() - began_ms)
    })
    const [p50, p99] = [percentile(taken_ms, 50), percentile(taken_ms, 99)]
    rows.push({ load: 'a step, 100/s', contender, 'p50 ms': rounded(p50), 'p99 ms': rounded(p99) })
  }
  await thread.terminate()
  return rows
}

/** Begins an operation each so many milliseconds, or when the one before has ended. */
function atIntervals(operate: () => Promise<unknown>, every_ms: number): () => Promise<unknown> {
  let next_ms = 0
  return async () => {
    next_ms = Math.max(next_ms + every_ms, performance.now())
    await pause(Math.max(0, next_ms - performance.now()))
    await operate()
  }
}
