import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rename, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, usedDataFolder } from '#test/process.ts'
import { dataFolder, stint } from '#test/stint.ts'

interface Found {
  ok: boolean
  findings: { part: string; status: string; told: string }[]
}

async function examine(environment: Record<string, string>): Promise<Found & { status: number | null }> {
  const { status, out, error } = await stint(['doctor', '--json'], environment)
  assert.equal(error, '')
  const found: Found = JSON.parse(out)
  return { ...found, status }
}

const notOk = ({ findings }: Found) => findings.filter(({ status }) => status !== 'ok')

test('doctor finds nothing wrong before a first start, and makes nothing', async (t) => {
  const data_dir = join(await dataFolder(t), 'data')
  const ports = { STINT_PORT: String(await freePort()), STINT_MANAGEMENT_PORT: String(await freePort()) }
  const found = await examine({ STINT_DATA_DIR: data_dir, ...ports, STINT_PROT: '1' })
  assert.deepEqual([found.status, found.ok], [0, true])
  assert.deepEqual(
    notOk(found).map(({ part, status }) => `${status} ${part}`),
    ['warning settings', 'warning database'],
  )
  const { told = '' } = found.findings.find(({ part }) => part === 'data folder') ?? {}
  assert.match(told, /is not there yet/)
})

test('the demo is seeded without a start, once; doctor then names every fault at once, with what to do', async (t) => {
  const data_dir = await usedDataFolder(t)
  const environment = { STINT_DATA_DIR: data_dir }
  const { out, error } = await stint(['seed', 'demo', '--json'], environment)
  const { token, email, file } = JSON.parse(out || error)
  assert.deepEqual(
    [token.slice(0, 15), email, file],
    ['stint_test_org_', 'nora@harbour.example', join(data_dir, 'demo-credentials')],
  )
  await rename(file, `${file}-kept`)
  const again = await stint(['seed', 'demo', '--json'], environment)
  assert.deepEqual([again.status, /holds data already/.test(JSON.parse(again.error).detail)], [1, true], again.error)

  await writeFile(join(data_dir, 'secrets.json'), '{}')
  const other = createServer((socket) => socket.end('no service of ours\n')).listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  // A server that listens on a port has an address of that kind.
  const port = String((other.address() as AddressInfo).port)
  const found = await examine({ ...environment, STINT_MANAGEMENT_PORT: port, STINT_PORT: '0' })
  assert.deepEqual([found.status, found.ok], [1, false])
  assert.deepEqual(
    notOk(found).map(({ part, status }) => `${status} ${part}`),
    ['fault process', 'fault secrets'],
  )
  assert.match(JSON.stringify(found.findings), /is another program on the port of STINT_MANAGEMENT_PORT\?/)
})

test('wrong settings are findings of doctor, all of them', async () => {
  const found = await examine({ STINT_PORT: 'x', STINT_ROLES: 'y' })
  assert.deepEqual([found.status, found.findings.map(({ status }) => status)], [1, ['fault', 'fault']])
})
