import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findEmbeddedPostgres } from '@stint/embedded-postgres'
import { cluster_user } from '@stint/embedded-postgres/cluster.ts'
import { openDatabase } from '#db/database.ts'
import { verifyAudit } from '#operator/verify-audit.ts'
import { clientFor, freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { startReceiver } from '#test/receiver.ts'
import { type Load, readAllContracts, writeContracts } from './support/load.ts'
import { reckon, untilDelivered } from './support/reckoning.ts'

const kills = Number(process.env.KILLS ?? 3)

test(`${kills} kills at random moments under a load of contract creations lose and invent nothing`, async (t) => {
  const receiver = await startReceiver()
  const data_dir = await mkdtemp(join(tmpdir(), 'stint-kill-'))
  const port = await freePort()
  await writeFile(join(data_dir, 'receiver-ca.pem'), receiver.ca)
  const environment = {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(data_dir, 'receiver-ca.pem'),
    STINT_RATE_LIMIT_REQUESTS: '1000000',
  }
  const startService = (demo: boolean) => startServiceProcess({ data_dir, port, demo, environment })
  let service = await startService(true)
  const client = await clientFor(data_dir, service.token ?? '')
  const base = `${service.origin}/rest/v2`
  t.after(async () => {
    await service.kill('SIGTERM')
    await client.close()
    await receiver.close()
    await rm(data_dir, { recursive: true, force: true })
  })
  const subscribed = await client.call('POST', `${base}/webhooks`, { url: receiver.url, events: ['contract.created'] })
  assert.equal(subscribed.status, 201, JSON.stringify(subscribed.body))

  const before = await readAllContracts(client, base)
  const load = writeContracts(client, base)
  service = await killRepeatedly(service, load, () => startService(false))
  const acknowledged = await load.stop()

  const existing = (await readAllContracts(client, base)).difference(before)
  assert.ok(acknowledged.isSubsetOf(existing), 'an acknowledged contract exists')
  await untilDelivered(client, base, subscribed.body.id)
  const connection = await findEmbeddedPostgres(data_dir)
  assert.ok(connection)
  const database = openDatabase({ ...connection, user: cluster_user }, { connections_max: 1 })
  try {
    const reckoning = await reckon(database, subscribed.body.id, receiver, existing)
    const [log] = await verifyAudit(database, { seals: [] })
    assert.deepEqual(log?.findings, [], 'the audit log is whole')
    assert.ok(log.entries_checked > 0)
    t.diagnostic(
      `${kills} kills: ${acknowledged.size} acknowledged, ${existing.size} exist, ${JSON.stringify(reckoning)}, ${log.seal.batch} batches`,
    )
  } finally {
    await database.close()
  }
})

async function killRepeatedly(
  first: ServiceProcess,
  load: Load,
  restart: () => Promise<ServiceProcess>,
): Promise<ServiceProcess> {
  let service = first
  for (let kill = 0; kill < kills; kill += 1) {
    await load.progress(10)
    await delay(Math.random() * 300)
    await service.kill('SIGKILL')
    service = await restart()
  }
  return service
}
