import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createContract } from '#test/factories.ts'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { createMember, modern_version } from '#test/tool-client.ts'

let service: HttpsService
let token: string
before(async () => {
  service = await startHttpsService()
  token = (await createMember(service)).token
})
after(() => service.close())

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }

/** The official client of 2026-07-28 with a user who answers each question so. */
async function connected(
  t: { after(work: () => unknown): void },
  answer: (message: string) => Answer | Promise<Answer>,
) {
  const asked: string[] = []
  const client = new Client(
    { name: 'Desk Assistant', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: modern_version } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message)
    return answer(params.message)
  })
  const headers = { authorization: `Bearer ${token}` }
  const address = new URL(`${service.origin}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(address, { fetch: service.fetch, requestInit: { headers } }))
  t.after(() => client.close())
  // The cast holds for every result of a tool.
  const cancel = (contract_id: string) =>
    client.callTool({ name: 'cancel_contract', arguments: { contract_id } }) as Promise<{
      isError?: boolean
      structuredContent?: { status: string }
      content: { text: string }[]
    }>
  return { cancel, asked }
}

const statusOf = async (id: string) => (await service.call('GET', `/contracts/${id}`)).body.status

test('a client of 2026-07-28 asks its user, who is shown what would happen; the yes is the confirmation', async (t) => {
  const { id } = await createContract(service)
  const { cancel, asked } = await connected(t, () => ({ action: 'accept', content: { agreed: true } }))
  const done = await cancel(id)
  assert.equal(done.structuredContent?.status, 'cancelled', JSON.stringify(done.content))
  assert.equal(asked.length, 1)
  assert.match(asked[0] ?? '', new RegExp(`${id}.*contract\\.cancelled, contract\\.status\\.updated`))
})

test('a user who does not agree is obeyed, whatever way it is said', async (t) => {
  const answers: Answer[] = [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { agreed: false } },
  ]
  for (const answer of answers) {
    const { id } = await createContract(service)
    const { cancel } = await connected(t, () => answer)
    const refused = await cancel(id)
    assert.deepEqual(
      [refused.isError, refused.content[0]?.text],
      [true, 'declined: the user did not agree, and nothing was done.'],
    )
    assert.equal(await statusOf(id), 'pending')
  }
})

test('a yes to what changed meanwhile is no yes', async (t) => {
  const { id } = await createContract(service)
  const { cancel } = await connected(t, async () => {
    await service.call('PATCH', `/contracts/${id}`, { body: { title: 'Another title' } })
    return { action: 'accept', content: { agreed: true } }
  })
  const refused = await cancel(id)
  assert.match(refused.content[0]?.text ?? '', /^confirmation_outdated/)
  assert.equal(await statusOf(id), 'pending')
})
