import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type pg from 'pg'
import { type ArchiveWriter, createArchive } from './archive.ts'
import { type Manifest, manifest_name, partName, type TableOfManifest, versionOf, writeManifest } from './manifest.ts'
import { createRowHash, wholeLines } from './row-hash.ts'
import { copyRows, onConnection, openSnapshot, type Snapshot } from './snapshot.store.ts'

const compress = promisify(gzip)

/** Rows that are compressed at once; the memory that a backup takes is a few of these. */
const part_bytes_max = 8 * 2 ** 20

/** 1 takes a third of the time of the default and makes a tenth more. */
const gzip_level = 1

export interface BackupOptions {
  connection: pg.PoolConfig
  path: string
  release: string
  /** Told how much is done, from 0 to 1, and waited for. */
  progress?: (done: number) => void | Promise<void>
  signal?: AbortSignal
  /** Of a part of the rows of a table. */
  part_bytes?: number
}

/**
 * Writes one archive of everything the database holds at one moment, while it is in use. The archive appears under its name when it
 * is whole and on disk; whatever fails before leaves nothing.
 */
export async function createBackup({ connection, path, release, ...options }: BackupOptions) {
  return onConnection(connection, async (client) => {
    const snapshot = await openSnapshot(client)
    const archive = await createArchive(path, Math.floor(Date.parse(snapshot.created_at) / 1_000))
    try {
      const manifest = await writeAll(client, archive, snapshot, { ...options, release })
      const bytes = await archive.finish()
      return { path, bytes, ...about(manifest) }
    } finally {
      await archive.discard()
    }
  })
}

/** People are told this of a backup. */
export function about(manifest: Omit<Manifest, 'format' | 'format_version'>) {
  const { created_at, release, sealing_key_ids, tables } = manifest
  const rows = tables.reduce((total, table) => total + table.rows, 0)
  return { created_at, release, schema_version: versionOf(manifest), tables: tables.length, rows, sealing_key_ids }
}

type WriteOptions = Pick<BackupOptions, 'release' | 'progress' | 'signal' | 'part_bytes'>

async function writeAll(client: pg.Client, archive: ArchiveWriter, snapshot: Snapshot, options: WriteOptions) {
  const { created_at, server_version, migrations, sealing_key_ids, sequences } = snapshot
  const { release, progress = () => undefined } = options
  await archive.add('README.txt', Buffer.from(readme(created_at)))
  const all_bytes = Math.max(
    1,
    snapshot.tables.reduce((total, { bytes }) => total + bytes, 0),
  )
  const tables: TableOfManifest[] = []
  let before = 0
  for (const { bytes, ...table } of snapshot.tables) {
    const progressOf = (read: number) => progress((before + Math.min(read, bytes)) / all_bytes)
    tables.push({ ...table, ...(await writeTable(client, archive, table, { ...options, progress: progressOf })) })
    before += bytes
    await progressOf(0)
  }
  const manifest = { release, created_at, server_version, migrations, sealing_key_ids, tables, sequences }
  await archive.add(manifest_name, writeManifest(manifest))
  return manifest
}

/** The next part is read while one is compressed. */
async function writeTable(
  client: pg.Client,
  archive: ArchiveWriter,
  table: Omit<Snapshot['tables'][number], 'bytes'>,
  { progress = () => undefined, signal, part_bytes = part_bytes_max }: WriteOptions,
) {
  const rowHash = createRowHash()
  let [parts, read_bytes] = [0, 0]
  let writing: Promise<void> = Promise.resolve()
  for await (const lines of wholeLines(copyRows(client, table), part_bytes)) {
    signal?.throwIfAborted()
    rowHash.add(lines)
    read_bytes += lines.length
    parts += 1
    const compressed = compress(lines, { level: gzip_level })
    await writing
    const name = partName(table.name, parts)
    writing = compressed.then((content) => archive.add(name, content))
    // Looked at with the next part, or at the end.
    writing.catch(() => undefined)
    await progress(read_bytes)
  }
  await writing
  return { parts, ...rowHash.result() }
}

const readme = (created_at: string) => `A backup of a Stint database as it was at ${created_at}.

  stint backup verify <this archive>     restores it into a scratch database and compares every table
  stint backup restore <this archive>    restores it into an empty database

By hand: \`tar -xf\` unpacks it, \`sha256sum -c SHA256SUMS\` checks it, and \`gzip -dc tables/<name>/*.gz\` gives the rows of a
table as PostgreSQL's COPY reads them, in the order of columns that manifest.json names. The secrets file is not in it:
without that, what the database holds sealed stays closed.
`
