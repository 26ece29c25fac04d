import { sql } from '#db/database.ts'
import type { DeliveryInstallation } from './delivery-installation.ts'
import { untilRecorded } from './drain.ts'
import type { HttpsClient } from './https-client.ts'
import { monotonicNow_ms } from './monotonic.ts'
import { newContracts } from './new-contract.ts'
import { cpuSpent, cpuTimes } from './process-usage.ts'
import type { Receivers } from './receiver.ts'
import type { Sample } from './rounds.ts'
import { percentile } from './statistics.ts'

/**
 * Measures contracts created over the API until the last of their deliveries is recorded; the latencies are those from the
 * answer of the call to the arrival at the receiver. `call` gets what creates one contract.
 */
export async function createAndDeliver(
  opened: DeliveryInstallation,
  receivers: Receivers,
  client: HttpsClient,
  call: (createOne: () => Promise<void>) => Promise<unknown>,
): Promise<Sample> {
  const { service, server } = opened.installation
  const acknowledged_at_ms = new Map<string, number>()
  const contract = await newContracts(client)
  const createOne = async () => {
    const answer = await client.call('POST', '/rest/v2/contracts', JSON.stringify(contract()))
    acknowledged_at_ms.set(JSON.parse(String(answer)).id, monotonicNow_ms())
  }
  await receivers.take()
  const usage = () => ({ service: cpuTimes([service.pid]), database: cpuTimes(server.pids()) })
  const before = usage()
  const began_ms = monotonicNow_ms()
  await call(createOne)
  const count = acknowledged_at_ms.size
  await untilRecorded(opened.installation, receivers, count)
  const elapsed_s = (monotonicNow_ms() - began_ms) / 1_000
  const after = usage()
  const contracts = await contractsByEvent(opened, [...acknowledged_at_ms.keys()])
  const arrivals = await receivers.take()
  const taken_ms = arrivals.map(
    ([event_id, at_ms]) => at_ms - (acknowledged_at_ms.get(contracts.get(event_id) ?? '') ?? Number.NaN),
  )
  return {
    per_s: count / elapsed_s,
    service_us: cpuSpent(before.service, after.service) / count,
    database_us: cpuSpent(before.database, after.database) / count,
    p50_ms: percentile(taken_ms, 50),
    p99_ms: percentile(taken_ms, 99),
  }
}

/** The contract that each event is about. */
async function contractsByEvent(
  { installation, organizations: [organization] }: DeliveryInstallation,
  contract_ids: readonly string[],
): Promise<Map<string, string>> {
  const organization_id = organization?.id ?? ''
  const rows = await installation.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.rows<{ event_id: string; resource_id: string }>(sql`
      select event_id, resource_id from event_resources
      where organization_id = ${organization_id} and resource_id = any (${contract_ids}::uuid[])`),
  )
  return new Map(rows.map(({ event_id, resource_id }) => [event_id, resource_id]))
}
