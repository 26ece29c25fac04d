import { Value } from 'typebox/value'
import { type Static, Type } from '#core/schema/schema.ts'
import type { readMigrations } from '#db/migrate.ts'
import { ArchiveFault } from './archive.ts'

const format_version = 1

/** Names become part of statements where an archive is restored. */
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })
const Count = Type.Integer({ minimum: 0 })

const Table = Type.Object({
  name: Name,
  columns: Type.Array(Name, { minItems: 1 }),
  rows: Count,
  row_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** Files of its rows, `tables/<name>/000001.copy.gz` and so on. */
  parts: Count,
  partitions: Type.Array(
    Type.Object({
      name: Name,
      bounds: Type.String({ pattern: `^FOR VALUES FROM \\('[0-9a-f-]+'\\) TO \\('[0-9a-f-]+'\\)$` }),
    }),
  ),
})

const Manifest = Type.Object({
  format: Type.Literal('stint-backup'),
  format_version: Type.Literal(format_version),
  release: Type.String(),
  /** The moment that the rows are of. */
  created_at: Type.String(),
  server_version: Type.String(),
  migrations: Type.Array(Type.Object({ version: Count, name: Type.String(), checksum: Type.String() }), {
    minItems: 1,
  }),
  /** The keys that the secrets file must have for what the rows hold sealed. */
  sealing_key_ids: Type.Array(Type.String()),
  tables: Type.Array(Table),
  sequences: Type.Array(
    Type.Object({ name: Name, last_value: Type.String({ pattern: '^-?[0-9]{1,19}$' }), is_called: Type.Boolean() }),
  ),
})

export type Manifest = Static<typeof Manifest>
export type TableOfManifest = Static<typeof Table>

export const manifest_name = 'manifest.json'
export const partName = (table: string, part: number) => `tables/${table}/${String(part).padStart(6, '0')}.copy.gz`

export const versionOf = ({ migrations }: Pick<Manifest, 'migrations'>) =>
  Math.max(0, ...migrations.map(({ version }) => version))

export function writeManifest(manifest: Omit<Manifest, 'format' | 'format_version'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: 'stint-backup', format_version, ...manifest }, null, 1)}\n`)
}

/** Reads a manifest whose checksum is right, and refuses one that this release cannot restore. */
export function readManifest(text: string, migrations: Awaited<ReturnType<typeof readMigrations>>): Manifest {
  const stored: unknown = JSON.parse(text)
  const { format_version: version } = Value.Check(Type.Object({ format_version: Type.Number() }), stored)
    ? stored
    : { format_version: 0 }
  if (version > format_version)
    throw new ArchiveFault(`the archive is of a newer release (format ${version}): use that`)
  if (!Value.Check(Manifest, stored)) throw new ArchiveFault('the manifest of the archive is not one of Stint')
  const known = new Map(migrations.map((one) => [one.version, one]))
  const newest = versionOf(stored)
  if (newest > Math.max(0, ...known.keys())) {
    throw new ArchiveFault(
      `the archive is of a newer release (${stored.release}, schema version ${newest}): install that one, or a later one`,
    )
  }
  const altered = stored.migrations.find((one) => known.get(one.version)?.checksum !== one.checksum)
  if (altered)
    throw new ArchiveFault(`the archive is of another schema: its migration ${altered.name} is not this release's`)
  return stored
}
