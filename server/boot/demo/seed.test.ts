import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { settingsTable } from '#boot/config.ts'
import { createWholeService } from '#boot/service.ts'
import { readSettings } from '#boot/settings.ts'
import { createLog } from '#core/log.ts'
import { createOperatorToken } from '#operator/administration.ts'
import { anyOrganization } from '#resources/organizations/index.ts'
import { useTestDatabase } from '#test/database.ts'
import { holdInvariants } from '#test/invariants.ts'
import { dataFolder } from '#test/stint.ts'
import { type Demo, readDemo, seedDemo } from './seed.ts'

/** The service on an empty database, as `start --demo` finds it. */
async function emptyInstallation(t: TestContext) {
  const own = await useTestDatabase(t)
  const { database, connection, clock } = own
  const key = { id: 'test', key: randomBytes(32) }
  const secrets = { sealing_keys: [key] }
  const service = createWholeService({
    ...{ database, connection, secrets, clock, strict: true },
    config: readSettings(settingsTable, {}),
    origin: 'https://stint.test',
    log: createLog('silent'),
  })
  t.after(() => service.close())
  const isNew = async () => !(await database.transaction({ role: 'lookup' }, anyOrganization))
  const storage = {
    database,
    secrets,
    connection,
    isNew,
    secrets_file: '',
    kind: 'embedded',
    close: async () => {},
  } as const
  const file = join(await dataFolder(t), 'demo-credentials')
  const list = async (path: string, token: string) => {
    const { body } = await service.app.inject({ url: `/rest/v2${path}`, headers: { authorization: `Bearer ${token}` } })
    return JSON.parse(body).data as Record<string, string>[]
  }
  const post = (path: string, token: string) =>
    service.app.inject({ method: 'POST', url: `/rest/v2${path}`, headers: { authorization: `Bearer ${token}` } })
  return { service, storage, file, list, post, own }
}

type Installation = Awaited<ReturnType<typeof emptyInstallation>>

/** The demo with a fault at its `failing`th operation; answers how many were called. */
async function seedUntil({ service, storage, file }: Installation, failing: number): Promise<number> {
  let calls = 0
  const registry = {
    ...service.runtime.registry,
    operation: (id: string) => {
      calls += 1
      if (calls === failing) throw new Error('the process ends here')
      return service.runtime.registry.operation(id)
    },
  }
  const faulty = { ...service, runtime: { ...service.runtime, registry } }
  await seedDemo({ storage, service: faulty }, file).catch((error) =>
    assert.equal(error.message, 'the process ends here'),
  )
  return calls
}

test('the demo comes whole or not at all, wherever it is interrupted, and the next start makes it', async (t) => {
  const installation = await emptyInstallation(t)
  const { service, storage, file, list, own } = installation
  for (const failing of [1, 2, 47, 120, 160]) {
    assert.equal(await seedUntil(installation, failing), failing)
    assert.equal(await storage.isNew(), true, `nothing is left of a fault at operation ${failing}`)
    assert.equal(await readDemo(file), null)
  }
  const demo = await seedDemo({ storage, service }, file)
  assert.ok(demo)
  const contracts = await list('/contracts?limit=100', demo.token)
  assert.equal(contracts.length, 15)
  assert.deepEqual(
    contracts.map(({ title = '' }) => title).filter((title) => /\d/.test(title) || title.length < 8),
    [],
    'titles are of this world',
  )
  assert.equal((await list('/people?limit=100', demo.token)).length, 12)
  await approveWaiting(installation, demo)
  await holdInvariants({ database: own }, demo.organization_id)
})

/** Approves the payment that waits: the owner, who made it, is refused, and the second person is not. */
async function approveWaiting({ list, post, own }: Installation, { organization_id, token: of_demo }: Demo) {
  const [cancelled, waiting] = await list('/payments', of_demo)
  assert.ok(cancelled && waiting)
  assert.deepEqual([cancelled.status, waiting.status], ['cancelled', 'pending_approval'])
  const [line] = await list(`/audit-entries?subject_id=${cancelled.id}&action=payments.cancel`, of_demo)
  assert.match(JSON.stringify(line?.actor), /"kind":"user".*"name":"Omar Sayed"/)
  const approve = async (email: string) => {
    const { token } = await createOperatorToken(own.database, {
      ...{ organization: organization_id, user: email, name: 'approval' },
      ...{ scopes: 'all', sensitive_data: 'all', expires_at: null },
    })
    const { statusCode: archived } = await post(`/contracts/${waiting.id}/archive`, token)
    assert.equal(archived, email.startsWith('omar') ? 403 : 404, 'finance changes no contracts')
    const { statusCode, body } = await post(`/payments/${waiting.id}/approve`, token)
    return `${statusCode} ${JSON.parse(body).code ?? JSON.parse(body).status}`
  }
  assert.equal(await approve('nora@harbour.example'), '403 approver_is_maker')
  assert.equal(await approve('omar@harbour.example'), '200 processing')
}

test('the credentials of the demo are told again until somebody has seen them', async (t) => {
  const { service, storage, file } = await emptyInstallation(t)
  const demo = await seedDemo({ storage, service }, file)
  assert.ok(demo)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await readDemo(file), demo)
  assert.deepEqual(await seedDemo({ storage, service }, file), demo)
  await rm(file)
  assert.equal(await seedDemo({ storage, service }, file), null)
})

test('credentials of a demo that does not exist are not told, and their file goes', async (t) => {
  const first = await emptyInstallation(t)
  const second = await emptyInstallation(t)
  const { storage, service, file } = first
  assert.ok(await seedDemo({ storage, service }, file))
  assert.ok(await seedDemo(second, second.file))
  await writeFile(file, '# torn\nSTINT_TOKEN=x\n')
  assert.equal(await seedDemo({ storage, service }, file), null)
  assert.equal(await seedDemo({ storage, service }, second.file), null)
  await assert.rejects(stat(second.file), { code: 'ENOENT' })
})

test('two starts at once make one demo', async (t) => {
  const { service, storage, file, list } = await emptyInstallation(t)
  const both = await Promise.all([1, 2].map(() => seedDemo({ storage, service }, file)))
  const made = both.filter((demo) => demo !== null)
  assert.equal(made.length, 1)
  assert.equal((await list('/contracts?limit=100', made[0]?.token ?? '')).length, 15)
})
