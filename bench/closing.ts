import { sql } from '#db/database.ts'
import type { Benchmark, Extent, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { fillCycles, makeDue } from './support/cycles.ts'
import { openClient } from './support/https-client.ts'
import { type Installation, install } from './support/installation.ts'
import { type LocalService, openLocalService } from './support/local-service.ts'
import { createOrganization } from './support/organization.ts'
import { cpuSpent, cpuTimes } from './support/process-usage.ts'
import { interleave, ratioOf } from './support/rounds.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const small_rows = 10_000
const closed_per_round = 1_000
const rounds_max = 7
const organizations_beside = 4
const paid_invoices = 500

/** W6: what closing a cycle costs, invoice and ledger included, and a payment of 500 invoices. */
export const closing: Benchmark = {
  name: 'closing',
  summary: `closing of due cycles at 1,000,000 contracts against 10,000, and a payment of ${paid_invoices} invoices`,
  async run({ rounds: wanted, rows }: Extent): Promise<Result> {
    const rounds = Math.min(wanted, rounds_max)
    await using installation = await install({ STINT_ROLES: 'api' })
    await using service = openLocalService(installation, 10)
    const prepare = async (name: string, contracts: number) => {
      const organization = await createOrganization(installation, name)
      await fillContracts(installation, organization.id, contracts)
      await fillCycles(installation, organization.id)
      return organization
    }
    const per_organization = (closed_per_round / organizations_beside) * (rounds + 1)
    const small = await prepare('few contracts', small_rows)
    const large = await prepare('many contracts', rows)
    const beside = []
    for (let n = 0; n < organizations_beside; n += 1)
      beside.push(await prepare(`one of several ${n}`, per_organization))
    const contend = (name: string, ids: readonly string[]) => ({ name, ids })
    const [few, many, several] = [
      contend(`${small_rows} contracts`, [small.id]),
      contend(`${rows} contracts`, [large.id]),
      contend(
        `${organizations_beside} organizations at once`,
        beside.map(({ id }) => id),
      ),
    ] as const
    const samples = await interleave([few, many, several], rounds, ({ ids }) => close(installation, service, ids))
    const payments = await pay(installation, small, Math.min(rounds, 7))
    const median = (values: readonly number[]) => rounded(spreadOf(values).median)
    return {
      method: `one run of the timer job over ${closed_per_round} due cycles of fixed rate, in ${rounds} interleaved rounds; a payment of ${paid_invoices} invoices made and settled over TLS`,
      storage: installation.server.description,
      rows: [
        ...[...samples].map(([{ name }, taken]) => ({
          closing: name,
          'invoices per s': median(taken.map(({ per_s }) => per_s)),
          'worker µs': median(taken.map(({ service_us }) => service_us)),
          'database µs': median(taken.map(({ database_us }) => database_us)),
        })),
        ...Object.entries(payments).map(([name, taken]) => ({
          closing: `${name} ${paid_invoices} invoices`,
          ms: median(taken.map((seconds) => seconds * 1_000)),
        })),
      ],
      outcomes: [
        ...[many, several].map((contender) => ({
          goal: 'W6',
          what: `cycles closed, ${contender.name}`,
          measured: spreadOf((samples.get(contender) ?? []).map(({ per_s }) => per_s)),
          unit: '/s',
          at_least: 500,
        })),
        {
          goal: 'W6',
          what: `CPU of a close at ${rows} contracts against ${small_rows}`,
          measured: ratioOf(samples, many, few, 'cpu_us'),
          unit: '×',
          at_most: 1.25,
        },
        ...Object.entries(payments).map(([name, taken]) => ({
          goal: 'W6',
          what: `${name} ${paid_invoices} invoices`,
          measured: spreadOf(taken),
          unit: 's',
          at_most: 1,
        })),
      ],
    }
  },
}

/** One run of the timer job in this process over cycles that are due in equal parts in some organizations. */
async function close(installation: Installation, { timers }: LocalService, ids: readonly string[]) {
  for (const id of ids) await makeDue(installation, id, closed_per_round / ids.length)
  const pids = { service: [process.pid], database: installation.server.pids() }
  const before = { service: cpuTimes(pids.service), database: cpuTimes(pids.database) }
  const began_ms = performance.now()
  const fired = await timers.runDue()
  const elapsed_s = (performance.now() - began_ms) / 1_000
  if (fired !== closed_per_round) throw new Error(`${fired} timers fired, where ${closed_per_round} cycles were due`)
  const service_us = cpuSpent(before.service, cpuTimes(pids.service)) / fired
  const database_us = cpuSpent(before.database, cpuTimes(installation.server.pids())) / fired
  return { per_s: fired / elapsed_s, service_us, database_us, cpu_us: service_us + database_us }
}

/** Seconds of each call that makes, and of each that settles, a payment. */
async function pay(
  installation: Installation,
  { id: organization_id, token }: { id: string; token: string },
  rounds: number,
) {
  await using client = await openClient(installation, installation.service.origin, token, 1)
  const taken: Record<'making' | 'settling', number[]> = { making: [], settling: [] }
  const timed = async (name: keyof typeof taken, path: string, body: object): Promise<Buffer> => {
    const began_ms = performance.now()
    const answer = await client.call('POST', path, JSON.stringify(body))
    taken[name].push((performance.now() - began_ms) / 1_000)
    return answer
  }
  for (let round = 0; round < rounds; round += 1) {
    const invoices = await installation.database.transaction({ role: 'app', organization_id }, (tx) =>
      tx.rows<{ id: string }>(sql`
        select id from invoices where organization_id = ${organization_id} and status = 'pending' limit ${paid_invoices}`),
    )
    const invoice_ids = invoices.map(({ id }) => id)
    const { id } = JSON.parse((await timed('making', '/rest/v2/payments', { invoice_ids })).toString())
    await timed('settling', `/rest/v2/payments/${id}/settle`, {})
  }
  return taken
}
