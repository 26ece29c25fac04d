import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metrics } from '#core/metrics.ts'
import { sql } from '#db/database.ts'
import { DatabaseUnavailable, diskFull } from '#db/errors.ts'
import { useTestDatabase } from '#test/database.ts'
import { dataFolder } from '#test/stint.ts'
import { diskCheck, watchDataFolder } from './disk.ts'

const mebibyte = 1024 ** 2
const never = () => diskFull.last_at_ms + 3_600_000

for (const { name, space, says } of [
  { name: 'room enough', space: { free_bytes: 600 * mebibyte, has_free_files: true }, says: null },
  { name: 'little room', space: { free_bytes: 500 * mebibyte, has_free_files: true }, says: /warning.*500 MiB.*soon/ },
  { name: 'no room', space: { free_bytes: 10 * mebibyte, has_free_files: true }, says: /^"10 MiB are free for \/data/ },
  {
    name: 'no room for a file',
    space: { free_bytes: 9e9, has_free_files: false },
    says: /^"\/data has no room.*inode/,
  },
]) {
  test(`readiness tells of a data folder with ${name}`, async () => {
    const told = await diskCheck('/data', never, async () => space)()
    if (says) assert.match(JSON.stringify(told), says)
    else assert.equal(told, null)
  })
}

test('a statement that found the disk of the database full fails readiness for a minute, and is counted', async (t) => {
  const { database } = await useTestDatabase(t)
  const before = diskFull.failures
  const full = sql`do $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`
  await assert.rejects(
    database.transaction({ role: 'operator' }, (tx) => tx.run(full)),
    DatabaseUnavailable,
  )
  const at = (ms: number) => diskCheck(null, () => diskFull.last_at_ms + ms)()
  assert.equal(await at(12_000), 'the database had no space on its disk 12 s ago: make room there')
  assert.equal(await at(61_000), null)
  assert.match(await metrics.metrics(), new RegExp(`^db_disk_full_total ${before + 1}$`, 'm'))
})

test('the free space of the data folder is a metric while it is watched', async (t) => {
  const folder = await dataFolder(t)
  watchDataFolder(folder)
  assert.match(await metrics.metrics(), new RegExp(`^data_folder_free_bytes{folder="${folder}"} [1-9]`, 'm'))
  watchDataFolder(null)
  assert.doesNotMatch(await metrics.metrics(), /^data_folder_free_bytes{/m)
})
