import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '#db/database.ts'
import { authorize, consent, pkce, redeem, refresh, register, requestIdOf, type SignedIn } from '#test/oauth.ts'
import { type FaultBench, startFaultBench } from './support/fault-bench.ts'
import { openRemoteServices, type RemoteService } from './support/remote-service.ts'
import { holdTokens, type TokenHolders } from './support/token-holders.ts'

const wanted = Number(process.env.KILLS ?? 0)
const skip = wanted === 0 && 'a fault run: npm run faults'
const kills = Math.ceil(wanted / 3)
const cuts = wanted * 5

test(`${kills} kills of API processes and ${cuts} cuts of their connections amid concurrent refresh exchanges cost no family its life, and fork none`, {
  skip,
}, async (t) => {
  const bench = await startFaultBench(t, { workers: 1, role: 'api' })
  const { services, user } = await openRemoteServices(t, bench)
  const [service] = services
  assert.ok(service)
  const decide = await openConsentPage(service, user)
  const load = await holdTokens(services, user)
  await kill(bench, load)
  await decide()
  const hit = await cut(bench, load)
  await load.progress(10)
  const { held, counted } = await load.stop()
  const exchanges = await reckonFamilies(bench.database)
  const { exchanged, lost, given_up } = counted
  assert.ok(exchanges >= exchanged + lost && exchanges <= exchanged + lost + given_up, JSON.stringify(counted))
  for (const { client_id, access_token, refresh_token } of held) {
    const authorization = `Bearer ${access_token}`
    const { status } = await bench.client.call('GET', `${bench.base}/contracts`, undefined, { authorization })
    assert.equal(status, 200)
    assert.equal((await refresh(service, client_id, refresh_token)).status, 200)
  }
  t.diagnostic(`${exchanges} exchanges on record, ${JSON.stringify({ ...counted, ...hit })}`)
})

/** A request on the consent page; answers the user's press, which must count however often the service restarted. */
async function openConsentPage(service: RemoteService, user: SignedIn): Promise<() => Promise<void>> {
  const { verifier, challenge } = pkce()
  const { client_id } = await register(service)
  const resource = `${service.origin}/rest/v2`
  const request_id = requestIdOf(await authorize(service, client_id, challenge, { resource }))
  const { csrf_token, organizations } = (await consent(service, 'GET', request_id, user)).body
  const { organization_id } = organizations[0]
  const body = { csrf_token, decision: 'approve', organization_id, scopes: ['contracts:read'], sensitive_data: [] }
  return async () => {
    const { redirect_to } = (await consent(service, 'POST', request_id, { ...user, body })).body
    const code = new URL(redirect_to).searchParams.get('code') ?? ''
    assert.equal((await redeem(service, { client_id, code, verifier, challenge })).status, 200)
  }
}

async function kill({ api, workers }: FaultBench, load: TokenHolders): Promise<void> {
  const processes = [api, ...workers]
  for (let killed = 0; killed < kills; killed += 1) {
    await load.progress(10)
    await delay(Math.random() * 200)
    await processes[killed % processes.length]?.kill('SIGKILL')
    await processes[killed % processes.length]?.start()
  }
}

async function cut({ server }: FaultBench, load: TokenHolders) {
  const hit = { transactions: 0, commits: 0 }
  for (let done = 0; done < cuts; done += 1) {
    await load.progress(1)
    await delay(Math.random() * 50)
    const { transactions, commits } = await server.cut()
    hit.transactions += transactions
    hit.commits += commits
  }
  return hit
}

/**
 * Each family is one line of tokens: one lives, every other was exchanged for the next, and no grant has ended. Answers how
 * many exchanges are on record.
 */
async function reckonFamilies(database: Database): Promise<number> {
  const families = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
    tx.rows<{ revoked_reason: string | null; live: number; used: number; succeeded: number }>(sql`
      select g.revoked_reason, count(*) filter (where r.used_at is null)::int as live,
             count(*) filter (where r.used_at is not null)::int as used,
             count(distinct s.digest)::int as succeeded
      from oauth_grants g
      join oauth_refresh_tokens r on r.organization_id = g.organization_id and r.grant_id = g.id
      left join oauth_refresh_tokens s
        on s.organization_id = r.organization_id and s.digest = r.successor_digest and s.grant_id = r.grant_id
          and r.used_at is not null
      group by g.organization_id, g.id`),
  )
  for (const { revoked_reason, live, used, succeeded } of families)
    assert.deepEqual({ revoked_reason, live, succeeded }, { revoked_reason: null, live: 1, succeeded: used })
  return families.reduce((sum, { used }) => sum + used, 0)
}
