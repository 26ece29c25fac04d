import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import http2 from 'node:http2'
import https from 'node:https'
import { after, before, test } from 'node:test'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'

let service: HttpsService
let ca: string
before(async () => {
  service = await startHttpsService()
  ca = await readFile(service.ca_file, 'utf8')
})
after(() => service.close())

/** Sends one GET over HTTP/2 that names this host, and answers the status. */
function overHttp2(path: string, host: string): Promise<number> {
  const session = http2.connect(service.origin, { ca })
  return new Promise<number>((resolve, reject) => {
    session.on('error', reject)
    const stream = session.request({ ':path': path, ':authority': host })
    stream.on('response', (headers) => resolve(Number(headers[':status'])))
    stream.on('error', reject)
    stream.end()
  }).finally(() => session.close())
}

function overHttp1(path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(service.origin)
    const request = https.request({ host: '127.0.0.1', port, path, ca, servername: 'localhost', headers: { host } })
    request.on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    request.on('error', reject)
    request.end()
  })
}

const hosts: [host: () => string, status: number][] = [
  [() => new URL(service.origin).host, 400],
  [() => '127.0.0.1', 400],
  [() => 'evil.example', 403],
  [() => `evil.example:${new URL(service.origin).port}`, 403],
  [() => 'localhost.evil.example', 403],
]
for (const [name, send] of Object.entries({ 'HTTP/2': overHttp2, 'HTTP/1.1': overHttp1 })) {
  test(`host.injection: over real HTTPS and ${name} a host that is not ours is refused at the endpoints`, async () => {
    for (const [host, status] of hosts) {
      assert.equal(await send('/oauth/authorize', host()), status, host())
      assert.equal(await send('/.well-known/oauth-authorization-server', host()), 200, host())
    }
  })
}

test('host.injection: a target that names its origin is refused as its path is, and where it names another host', async () => {
  for (const origin of ['https://evil.example', 'HTTP://localhost', service.origin]) {
    const foreign = origin === 'https://evil.example' ? 403 : 400
    assert.equal(await overHttp1(`${origin}/oauth/authorize`, 'evil.example'), foreign, origin)
    assert.equal(await overHttp1(`${origin}/oauth/authorize?a=/`, new URL(service.origin).host), 400, origin)
    assert.equal(await overHttp1(`${origin}/oauth/nothing`, 'evil.example'), foreign, origin)
  }
})
