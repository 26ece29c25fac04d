import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent } from 'undici'
import { createContract } from '#test/factories.ts'
import { verifies } from '#test/verifies.ts'
import { Desk } from '../flows/mcp/desk.ts'
import { officialClients } from '../flows/mcp/official-clients.ts'
import { startProgram } from './support/client.ts'
import { signIn, useBrowser } from './support/console.ts'

const email = 'nora@harbour.example'
const browser = useBrowser()

for (const [name, { make }] of Object.entries(officialClients)) {
  test(`${name}: from nothing to a tool call, with Allow pressed in a browser`, async (t) => {
    const console = await browser.start(t)
    await createContract(console)
    await console.addMember({ email })
    const program = await startProgram(t)
    const desk = new Desk(null, program.redirect_uri)
    // As the browser of these tests does: that certificates hold is for the tests of HTTPS to say.
    const trusting: object = { dispatcher: new Agent({ connect: { rejectUnauthorized: false } }) }
    const service = {
      origin: console.origin,
      fetch: ((to, init) => fetch(to, { ...init, ...trusting })) as typeof fetch,
    }
    const client = make(service, { authProvider: desk })
    t.after(() => client.close())
    await client.connect()
    await assert.rejects(client.callTool('list_contracts'), /[Uu]nauthorized/)

    const { page } = await console.open(t)
    await page.goto(String(desk.sent_to))
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('You may close this window.').waitFor()

    const [callback] = program.callbacks
    assert.ok(callback)
    await client.finishAuth(callback)
    const { structuredContent } = await client.callTool('list_contracts')
    verifies('5.2.flow').equal(structuredContent.total_count, 1)
  })
}
