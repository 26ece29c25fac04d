import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '#db/database.ts'
import {
  authorize,
  type Connection,
  encoded,
  type Injected,
  obtainCode,
  pkce,
  redeem,
  refresh,
  register,
  type SignedIn,
} from '#test/oauth.ts'
import { request } from '#test/tool-client.ts'
import { startFaultBench } from './support/fault-bench.ts'
import { keepCalling, type Lane } from './support/lanes.ts'
import { openRemoteServices, type RemoteService } from './support/remote-service.ts'

const skip = Number(process.env.KILLS ?? 0) === 0 && 'a fault run: npm run faults'
const outage_ms = 5_000

test('a database that is stopped under a load of authorizations, exchanges and calls makes 503s, and costs nobody a token', {
  skip,
}, async (t) => {
  const bench = await startFaultBench(t, { workers: 0 })
  const { services, user } = await openRemoteServices(t, bench)
  const [service] = services
  assert.ok(service)
  const rest = await connectTo(service, user, '/rest/v2')
  const mcp = await connectTo(service, user, '/mcp')
  const connectAnew = () => connectTo(service, user, '/rest/v2')
  const exchanger = openExchanger(service, await connectAnew(), connectAnew)
  const isOk = ({ statusCode }: Injected) => statusCode === 200
  const lanes: Record<string, Lane> = {
    authorize: {
      call: () => authorize(service, rest.client_id, pkce().challenge, { resource: null }),
      isGood: ({ statusCode, headers }) =>
        statusCode === 303 && /\/console\/authorize\//.test(String(headers.location)),
    },
    token: exchanger.lane,
    tool: {
      call: () => callTools(service, request('tools/call', { name: 'list_contracts', arguments: {} }), mcp),
      isGood: (answer) => isOk(answer) && answer.json().result?.structuredContent !== undefined,
    },
    'tool list': { call: () => callTools(service, request('tools/list')), isGood: isOk, is_open: true },
    rest: {
      call: () => service.app.inject({ url: '/rest/v2/contracts', headers: bearer(rest) }),
      isGood: isOk,
    },
  }
  const counts = await keepCalling(lanes, async (untilGood) => {
    await untilGood()
    await bench.server.refuse(true)
    await delay(outage_ms)
    await bench.server.refuse(false)
    await untilGood()
    await bench.server.restart()
    await untilGood()
  })
  for (const [name, { refused }] of Object.entries(counts)) assert.equal(refused > 0, name !== 'tool list', name)
  const { client_ids, exchanged, lost } = exchanger
  assert.equal(await exchangesOnRecord(bench.database, client_ids), exchanged + lost)
  for (const { client_id, refresh_token } of [rest, mcp, exchanger.held])
    assert.equal((await refresh(service, client_id, refresh_token)).status, 200)
  t.diagnostic(JSON.stringify({ ...counts, lost }))
})

async function connectTo(service: RemoteService, user: SignedIn, path: string): Promise<Connection> {
  const { client_id } = await register(service)
  const code = await obtainCode(service, client_id, user, { resource: `${service.origin}${path}` })
  const { status, body } = await redeem(service, code)
  assert.equal(status, 200, JSON.stringify(body))
  return { client_id, ...body }
}

const bearer = ({ access_token }: Connection) => ({ authorization: `Bearer ${access_token}` })

function callTools({ app }: RemoteService, payload: string, held?: Connection): Promise<Injected> {
  const headers = { 'content-type': 'application/json', ...(held && bearer(held)) }
  return app.inject({ method: 'POST', url: '/mcp', headers, payload })
}

/**
 * A client that exchanges its refresh token again and again, and counts what it was given. One exchange may be committed
 * in the very moment in which its connection is cut: then the repeat is refused, and the client connects anew.
 */
function openExchanger({ app }: RemoteService, connected: Connection, connectAnew: () => Promise<Connection>) {
  let isUnanswered = false
  const exchanger = {
    held: connected,
    client_ids: [connected.client_id],
    exchanged: 0,
    lost: 0,
    lane: {
      async call() {
        const answer = await exchange()
        const isLost = isUnanswered && answer.statusCode === 400 && answer.json().error === 'invalid_grant'
        isUnanswered = answer.statusCode === 503
        if (!isLost) return answer
        exchanger.lost += 1
        exchanger.held = await connectAnew()
        exchanger.client_ids.push(exchanger.held.client_id)
        return exchange()
      },
      isGood(answer: Injected) {
        if (answer.statusCode !== 200) return false
        exchanger.held = { ...exchanger.held, ...answer.json() }
        exchanger.exchanged += 1
        return true
      },
    },
  }
  const exchange = () => {
    const { client_id, refresh_token } = exchanger.held
    return app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: encoded({ grant_type: 'refresh_token', client_id, refresh_token }),
    })
  }
  return exchanger
}

async function exchangesOnRecord(database: Database, client_ids: string[]): Promise<number> {
  const row = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
    tx.row<{ used: number }>(sql`
      select count(*)::int as used from oauth_refresh_tokens r
      join oauth_grants g on g.organization_id = r.organization_id and g.id = r.grant_id
      where g.client_id = any (${client_ids}) and r.used_at is not null`),
  )
  return row?.used ?? 0
}
