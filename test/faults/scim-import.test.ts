import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importAndPatch } from '#test/scim-import.ts'
import { startFaultBench } from './support/fault-bench.ts'

const kills = Number(process.env.KILLS ?? 0)
const users = 10_000
const patches = 1_000

test(`an import of ${users} users and ${patches} PATCHes in parallel, at two API processes, lose and double nothing`, {
  skip: kills === 0 && 'a fault run: npm run faults',
}, async (t) => {
  const settings = { STINT_RATE_LIMIT_SCIM: '1000000' }
  const { api, workers, client, base, database } = await startFaultBench(t, {
    workers: 1,
    role: 'api',
    is_cut: false,
    settings,
  })
  const origins = [api, ...workers].map(({ origin }) => origin)
  const organization_id = (await client.call('GET', `${base}/organizations`)).body.data[0].id
  let turn = 0
  const figures = await importAndPatch(
    (method, path, body) => client.call(method, `${origins[turn++ % origins.length]}/scim/v2${path}`, body),
    { database, organization_id },
    users,
    patches,
  )
  assert.ok(turn > users + patches)
  t.diagnostic(JSON.stringify(figures))
})
