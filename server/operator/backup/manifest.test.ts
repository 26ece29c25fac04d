import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readManifest } from './manifest.ts'

const migration = (version: number, checksum = `sum ${version}`) => ({ version, name: `000${version}_x.sql`, checksum })
const known = [1, 2, 3].map((version) => ({ ...migration(version), text: '' }))

const manifest = {
  ...{ format: 'stint-backup', format_version: 1, release: '9.9.9', created_at: '2026-03-02T09:00:00.000Z' },
  ...{ server_version: '18.1', migrations: [migration(1), migration(2)], sealing_key_ids: ['ab'], sequences: [] },
  tables: [{ name: 'people', columns: ['id'], rows: 0, row_hash: '0'.repeat(64), parts: 0, partitions: [] }],
}
const [people] = manifest.tables
const bounds = "FOR VALUES FROM ('019cabd8-3800-0000-0000-000000000000') TO ('019ccfe4-bc00-0000-0000-000000000000')"
const read = (changes: object) => readManifest(JSON.stringify({ ...manifest, ...changes }), known)

test('a manifest of this release or an earlier one is taken', () => {
  assert.deepEqual(read({}), manifest)
  const partitions = [{ name: 'people_20260302', bounds }]
  assert.doesNotThrow(() =>
    read({ migrations: known.map(({ version }) => migration(version)), tables: [{ ...people, partitions }] }),
  )
})

const refused: Record<string, [object, RegExp]> = {
  'of a newer format': [{ format_version: 2, tables: 'elsewhere' }, /newer release \(format 2\)/],
  'of a newer schema': [
    { migrations: [migration(1), migration(4)] },
    /newer release \(9\.9\.9, schema version 4\): install/,
  ],
  'of a schema that was altered': [
    { migrations: [migration(1), migration(2, 'x')] },
    /its migration 0002_x\.sql is not/,
  ],
  'of something else': [{ format: 'other' }, /not one of Stint/],
  'without tables': [{ tables: undefined }, /not one of Stint/],
  'that names a table which is no plain name': [{ tables: [{ ...people, name: 'people; drop' }] }, /not one of Stint/],
  'with words behind the bounds of a partition': [
    { tables: [{ ...people, partitions: [{ name: 'x', bounds: `${bounds}; drop table people` }] }] },
    /not one of Stint/,
  ],
}

for (const [name, [changes, words]] of Object.entries(refused)) {
  test(`a manifest ${name} is refused`, () => assert.throws(() => read(changes), words))
}
