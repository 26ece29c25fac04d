import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, cp, lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Binaries, findBinaries, findPackage } from './binaries.ts'
import { type EmbeddedPostgresError, openDataFolder } from './data-folder.ts'

const run = promisify(execFile)

describe('a machine without binaries is told so and pointed to DATABASE_URL', () => {
  const cases = [
    { name: 'unknown system', target: { platform: 'freebsd', arch: 'x64' }, words: 'not bundled for freebsd x64' },
    {
      name: 'unknown processor',
      target: { platform: 'linux', arch: 'riscv64' },
      words: 'not bundled for linux riscv64',
    },
    {
      name: 'musl instead of glibc',
      target: { platform: 'linux', arch: 'x64', loader: '/lib64/no-such-loader.so.2' },
      words: 'needs a Linux with glibc',
    },
    {
      name: 'package of another system',
      // Never installed together with this system's.
      target: process.platform === 'win32' ? { platform: 'darwin', arch: 'x64' } : { platform: 'win32', arch: 'x64' },
      words: 'is not installed',
    },
  ]
  for (const { name, target, words } of cases) {
    test(name, () => {
      assert.throws(
        () => findPackage(target),
        (error: EmbeddedPostgresError) => {
          assert.equal(error.code, 'no_binaries')
          assert.ok(error.message.includes(words), error.message)
          assert.match(error.message, /DATABASE_URL/)
          return true
        },
      )
    })
  }
})

describe('a package whose postinstall script did not run', { skip: process.platform !== 'linux' }, () => {
  let workplace = ''
  let package_folder = ''
  let links: string[] = []

  before(async () => {
    workplace = await mkdtemp(join(tmpdir(), 'stint-binaries-'))
    // Open to all, for the case that continues as another user.
    await chmod(workplace, 0o755)
    package_folder = join(workplace, 'package')
    await cp(findPackage(), package_folder, { recursive: true })
    const list = JSON.parse(await readFile(join(package_folder, 'native', 'pg-symlinks.json'), 'utf8'))
    links = list.map(({ target }: { target: string }) => join(package_folder, target))
  })

  beforeEach(async () => {
    for (const link of links) await rm(link, { force: true })
  })

  after(() => rm(workplace, { recursive: true, force: true }))

  async function version(program: string, { environment }: Binaries): Promise<string> {
    return (await run(program, ['--version'], { env: { ...environment } })).stdout
  }

  test('gets its links, and its programs run', async () => {
    await assert.rejects(run(join(package_folder, 'native', 'bin', 'initdb'), ['--version']), /shared librar/)
    const binaries = await findBinaries(await openDataFolder(join(workplace, 'data')), package_folder)
    assert.equal(links.length, 14)
    for (const link of links) assert.ok((await lstat(link)).isSymbolicLink(), link)
    assert.deepEqual(binaries.environment, {})
    for (const program of [binaries.initdb, binaries.postgres]) assert.match(await version(program, binaries), / 18\./)
  })

  test('gets them in the data folder when it may not be written to', async (t) => {
    const folder = await openDataFolder(join(workplace, 'data-beside-read-only'))
    const lib = join(package_folder, 'native', 'lib')
    await chmod(lib, 0o555)
    t.after(() => chmod(lib, 0o755))
    const binaries = await withoutPrivileges(folder.path, () => findBinaries(folder, package_folder))
    assert.equal((await readdir(folder.libraries)).length, 14)
    await assert.rejects(lstat(links[0] ?? ''), { code: 'ENOENT' })
    for (const program of [binaries.initdb, binaries.postgres]) assert.match(await version(program, binaries), / 18\./)
    const again = await withoutPrivileges(folder.path, () => findBinaries(folder, package_folder))
    assert.deepEqual(again, binaries)
  })
})

/** root may write anywhere, so it works as nobody meanwhile. */
async function withoutPrivileges<Result>(data_dir: string, work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work()
  await chown(data_dir, 65_534, 65_534)
  process.seteuid?.(65_534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
