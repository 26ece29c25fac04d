import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '#test/service.ts'
import { HOST_CASES, OWN_HOST, TEXT_CASES } from '#test/url-cases.ts'

let service: TestService
let subscription_id: string
before(async () => {
  service = await startTestService({}, { origin: `https://${OWN_HOST}` })
  const body = { url: 'https://93.184.215.14/hook', events: ['api-token.created'] }
  subscription_id = (await service.call('POST', '/webhooks', { body })).body.id
})
after(() => service.close())

/** The schema of the field judges the length first. */
const codesOf = (url: string, expected: readonly string[]) =>
  url.length === 0 || url.length > 2_048 ? ['validation_failed'] : expected

for (const { name, url, expected } of [...TEXT_CASES, ...HOST_CASES])
  test(`${name}: ${JSON.stringify(url.slice(0, 60))} is refused at POST and PATCH, and nothing is written`, async () => {
    const written = (await service.call('GET', '/webhooks')).body
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PATCH', `/webhooks/${subscription_id}`],
    ] as const) {
      const { status, body } = await service.call(method, path, { body: { url, events: ['api-token.created'] } })
      assert.ok(codesOf(url, expected).includes(body.code), `${method}: ${status} ${JSON.stringify(body)}`)
      assert.equal(status, body.code === 'validation_failed' ? 400 : 422)
    }
    assert.deepEqual((await service.call('GET', '/webhooks')).body, written)
  })
