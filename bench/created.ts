import { setTimeout as pause } from 'node:timers/promises'
import { startBareCreator } from './support/bare-creator.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { installWithReceivers } from './support/delivery-installation.ts'
import { openClient } from './support/https-client.ts'
import { newContracts } from './support/new-contract.ts'
import { startReceivers } from './support/receiver.ts'
import { measureRounds, ratioOf, rowsOf } from './support/rounds.ts'

const path = '/rest/v2/contracts'
const contracts = 100
const creators = 16

/** Created and delivered contracts against a handler by hand that writes the same rows in as few statements as can be. */
export const created: Benchmark = {
  name: 'created',
  summary: 'CPU of a contract created and delivered, 16 at once and 100/s, against the least that its rows cost',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const contend = async (name: string, is_bare: boolean) => {
      const receivers = resources.use(await startReceivers(1))
      const roles = is_bare ? { STINT_ROLES: 'api' } : {}
      const { installation, organizations } = resources.use(await installWithReceivers(receivers, 1, roles))
      const [organization] = organizations
      const [url] = receivers.urls
      if (!organization || !url) throw new Error('there is no organization to create for')
      await fillContracts(installation, organization.id, contracts)
      const { service } = installation
      await using asking = await openClient(installation, service.origin, organization.token, 1)
      const contract = await newContracts(asking)
      const { ca } = receivers
      const { pid, origin } = is_bare
        ? resources.use(await startBareCreator(installation, organization, { url, ca }))
        : service
      const client = resources.use(await openClient(installation, origin, organization.token, creators))
      const operate = () => client.call('POST', path, JSON.stringify(contract()))
      return { name, pid, operate, server: installation.server }
    }
    const contenders = [await contend('Stint', false), await contend('bare', true)]
    const [stint, bare] = contenders
    if (!stint || !bare) throw new Error('nobody to compare')
    const databasePids = () => contenders.flatMap(({ server }) => server.pids())
    const options = { rounds, round_ms, databasePids }
    const burst = await measureRounds(contenders, { ...options, concurrency: creators })
    const paced = contenders.map((contender) => ({ ...contender, operate: atIntervals(contender.operate, 10) }))
    const calm = await measureRounds(paced, { ...options, concurrency: 1 })
    const [paced_stint, paced_bare] = paced
    if (!paced_stint || !paced_bare) throw new Error('nobody to compare')
    const outcome = (what: string, measured: Outcome['measured']): Outcome => ({
      goal: 'W2',
      what,
      measured,
      unit: '×',
    })
    return {
      method: `POST ${path} over keep-alive TLS, one subscription; bare: node:https, a look-up and one statement per contract, a signed POST, one statement per 100 ms of results; ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: stint.server.description,
      rows: [
        ...rowsOf(burst).map((row) => ({ load: '16 at once', ...row })),
        ...rowsOf(calm).map((row) => ({ load: 'paced, 100/s at most', ...row })),
      ],
      outcomes: [
        outcome('CPU of the service, 16 at once', ratioOf(burst, stint, bare, 'service_us')),
        outcome('CPU of the database, 16 at once', ratioOf(burst, stint, bare, 'database_us')),
        outcome('CPU of the service, paced', ratioOf(calm, paced_stint, paced_bare, 'service_us')),
        outcome('CPU of the database, paced', ratioOf(calm, paced_stint, paced_bare, 'database_us')),
      ],
    }
  },
}

/** Begins an operation each so many milliseconds, or when the one before has ended. */
function atIntervals(operate: () => Promise<unknown>, every_ms: number): () => Promise<unknown> {
  let next_ms = performance.now()
  return async () => {
    next_ms = Math.max(next_ms + every_ms, performance.now())
    await pause(Math.max(0, next_ms - performance.now()))
    await operate()
  }
}
