import { sql } from '#db/database.ts'
import { digestOf } from '#identity/token-format.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { type Installation, install } from './support/installation.ts'
import { openLocalService } from './support/local-service.ts'
import { type Family, type OAuthFlows, openFlows } from './support/oauth-flows.ts'
import { createOrganization } from './support/organization.ts'
import { record, renewing, replay } from './support/replay.ts'
import { type Contender, measureRounds, ratioOf, rowsOf } from './support/rounds.ts'

const concurrency = 8
/** Each may ask 600 times a minute, and nobody's families are asked that often. */
const clients = 400
const at_least = 0.6

/** G10: a refresh exchange and a whole code flow against the statements they send; registration and introspection beside. */
export const authorization: Benchmark = {
  name: 'authorization',
  summary:
    'G10: refresh exchange, code flow, registration, introspection against the bare transactions of their statements',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installation = resources.use(await install({ STINT_ROLES: 'api' }))
    const local = resources.use(openLocalService(installation, concurrency))
    const organization = await createOrganization(installation, 'Harbour Pine')
    const flows = await openFlows(local, installation.service.origin, organization.id)
    const families = await Promise.all(
      Array.from({ length: clients }, async () => flows.connect(await flows.register())),
    )
    const { pool } = local.database
    const [refresh, bareRefresh] = await refreshContenders(installation, flows, families, pool)
    const [code, bareCode] = await codeContenders(flows, families, pool)
    const [registration, bareRegistration] = await registrationContenders(flows, pool)
    const [introspection, bareIntrospection] = await introspectionContenders(flows, pool)
    const databasePids = installation.server.pids
    const contenders = [refresh, bareRefresh, code, bareCode]
    contenders.push(registration, bareRegistration, introspection, bareIntrospection)
    const samples = await measureRounds(contenders, { rounds, round_ms, concurrency, databasePids })
    const rate = (what: string, own: Contender, yardstick: Contender): Outcome => {
      const measured = ratioOf(samples, own, yardstick, 'per_s')
      return { goal: '', what, measured, unit: '×' }
    }
    const goal = { goal: 'G10', at_least }
    return {
      method: `exchanges per second through the endpoints, in the calling process, ${clients} clients with one family each, ${concurrency} at once; the statements are those that the service sent, with its waits and with values of their own; ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: installation.server.description,
      rows: rowsOf(samples),
      outcomes: [
        { ...rate('rate of refresh exchanges against their statements', refresh, bareRefresh), ...goal },
        {
          ...rate('rate of code flows (authorization, consent, token) against their statements', code, bareCode),
          ...goal,
        },
        rate('rate of registrations against their statements', registration, bareRegistration),
        rate('rate of introspections against their statements', introspection, bareIntrospection),
      ],
    }
  },
}

type Pool = Parameters<typeof replay>[0]

/** A family as the database has it: the digest of its live refresh token, and its grant. */
interface Lane {
  digest: Buffer
  grant_id: string
}

async function refreshContenders(
  installation: Installation,
  flows: OAuthFlows,
  families: Family[],
  pool: Pool,
): Promise<[Contender, Contender]> {
  // Each was refreshed before: what happens at a client's first exchange only is not what is measured.
  const recorded = await Promise.all(families.splice(0, 2).map(flows.refresh))
  const lanes = await Promise.all(families.splice(0, concurrency).map((family) => laneOf(installation, family)))
  const [first, second] = recorded
  if (!first || !second) throw new Error('there are no families')
  const before = await laneOf(installation, first)
  let after = before
  const recording = await record(pool, async () => {
    const next = await flows.refresh(first)
    after = { ...before, digest: digestOf(next.refresh_token) }
  })
  const renew = renewing(recording, await record(pool, () => flows.refresh(second)))
  const bare = async () => {
    const lane = lanes.shift()
    if (!lane) throw new Error('every lane is taken')
    const renewal = renew()
    const successor = renewal.get(after.digest.toString('hex'))
    if (!Buffer.isBuffer(successor)) throw new Error('the recording has no new refresh token')
    renewal.set(before.digest.toString('hex'), lane.digest).set(before.grant_id, lane.grant_id)
    await replay(pool, recording, renewal)
    lanes.push({ ...lane, digest: successor })
  }
  const idle = [...families]
  const operate = async () => {
    const family = idle.shift()
    if (!family) throw new Error('every family is being refreshed')
    idle.push(await flows.refresh(family))
  }
  return [
    { name: 'refresh', pid: process.pid, operate },
    { name: 'refresh, bare statements', pid: process.pid, operate: bare },
  ]
}

async function laneOf(installation: Installation, family: Family): Promise<Lane> {
  const digest = digestOf(family.refresh_token)
  const row = await installation.database.transaction({ role: 'engine' }, (tx) =>
    tx.row<{ grant_id: string }>(sql`select grant_id from oauth_refresh_tokens where digest = ${digest}`),
  )
  if (!row) throw new Error('the family is not in the database')
  return { digest, grant_id: row.grant_id }
}

async function codeContenders(flows: OAuthFlows, families: Family[], pool: Pool): Promise<[Contender, Contender]> {
  let turn = 0
  const operate = async () => {
    turn += 1
    await flows.connect(families[turn % families.length]?.client_id ?? '')
  }
  const client_id = families[0]?.client_id ?? ''
  await flows.connect(client_id)
  const recording = await record(pool, () => flows.connect(client_id))
  const other = await record(pool, () => flows.connect(client_id))
  const renew = renewing(recording, other)
  return [
    { name: 'code flow', pid: process.pid, operate },
    { name: 'code flow, bare statements', pid: process.pid, operate: () => replay(pool, recording, renew()) },
  ]
}

async function registrationContenders(flows: OAuthFlows, pool: Pool): Promise<[Contender, Contender]> {
  await flows.register()
  const recording = await record(pool, flows.register)
  const renew = renewing(recording, await record(pool, flows.register))
  return [
    { name: 'registration', pid: process.pid, operate: flows.register },
    { name: 'registration, bare statements', pid: process.pid, operate: () => replay(pool, recording, renew()) },
  ]
}

/** Clients ask about tokens of their own, in turn, since each may ask 600 times a minute. */
async function introspectionContenders(flows: OAuthFlows, pool: Pool): Promise<[Contender, Contender]> {
  const asking = await Promise.all(Array.from({ length: clients }, flows.connectConfidential))
  const operate = async () => {
    const one = asking.shift()
    if (!one) throw new Error('every client is asking')
    await flows.introspect(one)
    asking.push(one)
  }
  // Each client was used before: that is written once in a while only, and not what is measured.
  for (const _ of [...asking]) await operate()
  const recording = await record(pool, operate)
  return [
    { name: 'introspection', pid: process.pid, operate },
    { name: 'introspection, bare statements', pid: process.pid, operate: () => replay(pool, recording, new Map()) },
  ]
}
