import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type Requirement, requirements } from './requirements.ts'

const root = new URL('../../', import.meta.url).pathname
const rows: readonly Requirement[] = requirements

/** Ids cited in test files, each with the files that cite it. */
async function citations(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for await (const file of glob('{server,cli,test}/**/*.test.ts', { cwd: root })) {
    const text = await readFile(`${root}${file}`, 'utf8')
    for (const [, list = ''] of text.matchAll(/\bverifies\(([^)]*)\)/g)) {
      for (const [, id = ''] of list.matchAll(/'([^']+)'/g)) found.set(id, [...(found.get(id) ?? []), file])
    }
  }
  return found
}

test('every demand of the interface specification is cited by a test, unless something later brings it', async () => {
  const cited = await citations()
  const open = rows.filter(({ id, deferred }) => !deferred && !cited.has(id))
  assert.deepEqual(
    open.map(({ id, text }) => `${id}: ${text}`),
    [],
  )
})

test('a demand that a test cites is not called deferred', async () => {
  const cited = await citations()
  assert.deepEqual(
    rows.filter(({ id, deferred }) => deferred && cited.has(id)).map(({ id }) => id),
    [],
  )
})

test('every citation names a known demand, and no demand stands twice', async () => {
  const known = new Set(rows.map(({ id }) => id))
  assert.equal(known.size, rows.length)
  assert.deepEqual(
    [...(await citations())].filter(([id]) => !known.has(id)),
    [],
  )
})
