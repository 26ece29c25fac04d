import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeWhileUsed, holdCredentials } from '#test/held-credentials.ts'
import { signIn } from '#test/oauth.ts'
import { startFaultBench } from './support/fault-bench.ts'
import { openRemoteServices } from './support/remote-service.ts'

const kills = Number(process.env.KILLS ?? 0)
const rounds = Math.ceil(kills / 4)

test(`${rounds} closed accesses end every kind of credential at once, at both API processes, while all are in use`, {
  skip: kills === 0 && 'a fault run: npm run faults',
}, async (t) => {
  const bench = await startFaultBench(t, {
    workers: 1,
    role: 'api',
    is_cut: false,
    settings: { STINT_RATE_LIMIT_FAILURES: '1000000' },
  })
  const { services } = await openRemoteServices(t, bench)
  const [first] = services
  assert.ok(first)
  const users = `${first.origin}/scim/v2/Users`
  for (let round = 0; round < rounds; round += 1) {
    const user = await signIn(first, { role: 'developer' })
    const { status, body: ana } = await bench.client.call('POST', users, { userName: `ana-${round}` })
    assert.equal(status, 201, JSON.stringify(ana))
    const credentials = await holdCredentials(first, user, String(ana.id), `${first.origin}/rest/v2`)
    await closeWhileUsed(services, credentials, async () => {
      const Operations = [{ op: 'replace', value: { active: false } }]
      assert.equal((await bench.client.call('PATCH', `${users}/${ana.id}`, { Operations })).status, 200)
    })
  }
})
