import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { dataFolder } from '#test/stint.ts'

const probe = ['--mount', 'mount', '-t', 'tmpfs', 'stint-test', tmpdir()]
/** Only root mounts a disk on which a server of another user can work. */
export const may_mount = process.geteuid?.() === 0 && spawnSync('unshare', probe).status === 0

const disk_mib = 250

/** A small disk of its own, seen through the process that holds it and by everything that it starts. */
export async function mountSmallDisk(t: TestContext) {
  const folder = join(await dataFolder(t), 'disk')
  await mkdir(folder)
  const script = `mount -t tmpfs -o size=${disk_mib}m,mode=0755 stint-test "$0" && echo mounted && exec sleep 600`
  const holder = spawn('unshare', ['--mount', 'sh', '-c', script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => holder.kill('SIGKILL'))
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  const pid = holder.pid ?? 0
  const inside = join(`/proc/${pid}/root`, folder)
  const filler = join(inside, 'fill')
  return {
    /** For the service that is to live on it. */
    data_dir: join(folder, 'data'),
    namespace: { pid, data_dir: join(inside, 'data') },
    filler,
    fill: () =>
      writeFile(filler, Buffer.alloc(disk_mib * 2 ** 20)).catch((error) => assert.equal(error.code, 'ENOSPC')),
  }
}
