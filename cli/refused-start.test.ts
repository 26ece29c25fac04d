import assert from 'node:assert/strict'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { usedDataFolder } from '#test/process.ts'
import { stint } from '#test/stint.ts'

for (const [why, settings] of [
  ['a setting that no part accepts', async () => ({ WEBHOOK_ALLOWED_NETWORKS: '203.0.113.0/24' })],
  ['a port in use', portInUse],
] as const) {
  test(`a start refused because of ${why} ends, and leaves no database running`, async (t) => {
    const data_dir = await usedDataFolder(t)
    const environment = {
      STINT_DATA_DIR: data_dir,
      STINT_PORT: '0',
      STINT_MANAGEMENT_PORT: '0',
      ...(await settings(t)),
    }
    const { status } = await stint(['serve'], environment)
    assert.notEqual(status, 0)
    await assert.rejects(stat(join(data_dir, 'postgres', 'postmaster.pid')), { code: 'ENOENT' })
  })
}

async function portInUse(t: TestContext): Promise<Record<string, string>> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  // A server that listens on a port has an address of that kind.
  return { STINT_PORT: String((server.address() as AddressInfo).port) }
}
