import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { useTestService } from '#test/service.ts'
import { post } from '#test/tool-client.ts'

const guide = await readFile(new URL('../../docs/guides/connect-an-agent.md', import.meta.url), 'utf8')

const blocks = (kind: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)

test('every configuration of the guide is JSON that names the tool server', () => {
  const configurations = blocks('json').map((text) => JSON.parse(text))
  assert.equal(configurations.length, 5)
  for (const { mcpServers, servers = mcpServers } of configurations) {
    assert.deepEqual(Object.keys(servers), ['stint'])
    assert.equal(servers.stint.url, 'https://stint.example/mcp')
  }
})

test('the addresses and the request of the guide are answered', async (t) => {
  const service = await useTestService(t)
  const [, body = ''] = /-d '(.*)'/.exec(blocks('sh').join('\n')) ?? []
  const urls = [...guide.matchAll(/https:\/\/stint\.example(\/mcp[^`\s"]*)/g)].map(([, path = '']) => path)
  assert.ok(urls.some((url) => url.includes('?')))
  for (const url of new Set(urls)) {
    const answer = await post(service, body, { url })
    assert.ok(answer.body.result?.tools.length > 0, `${url}: ${JSON.stringify(answer.body)}`)
  }
})

test('the refusals that the guide explains have these words', async (t) => {
  const service = await useTestService(t)
  for (const headers of [{ host: 'other.example' }, { origin: 'https://other.example' }]) {
    const { body } = await post(service, '{}', { headers })
    assert.ok(guide.includes(body.error.message), body.error.message)
  }
})
