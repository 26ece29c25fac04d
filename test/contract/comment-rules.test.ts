import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url).pathname
const folders = ['server', 'cli', 'scripts', 'embedded-postgres', 'sdk', 'console', 'test', 'bench']

/** Rooms with comments that still open so, and how many; a number only goes down. */
const still_open: Record<string, number> = {
  'server/authorization': 7,
  'server/boot': 6,
  'server/core': 34,
  'server/db': 6,
  'server/identity': 1,
  'server/main.ts': 2,
  'server/operator': 3,
  'server/outbound': 11,
  'server/resources': 21,
  'server/surfaces': 18,
  'server/webhooks': 62,
}

/** The beginning of each comment: of a block, and of the first line of several after one another. */
const beginnings = /(?:\/\*\*?\s+(?:\*\s+)?|(?<!\/\/[^\n]*\n[ \t]*)(?<=^|[\s,;{(])\/\/ )(\S[^\n]*)/gm

const relative_words = 'what|whatever|which|whichever|whose|who|whoever|whom|whomever|where|wherever|how'
const relative_clause = new RegExp(
  `^(?:(?:of|under|for|from|in|to|by|with|at|on) )?(?:${relative_words})\\b|^(?:that|those|everything|anything) (?:which|that|who)\\b`,
  'i',
)

async function sources(): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = []
  for (const folder of folders) {
    for await (const path of glob(`${folder}/**/*.{ts,tsx,js,mjs,css}`, { cwd: root })) {
      if (/(^|\/)(node_modules|dist)\//.test(path)) continue
      found.push({ path, text: await readFile(`${root}${path}`, 'utf8') })
    }
  }
  return found
}

/** `server/webhooks` of a file below it; the first folder elsewhere. */
const roomOf = (path: string) => /^server\/[^/]+|^[^/]+/.exec(path)?.[0] ?? path

test('no comment opens with a relative clause: it opens with its noun or its verb', async () => {
  const faults = (await sources()).flatMap(({ path, text }) =>
    [...text.matchAll(beginnings)]
      .filter(([, words = '']) => relative_clause.test(words))
      .map(([, words = '']) => ({ room: roomOf(path), told: `${path}: ${words}` })),
  )
  for (const [room, found] of Object.entries(Object.groupBy(faults, (fault) => fault.room))) {
    const told = found?.map((fault) => fault.told) ?? []
    assert.ok(told.length <= (still_open[room] ?? 0), `${told.length} comments:\n${told.join('\n')}`)
  }
})

test('authorize has one spelling', async () => {
  const other = new RegExp(['authori', 's(?:e|ed|es|ing|ation|er)'].join(''), 'i')
  const faults = (await sources()).flatMap(({ path, text }) => (other.test(text) ? [path] : []))
  assert.deepEqual(faults, [])
})
