import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url).pathname
const folders = ['server', 'cli', 'scripts', 'embedded-postgres', 'sdk', 'console', 'test', 'bench']

/** The beginning of each comment: of a block, and of the first line of several after one another. */
const beginnings = /(?:\/\*\*?\s+(?:\*\s+)?|(?<!\/\/[^\n]*\n[ \t]*)(?<=^|[\s,;{(])\/\/ )(\S[^\n]*)/gm

const relative_words = 'what|whatever|which|whichever|whose|who|whoever|whom|whomever|where|wherever|whether|how'
const relative_clause = new RegExp(
  `^(?:(?:of|under|for|from|in|to|by|with|at|on) )?(?:${relative_words})\\b|^(?:that|those|everything|anything) (?:which|that|who)\\b`,
  'i',
)

async function sources(): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = []
  for (const folder of folders) {
    for await (const path of glob(`${folder}/**/*.{ts,tsx,js,mjs,css}`, { cwd: root })) {
      // Generated comments are descriptions, which describe a field in their own form.
      if (/(^|\/)(node_modules|dist|generated)\//.test(path)) continue
      found.push({ path, text: await readFile(`${root}${path}`, 'utf8') })
    }
  }
  return found
}

test('no comment opens with a relative clause: it opens with its noun or its verb', async () => {
  const faults = (await sources()).flatMap(({ path, text }) =>
    [...text.matchAll(beginnings)]
      .filter(([, words = '']) => relative_clause.test(words))
      .map(([, words = '']) => `${path}: ${words}`),
  )
  assert.deepEqual(faults, [])
})

test('authorize has one spelling', async () => {
  const other = new RegExp(['authori', 's(?:e|ed|es|ing|ation|er)'].join(''), 'i')
  const faults = (await sources()).flatMap(({ path, text }) => (other.test(text) ? [path] : []))
  assert.deepEqual(faults, [])
})
