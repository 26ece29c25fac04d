import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { startReceiver } from '#test/receiver.ts'
import { dataFolder, stint } from '#test/stint.ts'
import { contract, readAllContracts, writeContracts } from './support/load.ts'
import { startFaultyServer } from './support/postgresql.ts'
import { untilDelivered } from './support/reckoning.ts'

const kills = Number(process.env.KILLS ?? 0)
const root = new URL('../..', import.meta.url).pathname
const git = (...words: string[]) => spawnSync('git', words, { cwd: root, maxBuffer: 2 ** 30 })

/** The last commit before the newest migration, where the history is there. */
function formerCommit(): string | null {
  const newest = git('log', '-1', '--format=%H', '--diff-filter=A', '--', 'server/db/migrations')
    .stdout?.toString()
    .trim()
  const former = newest && git('rev-parse', '--verify', '--quiet', `${newest}^`).stdout.toString().trim()
  return former || null
}

const former = formerCommit()
const skip = (kills === 0 && 'a fault run: npm run faults') || (!former && 'the history of the repository is not here')

test('the former release goes on serving and delivering while and after the schema is brought up to this one', {
  skip,
}, async (t) => {
  const folder = await dataFolder(t)
  const sources = join(folder, 'former')
  await mkdir(sources)
  const { stdout } = git('archive', former ?? '')
  assert.equal(spawnSync('tar', ['-x', '-C', sources], { input: stdout }).status, 0)
  await symlink(join(root, 'node_modules'), join(sources, 'node_modules'))
  const program = join(sources, 'cli/stint.js')

  const server = await startFaultyServer(folder, false)
  t.after(() => server.stop())
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  await writeFile(join(folder, 'receiver-ca.pem'), receiver.ca)
  const environment = {
    DATABASE_URL: server.url,
    STINT_DATA_DIR: folder,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(folder, 'receiver-ca.pem'),
    STINT_RATE_LIMIT_REQUESTS: '1000000',
  }
  const run = async (line: string, of = program) => {
    const { status, out, error } = await stint(line.split(' '), environment, '', of)
    assert.equal(status, 0, error)
    return out
  }
  await run('keys create')
  await run('migrate up')
  const port = await freePort()
  const old = await startServiceProcess({ data_dir: folder, port, demo: true, environment, program })
  t.after(() => old.kill('SIGTERM'))
  const client = await clientFor(folder, old.token ?? '')
  t.after(() => client.close())
  const base = `${old.origin}/rest/v2`
  const { status, body } = await client.call('POST', `${base}/webhooks`, {
    url: receiver.url,
    events: ['contract.created'],
  })
  assert.equal(status, 201)
  const before = await readAllContracts(client, base)

  const load = writeContracts(client, base)
  await load.progress(20)
  const applied = await run('migrate up', join(root, 'cli/stint.js'))
  assert.match(applied, /^applied \d{4}_/m)
  await load.progress(100)
  const acknowledged = await load.stop()
  for (let call = 0; call < 20; call += 1) {
    const made = await client.call('POST', `${base}/contracts`, contract(`after-${call}`))
    assert.equal(made.status, 201, JSON.stringify(made.body))
    acknowledged.add(made.body.id)
  }
  await untilDelivered(client, base, body.id)
  await old.kill('SIGTERM')

  // Begun anew it refuses, before it writes anything.
  const refused = await stint(['serve'], { ...environment, STINT_PORT: '0', STINT_MANAGEMENT_PORT: '0' }, '', program)
  assert.equal(refused.status, 78, refused.error)
  assert.match(refused.error, /is newer than this release: install the newer release/)

  const service = await startServiceProcess({ data_dir: folder, port, environment })
  t.after(() => service.kill('SIGTERM'))
  const existing = (await readAllContracts(client, base)).difference(before)
  assert.deepEqual(existing, acknowledged)
  const named = new Set(
    receiver.requests.map(({ body: sent }) => JSON.parse(sent.toString()).data.resource[0].contract_id),
  )
  assert.ok(acknowledged.isSubsetOf(named), 'every contract was told')
  await run('webhooks check', join(root, 'cli/stint.js'))
  t.diagnostic(`${applied.trim()}: ${existing.size} acknowledged, exist and told, of ${former}`)
})
