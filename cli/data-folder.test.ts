import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { dataFolder, type Ran, stint } from '#test/stint.ts'

const isRoot = process.geteuid?.() === 0
const isLinux = process.platform === 'linux'
const inNamespace = ['--user', '--map-root-user', '--mount']

interface Case {
  name: string
  skip?: boolean
  /** Answers the data folder. */
  spoil(parent: string): Promise<string> | string
  words: RegExp
}

const cases: Case[] = [
  {
    name: 'lies below /proc',
    skip: !isLinux,
    spoil: () => '/proc/stint/data',
    words: /no folder can be made there \(ENOENT/,
  },
  { name: 'would lie in /proc', skip: !isLinux, spoil: () => '/proc/stint', words: /no folder can be made there/ },
  {
    name: 'lies below /sys',
    skip: !isLinux,
    spoil: () => '/sys/stint/data',
    words: /this user may not use it|read-only/,
  },
  { name: 'is a file', spoil: (parent) => file(join(parent, 'file')), words: /there is a file of that name/ },
  {
    name: 'lies below a file',
    spoil: async (parent) => join(await file(join(parent, 'file')), 'data'),
    words: /it, or what is above it, is a file/,
  },
  {
    name: 'has a file where the database belongs',
    spoil: async (parent) => {
      await file(join(parent, 'postgres'))
      return parent
    },
    words: /it, or what is above it, is a file/,
  },
  {
    name: 'belongs to others',
    skip: isRoot || !isLinux,
    spoil: async (parent) => {
      await chmod(parent, 0o500)
      return join(parent, 'data')
    },
    words: /this user may not use it/,
  },
]

async function file(path: string): Promise<string> {
  await writeFile(path, '')
  return path
}

function serve(data_dir: string, settings = {}) {
  return stint(['serve'], { STINT_DATA_DIR: data_dir, STINT_PORT: '0', STINT_MANAGEMENT_PORT: '0', ...settings })
}

/** One message, which names folder and setting, and status 78. */
function assertRefused({ status, error }: Ran, data_dir: string, words: RegExp): void {
  assert.equal(status, 78, error)
  assert.match(error, words)
  assert.ok(error.includes(data_dir), error)
  assert.match(error, /set STINT_DATA_DIR to another folder\.\n$/i)
  assert.equal(error.trimEnd().split('\n').length, 1, error)
}

describe('a start is refused in one line, at once, when the data folder', { timeout: 60_000 }, () => {
  for (const { name, skip = false, spoil, words } of cases) {
    test(name, { skip }, async (t) => {
      const data_dir = await spoil(await dataFolder(t))
      assertRefused(await serve(data_dir), data_dir, words)
    })
  }

  describe('is on a file system that', { skip: !isLinux || !mayMount() }, () => {
    const disks = [
      { name: 'is read-only', options: 'size=1m,ro', words: /its file system is read-only/ },
      {
        name: 'has no room for a new database',
        options: 'size=50m',
        words: /is full: 50 MiB are left, and a new database needs 100/,
      },
      {
        name: 'has no room for what a database writes',
        options: 'size=8m',
        cluster: 'postgres',
        words: /is full: 8 MiB are left, and the database needs 16/,
      },
    ]
    for (const { name, options, cluster = '.', words } of disks) {
      test(name, async (t) => {
        const data_dir = await dataFolder(t)
        assertRefused(serveOnDisk(data_dir, options, cluster), data_dir, words)
      })
    }
  })
})

function mayMount(): boolean {
  return spawnSync('unshare', [...inNamespace, 'mount', '-t', 'tmpfs', 'stint-test', tmpdir()]).status === 0
}

/** The disk is mounted for this process alone and goes with it. */
function serveOnDisk(data_dir: string, options: string, cluster: string): Ran {
  const script =
    'mount -t tmpfs -o "$1" stint-test "$2" && (mkdir -p "$2/$3" || true) 2>/dev/null && exec "$4" "$5" serve'
  const words = [options, data_dir, cluster, process.execPath, join(import.meta.dirname, 'stint.js')]
  const env = { PATH: process.env.PATH, STINT_DATA_DIR: data_dir, STINT_PORT: '0', STINT_MANAGEMENT_PORT: '0' }
  const ran = spawnSync('unshare', [...inNamespace, 'sh', '-c', script, 'sh', ...words], { env, encoding: 'utf8' })
  return { status: ran.status, out: ran.stdout, error: ran.stderr }
}

test('another command than serve is refused in the same way', async (t) => {
  const data_dir = await file(join(await dataFolder(t), 'file'))
  for (const words of [
    ['keys', 'create'],
    ['admin', 'reset', '--email', 'nora@example.org'],
  ])
    assertRefused(await stint(words, { STINT_DATA_DIR: data_dir }), data_dir, /is a file|a file of that name/)
})

test('a command for a service refuses a folder without a database in one line, and makes nothing there', async (t) => {
  const data_dir = join(await dataFolder(t), 'data')
  for (const line of [
    'admin create --email nora@example.org --organization Pine',
    'admin reset --email nora@example.org',
    'token create --organization Pine --name first --scopes all',
    'keys rotate',
    'keys status',
    'webhooks check',
    'webhooks release 019cadd4-c134-7a0c-8e1f-27b9c3d45e60',
  ]) {
    const { status, out, error } = await stint(line.split(' '), { STINT_DATA_DIR: data_dir })
    assert.deepEqual([status, out, error.trimEnd().split('\n').length], [78, '', 1], error)
    assert.ok(error.includes(`There is no database in ${data_dir}. Run \`stint serve\` first`), error)
    assert.match(error, /STINT_DATA_DIR/)
    assert.equal(existsSync(data_dir), false)
  }
})

test('a data folder below folders that are missing is made with them, for its owner only', async (t) => {
  const data_dir = join(await dataFolder(t), 'one', 'two')
  const { status, error } = await stint(['keys', 'create'], { STINT_DATA_DIR: data_dir })
  assert.equal(status, 0, error)
  assert.ok(existsSync(join(data_dir, 'secrets.json')))
})
