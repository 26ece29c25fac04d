import assert from 'node:assert/strict'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { openDataFolder } from './data-folder.ts'
import { chooseRunAs } from './run-as.ts'

/** Stands for the server: a program that everybody reaches. */
const program = '/bin/sh'
const uid = process.geteuid?.()

async function newParent(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'stint-run-as-'))
  t.after(() => rm(parent, { recursive: true }))
  return parent
}

test('an ordinary user runs the server plainly', { skip: uid === 0 }, async (t) => {
  const folder = await openDataFolder(join(await newParent(t), 'data'))
  assert.deepEqual(await chooseRunAs(folder, program), { prefix: [] })
})

describe('root', { skip: uid !== 0 }, () => {
  const user = { uid: 65_534, gid: 65_534 }

  test('runs the server as the owner of the data folder', async (t) => {
    const parent = await newParent(t)
    await chmod(parent, 0o755)
    const folder = await openDataFolder(join(parent, 'data'))
    await chown(folder.path, user.uid, user.gid)
    assert.equal((await chooseRunAs(folder, program)).user?.uid, user.uid)
  })

  test("runs the server as the owner of the checkout where that user's folder is closed even to root's namespace", async (t) => {
    const parent = await newParent(t)
    const folder = await openDataFolder(join(parent, 'data'))
    await chown(parent, user.uid, user.gid)
    assert.equal((await chooseRunAs(folder, program)).user?.uid, user.uid)
  })

  test('is refused with the way out when the program lies where its stand-in may not go', async (t) => {
    const parent = await newParent(t)
    await chmod(parent, 0o755)
    const folder = await openDataFolder(join(parent, 'data'))
    await chown(folder.path, user.uid, user.gid)
    await assert.rejects(chooseRunAs(folder, join(parent, 'absent')), {
      code: 'identity_refused',
      message: /DATABASE_URL/,
    })
  })
})
