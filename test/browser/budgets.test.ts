import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { useBusiness } from './support/business.ts'
import { builtConsole } from './support/console.ts'
import { settled } from './support/find.ts'
import { furnish, go, pathOf, places } from './support/places.ts'

/** A chunk as vite's manifest describes it. */
interface Chunk {
  file: string
  src?: string
  isEntry?: boolean
  isDynamicEntry?: boolean
  imports?: string[]
  dynamicImports?: string[]
  css?: string[]
}

const business = useBusiness()
let folder: string
let chunks: Record<string, Chunk>
before(async () => {
  folder = await builtConsole()
  chunks = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8'))
})

/** Every file that comes with a chunk before it runs. */
function filesOf(name: string, seen = new Set<string>()): ReadonlySet<string> {
  const { file, css = [], imports = [] } = chunks[name] ?? assert.fail(name)
  if (seen.has(file)) return seen
  for (const one of [file, ...css]) seen.add(one)
  for (const one of imports) filesOf(one, seen)
  return seen
}

async function compressed(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...files].map(async (file) => gzipSync(await readFile(join(folder, file))).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Bytes that an entry page may load, compressed, its HTML included. */
const entries = { 'app.html': 180_000, 'auth.html': 90_000, 'worker.html': 150_000 }
const page_max = 40_000
/** The field that looks while one types is of a library, and loads with its first use. */
const part_max = 50_000

test('each entry loads no more than its budget', async (t) => {
  const names = Object.keys(chunks).filter((name) => chunks[name]?.isEntry)
  assert.deepEqual(
    names.filter((name) => !Object.hasOwn(entries, name)),
    [],
  )
  for (const [name, bytes_max] of Object.entries(entries)) {
    if (!names.includes(name)) continue
    const bytes = await compressed([...filesOf(name), name])
    t.diagnostic(`${name}: ${bytes} bytes of ${bytes_max}`)
    assert.ok(bytes <= bytes_max, `${name}: ${bytes} bytes`)
  }
})

test('each further page is at most 40 kB, and each part that loads with its first use 50', async (t) => {
  const first = filesOf('app.html')
  const parts = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry)
  assert.ok(parts.length > 10)
  const sizes = await Promise.all(
    parts.map(async (name) => [name, await compressed([...filesOf(name)].filter((file) => !first.has(file)))] as const),
  )
  for (const [name, bytes] of sizes.toSorted(([, a], [, b]) => b - a).slice(0, 5)) t.diagnostic(`${name}: ${bytes}`)
  assert.deepEqual(
    sizes.filter(([name, bytes]) => bytes > (name.endsWith('-page.tsx') ? page_max : part_max)),
    [],
  )
})

test('a browser loads no more than that for the first page, and 40 kB of its own for any further one', async (t) => {
  const console = await business.start(t)
  const ids = await furnish(console)
  const opened = await console.visit('/')
  const { page } = opened
  const seen = new Set<string>()
  /** The files that have come since the last look, of the files of the console. */
  const come = async () => {
    const names = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`,
    )
    const files = names
      .filter((name) => name.startsWith('/console/assets/'))
      .map((name) => name.slice('/console/'.length))
    const added = [...new Set(files)].filter((file) => !seen.has(file))
    for (const file of added) seen.add(file)
    return added
  }
  await settled(page)
  const first = await compressed([...(await come()), 'app.html'])
  t.diagnostic(`the first page: ${first} bytes of ${entries['app.html']}`)
  assert.ok(first <= entries['app.html'], `${first} bytes`)
  const shared = new Set(
    Object.values(chunks).flatMap(({ file, isDynamicEntry, src = '' }) =>
      isDynamicEntry && !src.endsWith('-page.tsx') ? [file] : [],
    ),
  )
  const sizes: [path: string, bytes: number][] = []
  for (const path of new Set(places.map(([one]) => one))) {
    await go(page, pathOf(path, ids))
    sizes.push([path, await compressed((await come()).filter((file) => !shared.has(file)))])
  }
  for (const [path, bytes] of sizes.toSorted(([, a], [, b]) => b - a).slice(0, 3)) t.diagnostic(`${path}: ${bytes}`)
  assert.deepEqual(
    sizes.filter(([, bytes]) => bytes > page_max),
    [],
  )
  assert.deepEqual(
    opened.faults.filter((fault) => fault.startsWith('request:')),
    [],
    'nothing comes from another host',
  )
})

test('what signs people in has neither router nor queries', async () => {
  const scripts = [...filesOf('auth.html')].filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(scripts.map((file) => readFile(join(folder, file), 'utf8')))
  assert.ok(texts.length > 0)
  for (const mark of ['invalidateQueries', 'createBrowserHistory', 'scrollRestoration']) {
    assert.equal(
      texts.some((text) => text.includes(mark)),
      false,
      mark,
    )
  }
})
