import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ArchiveFault, createArchive, openArchive } from './archive.ts'

const files = { 'tables/people/000001.copy.gz': 'x'.repeat(700), 'manifest.json': '{}' }

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stint-archive-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

async function written(t: TestContext) {
  const path = join(await folder(t), 'one.tar')
  const archive = await createArchive(path, 1_795_000_000)
  for (const [name, content] of Object.entries(files)) await archive.add(name, Buffer.from(content))
  await archive.finish()
  return { path, bytes: await readFile(path) }
}

/** Reads all of an archive. */
async function readAll(path: string): Promise<Record<string, string>> {
  const archive = await openArchive(path)
  try {
    const contents = await Promise.all(archive.names.map(async (name) => [name, (await archive.read(name)).toString()]))
    return Object.fromEntries(contents)
  } finally {
    await archive.close()
  }
}

test('an archive gives back what was put into it, in its order', async (t) => {
  const { path } = await written(t)
  assert.deepEqual(Object.entries(await readAll(path)), Object.entries(files))
})

test('a flipped bit is found in every byte of an archive: contents, headers, sums and what lies between', async (t) => {
  const { path, bytes } = await written(t)
  const unseen: number[] = []
  const file = await open(path, 'r+')
  for (const [place, byte] of bytes.entries()) {
    await file.write(Buffer.from([byte ^ (1 << (place % 8))]), 0, 1, place)
    await readAll(path).then(
      () => unseen.push(place),
      (error) => assert.ok(error instanceof ArchiveFault, String(error)),
    )
    await file.write(Buffer.from([byte]), 0, 1, place)
  }
  await file.close()
  assert.deepEqual(unseen, [])
})

test('an archive that was cut, or goes on behind its end, is refused', async (t) => {
  const { path, bytes } = await written(t)
  for (let length = bytes.length - 1; length > 0; length -= 97) {
    await writeFile(path, bytes.subarray(0, length))
    await assert.rejects(readAll(path), ArchiveFault)
  }
  await writeFile(path, bytes.subarray(0, 3_000))
  await assert.rejects(readAll(path), { message: 'the archive is cut: its end is missing' })
  await writeFile(path, Buffer.concat([bytes, Buffer.alloc(1)]))
  await assert.rejects(readAll(path), /damaged at its end/)
})

test('another file is told apart from a damaged archive', async (t) => {
  const path = join(await folder(t), 'other')
  for (const content of ['', 'hello', '-- PostgreSQL database dump\n'.repeat(100), Buffer.alloc(10_240)]) {
    await writeFile(path, content)
    await assert.rejects(readAll(path), /^ArchiveFault: the file is no backup of Stint/)
  }
  spawnSync('tar', ['-cf', path, '-C', import.meta.dirname, 'archive.ts'])
  await assert.rejects(readAll(path), /^ArchiveFault: the file is no backup of Stint/)
})

test('an archive takes the place of no other file, and leaves nothing when it is given up', async (t) => {
  const path = join(await folder(t), 'one.tar')
  const first = await createArchive(path, 1)
  const second = await createArchive(path, 1)
  await first.add('a', Buffer.from('first'))
  await first.finish()
  await second.add('a', Buffer.from('second'))
  await assert.rejects(second.finish(), { code: 'EEXIST' })
  await second.discard()
  assert.deepEqual(await readAll(path), { a: 'first' })
  assert.deepEqual(await readdir(join(path, '..')), ['one.tar'])
})

const lacksTools = ['tar', 'sha256sum'].some((tool) => spawnSync(tool, ['--version']).error)

test('the tools of every system read and check an archive', { skip: lacksTools }, async (t) => {
  const { path } = await written(t)
  const into = await folder(t)
  const run = (tool: string, ...words: string[]) => spawnSync(tool, words, { cwd: into, encoding: 'utf8' })
  assert.equal(run('tar', '-xf', path).status, 0)
  const { status, stdout } = run('sha256sum', '-c', 'SHA256SUMS')
  assert.equal(status, 0, stdout)
  assert.equal(
    stdout,
    `${Object.keys(files)
      .map((name) => `${name}: OK\n`)
      .join('')}`,
  )
})
