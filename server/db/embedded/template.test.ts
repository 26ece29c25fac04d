import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, watch, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { isOpenToAll, makeClusterIn } from '#test/embedded-cluster.ts'
import { defaultTransport } from './address.ts'
import { findPackage } from './binaries.ts'
import { makeTemplate } from './make-template.ts'
import { startEmbeddedPostgres } from './start.ts'
import { templateFile } from './template.ts'

/** `makeClusterIn` in a process of its own. */
const making = `
  const [data_dir, templates] = process.argv.slice(1)
  const { makeClusterIn } = await import(${JSON.stringify(import.meta.resolve('#test/embedded-cluster.ts'))})
  await makeClusterIn(data_dir, templates)`

async function emptyFolder(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'stint-template-test-'))
  t.after(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'data')
}

/** Starts the server of a data folder, asks it, and stops it. */
async function ask<Row extends pg.QueryResultRow>(data_dir: string, text: string): Promise<Row[]> {
  const server = await startEmbeddedPostgres({ data_dir })
  const client = new pg.Client({ ...server.owner, ssl: false })
  try {
    await client.connect()
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
    await server.stop()
  }
}

async function isMigrated(data_dir: string): Promise<boolean> {
  const [row] = await ask<{ found: boolean }>(data_dir, `select to_regclass('schema_migrations') is not null as found`)
  return row?.found ?? false
}

const skip = defaultTransport === 'tcp'

describe('a cluster made at the installation', { skip, timeout: 180_000 }, () => {
  let templates = ''
  let file = ''

  before(async () => {
    templates = await mkdtemp(join(tmpdir(), 'stint-templates-'))
    await writeFile(join(templates, 'cluster-of-another-release'), '')
    file = await makeTemplate(templates)
  })

  after(() => rm(templates, { recursive: true, force: true }))

  test('is one file, which replaces that of another release', async () => {
    assert.deepEqual(await readdir(templates), [file.slice(templates.length + 1)])
  })

  test('is what a first start begins with: migrated, for its owner only', async (t) => {
    const data_dir = await emptyFolder(t)
    await makeClusterIn(data_dir, templates)
    assert.deepEqual(await readdir(data_dir), ['postgres'])
    for (const entry of await readdir(join(data_dir, 'postgres'), { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      assert.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name)
    }
    assert.ok(await isMigrated(data_dir))
  })

  test('holds no password and no row that belongs to anybody', async (t) => {
    const data_dir = await emptyFolder(t)
    await makeClusterIn(data_dir, templates)
    const [passwords] = await ask(data_dir, 'select count(*)::int as held from pg_authid where rolpassword is not null')
    assert.deepEqual(passwords, { held: 0 })
    const filled = await ask<{ name: string }>(
      data_dir,
      `select relname as name from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
          and (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', oid::regclass), true, true, '')))[1]::text::int > 0`,
    )
    assert.deepEqual(filled.map(({ name }) => name).sort(), [
      'event_feed_floor',
      'event_feed_head',
      'schema_migrations',
      'webhook_schedules',
    ])
  })

  test('serves a folder that belongs to another user than root', { skip: process.geteuid?.() !== 0 }, async (t) => {
    const data_dir = await emptyFolder(t)
    if (!(await isOpenToAll(findPackage()))) return t.skip('this checkout is closed to other users')
    await chmod(dirname(data_dir), 0o755)
    await mkdir(data_dir, { mode: 0o700 })
    await chown(data_dir, 65_534, 65_534)
    await makeClusterIn(data_dir, templates)
    for (const name of await readdir(join(data_dir, 'postgres'), { recursive: true })) {
      assert.equal((await stat(join(data_dir, 'postgres', name))).uid, 65_534, name)
    }
    assert.ok(await isMigrated(data_dir))
  })

  test('a start killed while it copies leaves a folder that the next one uses', async (t) => {
    const data_dir = await emptyFolder(t)
    await mkdir(data_dir, { mode: 0o700 })
    const changes = watch(data_dir)
    const child = spawn(process.execPath, ['--input-type=module', '--eval', making, data_dir, templates])
    const exit = once(child, 'exit')
    for await (const { filename } of changes) if (filename?.startsWith('postgres.new-')) break
    child.kill('SIGKILL')
    await exit
    const [torn] = await readdir(data_dir)
    assert.match(torn ?? '', /^postgres\.new-/)
    await makeClusterIn(data_dir, templates)
    assert.ok(await isMigrated(data_dir))
    assert.ok(!(await readdir(data_dir)).includes(torn ?? ''))
  })

  describe('is left alone, and initdb makes the cluster, where it', () => {
    const cases: { name: string; spoil(path: string, whole: Buffer): Promise<void> }[] = [
      { name: 'is half of it', spoil: (path, whole) => writeFile(path, whole.subarray(0, whole.length / 2)) },
      { name: 'has one bit changed', spoil: (path, whole) => writeFile(path, flipped(whole)) },
      { name: 'is of another release', spoil: (path, whole) => writeFile(`${path.slice(0, -1)}x`, whole) },
    ]
    for (const { name, spoil } of cases) {
      test(name, async (t) => {
        const data_dir = await emptyFolder(t)
        const spoiled = join(dirname(data_dir), 'templates')
        await mkdir(spoiled)
        await spoil(await templateFile(spoiled, findPackage()), await readFile(file))
        await makeClusterIn(data_dir, spoiled)
        assert.deepEqual(await readdir(data_dir), ['postgres'])
        assert.equal(await isMigrated(data_dir), false)
      })
    }
  })
})

function flipped(whole: Buffer): Buffer {
  const spoiled = Buffer.from(whole)
  const middle = spoiled.length >> 1
  spoiled[middle] = (spoiled[middle] ?? 0) ^ 1
  return spoiled
}
