import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { request } from 'undici'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { dataFolder, stint } from '#test/stint.ts'

async function startService(t: TestContext, data_dir: string, demo: boolean) {
  const [port, management_port] = [await freePort(), await freePort()]
  const environment = { STINT_MANAGEMENT_PORT: String(management_port), WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const service = await startServiceProcess({ data_dir, port, demo, environment })
  t.after(() => service.kill('SIGTERM'))
  const readiness = async () => {
    const { statusCode, body } = await request(`http://127.0.0.1:${management_port}/health/ready`)
    const { checks } = (await body.json()) as { checks: { secrets: string | null } }
    return { status: statusCode, secrets: checks.secrets }
  }
  return { ...service, readiness }
}

test('keys are rotated beside a running service, which opens everything again after its restart', async (t) => {
  const data_dir = await dataFolder(t)
  const environment = { STINT_DATA_DIR: data_dir, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const secrets_file = join(data_dir, 'secrets.json')
  const keys = async (word: 'rotate' | 'status') => {
    const ran = await stint(['keys', word, '--json'], environment)
    assert.equal(ran.status, 0, ran.error)
    return JSON.parse(ran.out)
  }
  const first = await startService(t, data_dir, true)
  const client = await clientFor(data_dir, first.token ?? '')
  t.after(() => client.close())
  const subscription = { url: 'https://127.0.0.1:8444/hook', events: ['contract.created'] }
  const subscribe = (origin: string) =>
    client.call('POST', `${origin}/rest/v2/webhooks`, subscription, { 'idempotency-key': 'once' })
  const made = await subscribe(first.origin)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.deepEqual(await first.readiness(), { status: 200, secrets: null })

  const rotation = await keys('rotate')
  assert.equal(rotation.keys_made, true)
  assert.ok(rotation.resealed >= 2)
  assert.deepEqual(await keys('status'), { sealing_keys: rotation.sealing_keys })
  assert.equal(rotation.sealing_keys[1].rows, 0)
  assert.equal((await stat(secrets_file)).mode & 0o777, 0o600)
  const running = await first.readiness()
  assert.equal(running.status, 503)
  assert.match(running.secrets ?? '', /restart with the current secrets file/)
  assert.equal((await client.call('GET', `${first.origin}/rest/v2/webhooks`)).status, 200)
  await first.kill('SIGTERM')

  const second = await startService(t, data_dir, false)
  assert.deepEqual(await second.readiness(), { status: 200, secrets: null })
  assert.deepEqual((await subscribe(second.origin)).body, made.body)
  await second.kill('SIGTERM')

  const stored = JSON.parse(await readFile(secrets_file, 'utf8'))
  await writeFile(secrets_file, JSON.stringify({ ...stored, sealing_keys: stored.sealing_keys.slice(1) }))
  const refused = await stint(['serve'], { ...environment, STINT_PORT: '0', STINT_MANAGEMENT_PORT: '0' })
  assert.equal(refused.status, 78, refused.error)
  assert.match(refused.error, /the secrets file lacks the sealing key \w+, under which \d+ values are sealed/)
  await writeFile(secrets_file, JSON.stringify({ ...stored, sealing_keys: stored.sealing_keys.slice(0, 1) }))
  assert.deepEqual((await keys('status')).sealing_keys.length, 1)
})
