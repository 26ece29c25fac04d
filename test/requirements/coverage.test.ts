import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type Requirement, requirements } from './requirements.ts'

const root = new URL('../../', import.meta.url).pathname
const rows: readonly Requirement[] = requirements

interface Citation {
  id: string
  file: string
  /** An assertion is called on it. */
  asserts: boolean
}

async function citations(): Promise<Citation[]> {
  const found: Citation[] = []
  for await (const file of glob('{server,cli,test}/**/*.test.ts', { cwd: root })) {
    const text = await readFile(`${root}${file}`, 'utf8')
    for (const [, list = '', method] of text.matchAll(/\bverifies\(([^)]*)\)(\s*\.\s*[a-zA-Z]+\()?/g)) {
      for (const [, id = ''] of list.matchAll(/'([^']+)'/g)) found.push({ id, file, asserts: method !== undefined })
    }
  }
  return found
}

const cited = await citations()
const shown = new Set(cited.filter(({ asserts }) => asserts).map(({ id }) => id))

test('every demand of the interface specification is shown by an assertion, unless something later brings it', () => {
  const open = rows.filter(({ id, deferred }) => !deferred && !shown.has(id))
  assert.deepEqual(
    open.map(({ id, text }) => `${id}: ${text}`),
    [],
  )
})

test('an assertion is called on every citation', () => {
  assert.deepEqual(
    cited.filter(({ asserts }) => !asserts),
    [],
  )
})

test('a demand that a test cites is not called deferred', () => {
  assert.deepEqual(
    rows.filter(({ id, deferred }) => deferred && cited.some((citation) => citation.id === id)),
    [],
  )
})

test('every citation names a known demand, and no demand stands twice', () => {
  const known = new Set(rows.map(({ id }) => id))
  assert.equal(known.size, rows.length)
  assert.deepEqual(
    cited.filter(({ id }) => !known.has(id)),
    [],
  )
})
