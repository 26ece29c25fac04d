import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { noteSecret } from '#test/secrets.ts'
import { startTestService, type TestService } from '#test/service.ts'

// Every service of a test is searched when it closes (test/support/secrets.ts); here the search itself is put to the test.

const password = noteSecret('a secret only of this test')

const plants: Record<string, (service: TestService) => Promise<unknown> | unknown> = {
  'a token in a column of text': ({ database, organization: { id, token } }) =>
    database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
      tx.run(sql`update organizations set name = ${`x ${token}`} where id = ${id}`),
    ),
  'a token in a column of bytes': ({ database, organization: { id, token } }) =>
    database.database.transaction({ role: 'app', organization_id: id }, (tx) =>
      tx.run(sql`
        insert into idempotent_answers (organization_id, key_digest, body_digest, status, body, created_at)
        values (${id}, '\\x01', '\\x01', 200, ${Buffer.from(token)}, app_now())`),
    ),
  'a password in a line of the log': ({ logged }) => logged.push(`{"msg":"${password}"}`),
}

for (const [name, plant] of Object.entries(plants)) {
  test(`leak.logs: ${name} is found at the end of a run`, async () => {
    const service = await startTestService()
    await plant(service)
    await assert.rejects(service.close(), /rests in plain text/)
  })
}

test('leak.logs: a refusal never quotes a secret that came in the wrong place', async () => {
  const service = await startTestService()
  const { token } = service.organization
  const { status } = await service.call('GET', `/contracts?${new URLSearchParams({ cursor: token })}`)
  assert.equal(status, 400)
  await service.close()
})
