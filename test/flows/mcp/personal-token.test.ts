import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createContract } from '#test/factories.ts'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { createMember } from '#test/tool-client.ts'
import { verifies } from '#test/verifies.ts'
import { officialClients } from './official-clients.ts'

let service: HttpsService
before(async () => {
  service = await startHttpsService()
  for (let made = 0; made < 3; made += 1) await createContract(service)
})
after(() => service.close())

for (const [name, { make, version }] of Object.entries(officialClients)) {
  test(`${name}: connects and lists over HTTPS without a credential`, async (t) => {
    const client = make(service)
    t.after(() => client.close())
    await client.connect()
    assert.equal(client.version(), version)
    const listed = (await client.listTools()).find((tool) => tool.name === 'list_contracts')
    verifies('4.6.open-methods').equal(listed?.title, 'List contracts')
    const refusal = /401|[Uu]nauthorized|access token/
    await verifies('4.6.protected-tool').rejects(client.callTool('list_contracts'), refusal)
  })

  test(`${name}: calls with a personal access token, follows the cursor, and reads what a mistake was`, async (t) => {
    const { token } = await createMember(service)
    const client = make(service, { token })
    t.after(() => client.close())
    await client.connect()
    await client.listTools()
    const first = await client.callTool('list_contracts', { limit: 2 })
    const { data, total_count } = first.structuredContent
    verifies('5.2.personal-token').deepEqual([data.length, total_count], [2, 3])
    const { cursor } = first.structuredContent
    const rest = await client.callTool('list_contracts', { limit: 2, cursor })
    assert.equal(rest.structuredContent.data.length, 1)
    const { isError, content } = await client.callTool('get_contract', { contract_id: crypto.randomUUID() })
    assert.equal(isError, true)
    assert.match(content[0].text, /^not_found: /)
    await assert.rejects(client.callTool('no_such_tool'))
  })

  test(`${name}: a filtered address shows and calls fewer tools`, async (t) => {
    const { token } = await createMember(service)
    const client = make(service, { token, path: '/mcp?readonly=1&toolsets=people' })
    t.after(() => client.close())
    await client.connect()
    assert.deepEqual(
      (await client.listTools()).map((tool) => tool.name),
      ['get_person', 'list_people'],
    )
    assert.equal((await client.callTool('list_people')).structuredContent.data.length, 3)
    await assert.rejects(client.callTool('list_contracts'))
  })
}
