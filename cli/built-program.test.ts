import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildService } from '../scripts/build-service.ts'
import { build_folder, builtProgram, sourceAt, sourcesFile } from './built-program.ts'

const checkout = join(import.meta.dirname, '..')

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stint-built-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('the built program', () => {
  /** A build of one source, whose path is told. */
  async function buildOf(t: TestContext) {
    const folder = await newFolder(t)
    const source = join(folder, 'source.ts')
    await writeFile(source, 'export const word = 1')
    const sources = [sourceAt(relative(checkout, source))]
    await writeFile(join(folder, sourcesFile), JSON.stringify(sources))
    return { folder, source }
  }

  test('runs while every source is what it was', async (t) => {
    const { folder } = await buildOf(t)
    assert.equal(builtProgram(folder), pathToFileURL(join(folder, 'main.mjs')).href)
  })

  const changes: { name: string; change(source: string): Promise<void> }[] = [
    { name: 'has another length', change: (source) => writeFile(source, 'export const word = 12') },
    { name: 'was written again', change: (source) => utimes(source, 1, 1) },
    { name: 'is gone', change: (source) => rm(source) },
  ]
  for (const { name, change } of changes) {
    test(`gives way to the sources when one ${name}`, async (t) => {
      const { folder, source } = await buildOf(t)
      await change(source)
      assert.equal(builtProgram(folder), undefined)
    })
  }

  test('gives way to the sources where none was built, or its list is torn', async (t) => {
    const folder = await newFolder(t)
    assert.equal(builtProgram(folder), undefined)
    await writeFile(join(folder, sourcesFile), '[{"path":')
    assert.equal(builtProgram(folder), undefined)
  })

  test('is whole: it finds its files, starts the service with its database and stops', async (t) => {
    const folder = `${build_folder}-of-test-${process.pid}`
    t.after(() => rm(folder, { recursive: true, force: true }))
    await buildService(folder)
    const program = builtProgram(folder)
    assert.ok(program)
    const printed = await serve(program, await newFolder(t))
    assert.match(printed, /^ {2}curl --cacert /m)
    assert.doesNotMatch(printed, /localhost:0\//, 'a free port is chosen before it is told')
    const { own, imported } = await loadedWith(folder, ['main', 'serve', 'start'])
    assert.ok(own < first_bytes_max, `${own} bytes are loaded before the database is launched`)
    // It takes 45 ms, see server/surfaces/http1.ts.
    assert.ok(!(await loadedWith(folder, ['serve-until'])).imported.has('node:http'))
    assert.ok(!imported.has('node:http'))
  })
})

/** Of 4 MB: the words of the command line, settings, log and driver. */
const first_bytes_max = 500_000

/** What files of these names import at once, with all that those import: bytes of ours, and names of what is not. */
async function loadedWith(folder: string, names: string[]): Promise<{ own: number; imported: Set<string> }> {
  const files = (await readdir(folder)).filter((file) =>
    names.some((name) => file.replace(/(-[\w-]{8})?\.mjs$/, '') === name),
  )
  assert.equal(files.length, names.length, files.join(', '))
  const imported = new Set<string>()
  let own = 0
  // The list grows while it is walked.
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8')
    own += Buffer.byteLength(text)
    for (const [, name = ''] of text.matchAll(/^import .*?"([^"]+)";$/gm)) {
      if (!name.startsWith('./')) imported.add(name)
      else if (!files.includes(name.slice(2))) files.push(name.slice(2))
    }
  }
  return { own, imported }
}

/** Runs the program until it has said where it answers, and stops it. Answers what it printed. */
async function serve(program: string, data_dir: string): Promise<string> {
  const run = `const { run } = await import(${JSON.stringify(program)})
    process.exitCode = await run(['serve'])`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', run], {
    env: { PATH: process.env.PATH, STINT_DATA_DIR: data_dir, STINT_PORT: '0', STINT_MANAGEMENT_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = once(child, 'exit')
  let printed = ''
  for await (const chunk of child.stderr) {
    printed += chunk
    // The first signal stops the service, a second one would end it at once.
    if (!child.killed && /^ {2}curl .*\n/m.test(printed)) child.kill('SIGTERM')
  }
  assert.deepEqual(await exit, [0, null], printed)
  return printed
}
