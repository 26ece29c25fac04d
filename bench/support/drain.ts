import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '#db/database.ts'
import { fillDeliveries } from './deliveries.ts'
import type { DeliveryInstallation } from './delivery-installation.ts'
import { cpuSpent, cpuTimes } from './process-usage.ts'
import type { Receivers } from './receiver.ts'
import type { Sample } from './rounds.ts'

export type Drained = Pick<Sample, 'per_s' | 'service_us' | 'database_us'>

const look_every_ms = 10
const drain_max_ms = 120_000

/** Makes deliveries due and measures until the last of them is recorded; the time runs from the first request. */
export async function drain(
  { installation, organizations: [organization] }: DeliveryInstallation,
  receivers: Receivers,
  count: number,
  service_pid = installation.service.pid,
): Promise<Drained> {
  const { server } = installation
  if (!organization) throw new Error('there is no organization to deliver for')
  await receivers.take()
  await fillDeliveries(installation, organization, 'due', count, { urls: receivers.urls })
  const before = { service: cpuTimes([service_pid]), database: cpuTimes(server.pids()) }
  await untilRecorded(installation, receivers, count)
  const ended_ms = Number(process.hrtime.bigint()) / 1e6
  const after = { service: cpuTimes([service_pid]), database: cpuTimes(server.pids()) }
  const arrivals = await receivers.take()
  if (arrivals.length !== count) throw new Error(`${count} deliveries made ${arrivals.length} requests`)
  const first_ms = Math.min(...arrivals.map(([, at_ms]) => at_ms))
  return {
    per_s: (count * 1_000) / (ended_ms - first_ms),
    service_us: cpuSpent(before.service, after.service) / count,
    database_us: cpuSpent(before.database, after.database) / count,
  }
}

/** Waits until so many requests have come and every attempt to these receivers is recorded. */
export async function untilRecorded(
  { database }: DeliveryInstallation['installation'],
  receivers: Receivers,
  count: number,
): Promise<void> {
  const until_ms = performance.now() + drain_max_ms
  while ((await receivers.count()) < count || (await isSending(database, receivers.urls))) {
    if (performance.now() > until_ms) throw new Error(`not drained within ${drain_max_ms} ms`)
    await pause(look_every_ms)
  }
}

/** True when an attempt to one of these receivers is not recorded yet. */
function isSending(
  database: DeliveryInstallation['installation']['database'],
  urls: readonly string[],
): Promise<boolean> {
  return database.transaction({ role: 'engine', read_only: true }, async (tx) => {
    const row = await tx.row(sql`
      select s.id from webhook_subscriptions s where s.url = any (${urls}::text[]) and exists (
        select from webhook_open_deliveries d where d.subscription_id = s.id and d.status = 'sending') limit 1`)
    return row !== undefined
  })
}
