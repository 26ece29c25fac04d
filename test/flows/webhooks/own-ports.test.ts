import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { dataFolder } from '#test/stint.ts'

test('no receiver is taken on a port of the service, under any name of this machine, the port that it chose itself included', async (t) => {
  const [data_dir, port, other_port] = [await dataFolder(t), await freePort(), await freePort()]
  const environment = {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1',
    WEBHOOK_ALLOWED_HOSTS: `${hostname()},a.localhost`,
    STINT_BASE_URL: 'https://stint.example',
    STINT_OTHER_PORTS: String(other_port),
  }
  const service = await startServiceProcess({ data_dir, port, demo: true, environment })
  t.after(() => service.kill('SIGTERM'))
  const client = await clientFor(data_dir, service.token ?? '')
  t.after(() => client.close())
  const management_port = Number(/http:\/\/127\.0\.0\.1:(\d+)\/health/.exec(service.printed)?.[1])
  const subscribe = async (host: string, to: number) => {
    const subscription = { url: `https://${host}:${to}/hook`, events: ['contract.created'] }
    const url = `${service.origin}/rest/v2/webhooks`
    const { status, body } = await client.call('POST', url, subscription, { host: 'stint.example' })
    return [host, to, status, body.code]
  }
  const hosts = ['127.0.0.1', '127.0.0.2', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost', hostname()]
  for (const host of hosts)
    for (const own of [port, management_port, other_port])
      assert.deepEqual(await subscribe(host, own), [host, own, 422, 'url_own_host'])
  const free_port = await freePort()
  assert.deepEqual(await subscribe('127.0.0.1', free_port), ['127.0.0.1', free_port, 201, undefined])
})
