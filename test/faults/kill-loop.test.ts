import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { clientFor, freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { startReceiver } from '#test/receiver.ts'

const kills = Number(process.env.KILLS ?? 3)
const writers = 4
const drain_limit_ms = 180_000

type Client = Awaited<ReturnType<typeof clientFor>>

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
  service = await killRepeatedly(service, () => startService(false))
  const acknowledged = await load.stop()

  const existing = (await readAllContracts(client, base)).difference(before)
  await untilDelivered(client, `${base}/webhooks/${subscribed.body.id}/deliveries`)
  const delivered = deliveredContracts(receiver.requests)

  const lost = [...existing].filter((id) => !delivered.has(id))
  const invented = [...delivered.keys()].filter((id) => !existing.has(id))
  assert.deepEqual(
    [...acknowledged].filter((id) => !existing.has(id)),
    [],
    'an acknowledged contract exists',
  )
  assert.deepEqual(lost, [], 'every contract has its event delivered')
  assert.deepEqual(invented, [], 'no event was delivered whose contract does not exist')
  for (const [id, events] of delivered) assert.equal(events.size, 1, `contract ${id} has one event`)
  t.diagnostic(
    `${kills} kills, ${acknowledged.size} acknowledged, ${existing.size} exist, ${receiver.requests.length} requests, ` +
      `${receiver.requests.length - delivered.size} repeated, 0 lost, 0 invented`,
  )
})

/** Creates contracts without pause; a call that was cut is repeated under its key until it is answered. */
function writeContracts(client: Client, base: string) {
  const acknowledged = new Set<string>()
  let running = true
  const writer = async () => {
    while (running) {
      const key = randomUUID()
      let answered = false
      while (!answered) {
        try {
          const { status, body } = await client.call('POST', `${base}/contracts`, contract(key), {
            'idempotency-key': key,
          })
          answered = status === 201
          if (answered) acknowledged.add(body.id)
          else assert.ok([409, 503].includes(status), JSON.stringify(body))
        } catch (error) {
          // The service was killed under this call: whether it counted is what the key finds out.
          if (error instanceof assert.AssertionError) throw error
          await delay(20)
        }
      }
    }
  }
  const all = Promise.all(Array.from({ length: writers }, writer))
  return {
    async stop() {
      running = false
      await all
      return acknowledged
    },
  }
}

function contract(key: string) {
  return {
    type: 'fixed_rate',
    title: `Contract ${key}`,
    external_id: key,
    worker: { first_name: 'Mira', last_name: 'Sato', email: `${key}@example.org`, country: 'DE' },
    start_date: new Date().toISOString().slice(0, 10),
    compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
  }
}

async function killRepeatedly(first: ServiceProcess, restart: () => Promise<ServiceProcess>): Promise<ServiceProcess> {
  let service = first
  for (let kill = 0; kill < kills; kill += 1) {
    // The moment of the kill is the point of the test; nothing waits for it.
    await delay(50 + Math.random() * 500)
    await service.kill('SIGKILL')
    service = await restart()
  }
  return service
}

async function readAllContracts(client: Client, base: string): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await client.call('GET', `${base}/contracts?limit=100${cursor && `&cursor=${cursor}`}`)
    assert.equal(page.status, 200, JSON.stringify(page.body))
    for (const { id } of page.body.data) ids.add(id)
    cursor = page.body.cursor
  }
  return ids
}

/** Deliveries that were being sent at a kill come back when their lease has run out. */
async function untilDelivered(client: Client, deliveries: string): Promise<void> {
  const until = Date.now() + drain_limit_ms
  for (;;) {
    const { body } = await client.call('GET', `${deliveries}?statuses=pending,sending,held,failed&limit=1`)
    if (body.total_count === 0) return
    assert.ok(Date.now() < until, `${body.total_count} deliveries are still open after ${drain_limit_ms} ms`)
    await delay(250)
  }
}

function deliveredContracts(requests: readonly { body: Buffer }[]): Map<string, Set<string>> {
  const delivered = new Map<string, Set<string>>()
  for (const { body } of requests) {
    const { data } = JSON.parse(body.toString())
    const id = data.resource[0].contract_id
    delivered.set(id, (delivered.get(id) ?? new Set()).add(data.meta.event_id))
  }
  return delivered
}
