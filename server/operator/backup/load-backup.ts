import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type pg from 'pg'
import { migrateTo, readMigrations } from '#db/migrate.ts'
import { StartRefused } from '#db/start-refused.ts'
import { type Archive, ArchiveFault, openArchive } from './archive.ts'
import { about } from './create-backup.ts'
import {
  copyInto,
  dropGuards,
  emptyTables,
  putBack,
  relationsOf,
  setPartitions,
  setSequences,
  skipFeedNumbers,
} from './load.store.ts'
import { type Manifest, manifest_name, partName, readManifest, type TableOfManifest } from './manifest.ts'
import { createRowHash, wholeLines } from './row-hash.ts'
import { copyRows, onConnection, setForCopies, tableNames } from './snapshot.store.ts'

const decompress = promisify(gunzip)
const read_bytes_max = 8 * 2 ** 20

/** The database is not empty, so that nothing is written. */
export class TargetNotEmpty extends StartRefused {}

export interface LoadOptions {
  /** As whoever is to own the tables, to an empty database. */
  connection: pg.PoolConfig
  /** Told how much is done, from 0 to 1. */
  progress?: (done: number) => void
  signal?: AbortSignal
}

export type OpenBackup = Awaited<ReturnType<typeof openBackup>>

/** Opens an archive that is whole and that this release can restore. Throws `ArchiveFault`. */
export async function openBackup(path: string) {
  const archive = await openArchive(path)
  try {
    const migrations = await readMigrations()
    const manifest = readManifest((await archive.read(manifest_name)).toString(), migrations)
    refuseOtherFiles(archive, manifest)
    for (const name of archive.names) await archive.read(name)
    return { archive, manifest, about: { path, bytes: archive.bytes, ...about(manifest) } }
  } catch (error) {
    await archive.close()
    throw error
  }
}

/**
 * Loads a backup into an empty database: migrates to exactly the schema it was made with, loads the rows, and compares those of every
 * table with the backup. One transaction: whatever fails leaves the database as empty as it was.
 */
export async function loadBackup({ archive, manifest }: OpenBackup, { connection, ...options }: LoadOptions) {
  await onConnection(connection, async (client) => {
    await client.query('begin')
    await setForCopies(client)
    const [found] = await relationsOf(client)
    if (found) throw new TargetNotEmpty(`the database is not empty: it has ${found}. Restore into a new one`)
    await migrateTo(client, new Set(manifest.migrations.map(({ version }) => version)))
    await refuseOtherTables(client, manifest)
    const guards = await dropGuards(client)
    await loadRows(client, archive, manifest, options)
    await compareRows(client, manifest, options)
    await skipFeedNumbers(client)
    await putBack(client, guards)
    await client.query('commit')
    // Queries of an unknown table can take hours; autovacuum comes later.
    await client.query('analyze')
  })
}

/** Exactly the files that the manifest speaks of: a table that is missing is missed. */
function refuseOtherFiles({ names }: Archive, { tables }: Manifest): void {
  const parts = tables.flatMap(({ name, parts }) =>
    Array.from({ length: parts }, (_, part) => partName(name, part + 1)),
  )
  const expected = ['README.txt', ...parts, manifest_name]
  if (names.join() !== expected.join()) throw new ArchiveFault('the files of the archive are not those of its manifest')
}

async function refuseOtherTables(client: pg.Client, { tables }: Manifest): Promise<void> {
  const names = await tableNames(client)
  const stored = tables.map(({ name }) => name)
  const other = [...new Set(names).symmetricDifference(new Set(stored))]
  if (other.length > 0) throw new ArchiveFault(`the archive has not the tables of its schema: ${other.join(', ')}`)
}

type LoadSteps = Pick<LoadOptions, 'progress' | 'signal'>

async function loadRows(client: pg.Client, archive: Archive, { tables, sequences }: Manifest, steps: LoadSteps) {
  const names = tables.map(({ name }) => name)
  await emptyTables(client, names)
  const parts_max = tables.reduce((total, { parts }) => total + parts, 0)
  let loaded = 0
  for (const table of tables) {
    await setPartitions(client, table)
    const parts = partsOf(archive, table, steps, () => {
      loaded += 1
      // Comparing is the second half.
      steps.progress?.(loaded / parts_max / 2)
    })
    if (table.parts > 0) await pipeline(Readable.from(parts), copyInto(client, table))
  }
  await setSequences(client, sequences)
}

async function* partsOf(archive: Archive, { name, parts }: TableOfManifest, { signal }: LoadSteps, onPart: () => void) {
  for (let part = 1; part <= parts; part += 1) {
    signal?.throwIfAborted()
    yield await decompress(await archive.read(partName(name, part)))
    onPart()
  }
}

/** Reads every table again, as a backup of the loaded database would. */
async function compareRows(client: pg.Client, { tables }: Manifest, { progress, signal }: LoadSteps): Promise<void> {
  const all_rows = Math.max(
    1,
    tables.reduce((total, { rows }) => total + rows, 0),
  )
  let compared = 0
  for (const table of tables) {
    const rowHash = createRowHash()
    for await (const lines of wholeLines(copyRows(client, table), read_bytes_max)) {
      signal?.throwIfAborted()
      rowHash.add(lines)
    }
    const { rows, row_hash } = rowHash.result()
    if (rows !== table.rows || row_hash !== table.row_hash) {
      throw new ArchiveFault(
        `the rows of ${table.name} are not those of the backup: ${rows} of ${table.rows} rows, hash ${row_hash} instead of ${table.row_hash}`,
      )
    }
    compared += rows
    progress?.(0.5 + compared / all_rows / 2)
  }
}
