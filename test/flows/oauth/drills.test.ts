import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '#db/database.ts'
import {
  authorize,
  type Connection,
  connect,
  obtainCode,
  pkce,
  redeem,
  refresh,
  register,
  signIn,
} from '#test/oauth.ts'
import { type TestService, useTestService } from '#test/service.ts'

const rest = { resource: 'https://stint.test/rest/v2' }
const window_ms = 10_000
const hour_ms = 3_600_000

const works = async (service: TestService, token: string) =>
  (await service.call('GET', '/contracts', { token })).status === 200

/** Lets the clock of the process go wrong, and that of its database stay right. */
function shiftProcessClock(t: TestContext, { clock }: TestService, by_ms: number): void {
  const { now } = clock
  t.after(() => Object.assign(clock, { now }))
  Object.assign(clock, { now: () => now() + by_ms })
}

for (const minutes of [-10, 10]) {
  test(`a process clock that is ${minutes} minutes off changes no lifetime, and not the window of reuse`, async (t) => {
    const service = await useTestService(t)
    shiftProcessClock(t, service, minutes * 60_000)
    const user = await signIn(service)
    const { client_id } = await register(service)
    const [early, late] = [await obtainCode(service, client_id, user, rest), await obtainCode(service, client_id, user)]
    await service.clock.advance(60_000 - 1)
    const first: Connection = { client_id, ...(await redeem(service, early)).body }
    await service.clock.advance(1)
    assert.equal((await redeem(service, late)).body.error, 'invalid_grant')
    const next = (await refresh(service, client_id, first.refresh_token)).body
    await service.clock.advance(window_ms)
    assert.equal((await refresh(service, client_id, first.refresh_token)).status, 400)
    assert.ok(await works(service, next.access_token), 'within the window the family lives')
    await service.clock.advance(hour_ms - window_ms - 1)
    assert.ok(await works(service, next.access_token))
    await service.clock.advance(1)
    assert.ok(!(await works(service, next.access_token)))
    assert.equal((await refresh(service, client_id, first.refresh_token)).status, 400)
    assert.equal((await refresh(service, client_id, next.refresh_token)).status, 400, 'beyond it the family ended')
  })
}

/** Rows that the clean-up removes, many times over: requests and codes that are over, grants that nobody used. */
async function leaveRemains(service: TestService): Promise<void> {
  const user = await signIn(service)
  const { client_id } = await register(service)
  for (let turn = 0; turn < 20; turn += 1) {
    await authorize(service, client_id, pkce().challenge)
    await connect(service, user, rest)
  }
  await service.clock.advance(32 * 86_400_000)
}

test('the keeper beside a load of exchanges takes no row that lives, and neither stands in the other’s way', async (t) => {
  const service = await useTestService(t)
  await leaveRemains(service)
  const user = await signIn(service)
  const families = await Promise.all(Array.from({ length: 8 }, () => connect(service, user, rest)))
  let keeping = true
  const keep = async () => {
    let rows = 0
    while (keeping) rows += await service.cleanUp.run()
    return rows
  }
  const exchangeAll = async (family: Connection) => {
    let last = family
    for (let turn = 0; turn < 10; turn += 1) {
      const { status, body } = await refresh(service, last.client_id, last.refresh_token)
      assert.equal(status, 200, JSON.stringify(body))
      last = { ...last, ...body }
    }
    return last
  }
  const kept = Promise.all([keep(), keep()])
  const last = await Promise.all(families.map(exchangeAll)).finally(() => {
    keeping = false
  })
  const rows = await kept
  assert.ok(rows[0] + rows[1] >= 60, `${rows} rows went`)
  for (const { access_token } of last) assert.ok(await works(service, access_token))
  const live = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ live: number }>(sql`
      select count(*) filter (where used_at is null)::int as live from oauth_refresh_tokens group by grant_id`),
  )
  assert.deepEqual(
    live.map(({ live: tokens }) => tokens),
    families.map(() => 1),
  )
  assert.deepEqual(
    service.logged.filter((line) => /clean_up_failed|"level":"error"/.test(line)),
    [],
  )
})

test('sign-out ends the session and no grant', async (t) => {
  const service = await useTestService(t)
  const user = await signIn(service)
  const { access_token, client_id, refresh_token } = await connect(service, user, rest)
  const { statusCode } = await service.app.inject({
    method: 'DELETE',
    url: '/console/auth/session',
    headers: { cookie: user.cookie, 'stint-console': '1', 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(statusCode, 204)
  assert.ok(await works(service, access_token))
  assert.equal((await refresh(service, client_id, refresh_token)).status, 200)
})
