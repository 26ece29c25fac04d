import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeFileAtomically } from './write-file-atomically.ts'

test('a file is replaced by another one with the mode asked for, whatever mode the old one had', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'key.pem')
  await writeFile(path, 'old', { mode: 0o666 })
  const old = await stat(path)
  await writeFileAtomically(path, 'new', 0o600)
  const renewed = await stat(path)
  assert.equal(await readFile(path, 'utf8'), 'new')
  assert.equal(renewed.mode & 0o777, 0o600)
  assert.notEqual(renewed.ino, old.ino)
})

test('a write that fails leaves no draft behind', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'taken', 'by a folder'), { recursive: true })
  await assert.rejects(writeFileAtomically(join(folder, 'taken'), 'text', 0o600))
  assert.deepEqual(await readdir(folder), ['taken'])
})

async function temporaryFolder(t: { after: (end: () => Promise<void>) => void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stint-write-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}
