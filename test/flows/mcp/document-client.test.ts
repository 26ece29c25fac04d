import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ClientHost, startClientHost } from '#test/client-host.ts'
import { createContract } from '#test/factories.ts'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { signIn } from '#test/oauth.ts'
import { answer, type Receiver } from '#test/receiver.ts'
import { Desk } from './desk.ts'
import { officialClients } from './official-clients.ts'

let clients: ClientHost
let host: Receiver
let service: HttpsService
before(async () => {
  clients = await startClientHost({
    behaviour: async (socket, request) => {
      const client_id = `https://localhost:${host.port}${request.path}`
      const body = JSON.stringify({ ...new Desk(service).clientMetadata, client_id })
      await answer({ headers: { 'content-type': 'application/json' }, body })(socket, request)
    },
  })
  host = clients.host
  service = await startHttpsService(clients.settings)
  await createContract(service)
})
after(async () => {
  await service.close()
  await clients.close()
})

/** A program whose client_id is the address of a document, so that it never registers. */
class DocumentDesk extends Desk {
  readonly clientMetadataUrl: string

  constructor(service: HttpsService, clientMetadataUrl: string) {
    super(service)
    this.clientMetadataUrl = clientMetadataUrl
  }
}

for (const [name, { make }] of Object.entries(officialClients)) {
  test(`claude-code.document: ${name} connects with the address of its document, and registers nowhere`, async (t) => {
    const client_id = `https://localhost:${host.port}/${name}.json`
    const user = await signIn(service)
    const desk = new DocumentDesk(service, client_id)
    const client = make(service, { authProvider: desk })
    t.after(() => client.close())
    await client.connect()
    await assert.rejects(client.callTool('list_contracts'), /[Uu]nauthorized/)
    assert.equal(desk.sent_to?.searchParams.get('client_id'), client_id)
    await client.finishAuth(await desk.allow(user))
    assert.equal((await client.callTool('list_contracts')).structuredContent.total_count, 1)
    await service.clock.advance(3_601_000)
    assert.equal((await client.callTool('list_contracts')).structuredContent.total_count, 1)
    assert.equal(desk.seen.length, 2, 'the client refreshed')
  })
}
