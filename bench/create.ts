import { type Call, invoke } from '#core/invoke.ts'
import type { RegisteredOperation } from '#core/registry.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { openClient } from './support/https-client.ts'
import { install } from './support/installation.ts'
import { openLocalService } from './support/local-service.ts'
import { newContracts } from './support/new-contract.ts'
import { createOrganization } from './support/organization.ts'
import { type Contender, measureRounds, ratioOf, rowsOf } from './support/rounds.ts'

const concurrency = 8
const contracts = 100
/** Nothing is sent in this benchmark: the deliveries stay pending, as they do until the worker has taken them. */
const receiver = 'https://127.0.0.1:50000/hook'

/** G6 and the cost of an event: contracts.create with and without its event, and with subscriptions to it. */
export const create: Benchmark = {
  name: 'create',
  summary: 'G6: creating a contract with event and fan-out against the same without event',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installation = resources.use(await install({ STINT_ROLES: 'api', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }))
    const local = resources.use(openLocalService(installation, concurrency))
    const operation = local.runtime.registry.operation('contracts.create')
    const contend = async (name: string, made: RegisteredOperation, subscriptions: number): Promise<Contender> => {
      const { id, token } = await createOrganization(installation, name)
      await fillContracts(installation, id, contracts)
      await using client = await openClient(installation, installation.service.origin, token, 1)
      const subscription = JSON.stringify({ url: receiver, events: ['contract.created'] })
      for (let index = 0; index < subscriptions; index += 1)
        await client.call('POST', '/rest/v2/webhooks', subscription)
      const contract = await newContracts(client)
      const call: Omit<Call, 'input'> = {
        operation: made,
        caller: await local.authenticate(`Bearer ${token}`, null),
        from_text: false,
        request_id: 'bench',
        trace_id: null,
        address: '127.0.0.1',
      }
      const operate = () => invoke(local.runtime, { ...call, input: contract() })
      return { name, pid: process.pid, operate }
    }
    const yardstick = await contend('no event', withoutEvents(operation), 0)
    const one = await contend('event, 1 subscription', operation, 1)
    const contenders = [
      yardstick,
      await contend('event, no subscription', operation, 0),
      one,
      await contend('event, 10 subscriptions', operation, 10),
    ]
    const databasePids = installation.server.pids
    const samples = await measureRounds(contenders, { rounds, round_ms, concurrency, databasePids })
    const latency = (contender: Contender | undefined, what: string, at_most: number): Outcome[] =>
      contender
        ? [{ goal: 'B1', what, measured: ratioOf(samples, contender, yardstick, 'p50_ms'), unit: '×', at_most }]
        : []
    const rate = ratioOf(samples, one, yardstick, 'per_s')
    return {
      method: `contracts.create through invoke, ${concurrency} at once, service CPU is that of the calling process, ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: installation.server.description,
      rows: rowsOf(samples),
      outcomes: [
        {
          goal: 'G6',
          what: 'rate with event and fan-out to one subscription',
          measured: rate,
          unit: '×',
          at_least: 0.65,
        },
        ...latency(contenders[1], 'p50 with an event that nobody subscribes to', 1.3),
        ...latency(one, 'p50 with an event and one subscription', 1.5),
        ...latency(contenders[3], 'p50 with an event and ten subscriptions', 2),
      ],
    }
  },
}

/** The same operation whose handler emits into the void. */
function withoutEvents(operation: RegisteredOperation): RegisteredOperation {
  const { definition } = operation
  return {
    ...operation,
    definition: {
      ...definition,
      handle: (input, context) => definition.handle(input, { ...context, emit: () => undefined }),
    },
  }
}
