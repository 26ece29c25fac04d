import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { test } from 'node:test'
import { startHttpsService } from '#test/https-service.ts'
import { createMember, request } from '#test/tool-client.ts'

test('over HTTP/2 the tool server answers, knows its own name and refuses another', async (t) => {
  const service = await startHttpsService()
  t.after(() => service.close())
  const { token } = await createMember(service)
  const session = connect(service.origin, { ca: await readFile(service.ca_file, 'utf8') })
  t.after(() => session.destroy())
  const call = async (authority: string, method: string) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/mcp',
      ':authority': authority,
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    })
    stream.end(request(method, method === 'tools/call' ? { name: 'list_organizations' } : undefined))
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    return { status: headers[':status'], body: JSON.parse(Buffer.concat(await stream.toArray()).toString()) }
  }
  const { host } = new URL(service.origin)
  assert.equal((await call(host, 'tools/call')).body.result.structuredContent.data.length, 1)
  assert.equal((await call(host, 'ping')).status, 200)
  const refused = await call('evil.example', 'tools/call')
  assert.deepEqual([refused.status, refused.body.error.code], [403, 403])
})
