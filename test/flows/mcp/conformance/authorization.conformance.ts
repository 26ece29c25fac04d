import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { allow, register, signIn } from '#test/oauth.ts'
import { freePort } from '#test/process.ts'
import { runSuite } from './run-suite.ts'

test('the official suite takes a code from the authorization server and exchanges it', async (t) => {
  const service = await startHttpsService()
  t.after(() => service.close())
  const port = await freePort()
  const user = await signIn(service)
  const { client_id } = await register(service, { redirect_uris: [`http://127.0.0.1:${port}/callback`] })
  const words = ['authorization', '--url', service.origin, '--client-id', client_id, '--port', String(port)]
  let browsed: Promise<void> | undefined
  const { status, output } = await runSuite([...words, '--resource', `${service.origin}/mcp`], {
    environment: { NODE_EXTRA_CA_CERTS: service.ca_file },
    // The suite prints where a browser is to go and waits for it to come back.
    onOutput: (printed) => {
      const address = new RegExp(`^${service.origin}/oauth/authorize\\S*$`, 'm').exec(printed)?.[0]
      if (address) browsed ??= browse(service, address, user.cookie)
    },
  })
  await browsed
  assert.equal(status, 0, output)
  assert.match(output, /authorization-code-grant/)
  assert.doesNotMatch(output, /FAILURE/)
})

/** The browser: to the consent page, where the user presses Allow, and back to the client. */
async function browse(service: HttpsService, address: string, cookie: string): Promise<void> {
  const answer = await service.fetch(address, { redirect: 'manual' })
  const request_id = /\/console\/authorize\/([\w-]{43})$/.exec(answer.headers.get('location') ?? '')?.[1]
  assert.ok(request_id, await answer.text())
  const returned = await allow(service, request_id, cookie)
  await fetch(returned)
}
