import { newId } from '#core/values.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { issueToken } from '#identity/token.store.ts'
import { startBareToolServer } from './support/bare-server.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { openClient } from './support/https-client.ts'
import { type Installation, install } from './support/installation.ts'
import { createOrganization } from './support/organization.ts'
import { type Contender, measureRounds, ratioOf, rowsOf, type Samples } from './support/rounds.ts'
import { statementsOf } from './support/statements.ts'
import { type Spread, spreadOf } from './support/statistics.ts'

const contracts = 1_000
const rows = 20
const concurrency = 8
const rate_at_least = 0.8
const version = '2026-07-28'
const list_path = `/rest/v2/contracts?limit=${rows}`

const params = { name: 'list_contracts', arguments: { limit: rows } }
const _meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const accept = 'application/json, text/event-stream'

/** The same call as a client of either era sends it. */
const eras = {
  '2025-11-25': {
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: { accept, 'mcp-protocol-version': '2025-11-25' },
  },
  [version]: {
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }),
    headers: { accept, 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': params.name },
  },
}

/**
 * G9: what the service around a tool call leaves of the rate of the SDK with a bare handler. As in G7, that one runs the same
 * statements; one that asks no database at all is measured beside it.
 */
export const toolCall: Benchmark = {
  name: 'tool-call',
  summary: 'G9: authenticated list_contracts, 20 rows, in both eras, against the SDK with a bare handler',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installation = resources.use(await install())
    const organization = await createOrganization(installation, 'Harbour Pine')
    await fillContracts(installation, organization.id, contracts)
    const token = await personalToken(installation, organization.id)
    const { service } = installation
    const statements = await statementsOf(installation, list_path, token)
    const outcomes: Outcome[] = []
    const measured: Result['rows'] = []
    for (const [era, { body, headers }] of Object.entries(eras)) {
      const contend = async (name: string, { pid, origin }: { pid: number; origin: string }) => {
        const client = resources.use(await openClient(installation, origin, token, concurrency, headers))
        return { name: `${name}, ${era}`, pid, operate: () => client.call('POST', '/mcp', body) }
      }
      const stint = await contend('Stint', service)
      const { result } = JSON.parse(String(await stint.operate()))
      const bare = async (name: string, order: { statements: typeof statements }) =>
        contend(name, resources.use(await startBareToolServer(installation, { result, ...order })))
      const same = await bare('SDK, same statements', { statements })
      const alone = await bare('SDK, no database', { statements: [] })
      const list = resources.use(await openClient(installation, service.origin, token, concurrency))
      const rest = {
        name: `GET /contracts, ${era}`,
        pid: service.pid,
        operate: () => list.call('GET', list_path),
      }
      const samples = await measureRounds([stint, same, alone, rest], {
        rounds,
        round_ms,
        concurrency,
        databasePids: installation.server.pids,
      })
      measured.push(...rowsOf(samples))
      for (const [what, yardstick] of Object.entries({
        'running the same statements': same,
        'asking no database': alone,
      })) {
        outcomes.push({
          goal: 'G9',
          what: `rate in ${era} against the SDK with a bare handler ${what}`,
          measured: ratioOf(samples, stint, yardstick, 'per_s'),
          unit: '×',
          at_least: rate_at_least,
        })
      }
      const cost = ratioOf(samples, stint, rest, 'service_us')
      outcomes.push({ goal: '', what: `CPU in ${era} against GET /contracts`, measured: cost, unit: '×' })
      const both = cpuAgainstBoth(samples, stint, [alone, rest])
      outcomes.push({ goal: '', what: `CPU in ${era} against both of them together`, measured: both, unit: '×' })
    }
    return {
      method: `POST /mcp tools/call list_contracts of ${rows} rows, ${contracts} contracts, ${concurrency} keep-alive TLS connections, ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: installation.server.description,
      rows: measured,
      outcomes,
    }
  },
}

/** The cost of a call beyond the list and the SDK, each with a connection of its own: the yardstick alone asks no database. */
function cpuAgainstBoth(samples: Samples, own: Contender, parts: readonly Contender[]): Spread {
  const cpu = (contender: Contender, round: number) => samples.get(contender)?.[round]?.service_us ?? Number.NaN
  const rounds = (samples.get(own) ?? []).map((_, round) => round)
  return spreadOf(
    rounds.map((round) => cpu(own, round) / parts.reduce((sum, contender) => sum + cpu(contender, round), 0)),
  )
}

/** A user's own token: that of an organization does not open the tool server. */
function personalToken({ database }: Installation, organization_id: string): Promise<string> {
  return database.transaction({ role: 'owner', organization_id }, async (tx) => {
    const user_id = newId(Date.now())
    await insertUser(tx, { id: user_id, email: 'bench@example.org', name: 'Bench', password_hash: null })
    await grantMembership(tx, organization_id, user_id, 'owner')
    const { token } = await issueToken(tx, {
      id: newId(Date.now()),
      organization_id,
      kind: 'personal',
      name: 'bench',
      is_sandbox: false,
      scopes: ['contracts:read'],
      sensitive_data: ['compensation'],
      user_id,
      created_by: { kind: 'system', id: null, name: 'bench' },
      expires_at: null,
    })
    return token
  })
}
