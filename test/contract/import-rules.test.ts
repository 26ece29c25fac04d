import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url).pathname

/** Rooms from the innermost outwards; a room imports only rooms before its own line, never a neighbour of it. */
const order = [
  ['db'],
  ['core'],
  ['outbound'],
  ['identity'],
  ['resources'],
  ['webhooks', 'authorization', 'scim', 'surfaces'],
  ['operator'],
  ['boot'],
  ['main.ts'],
]

interface Import {
  from: string
  to: string
}

/** Every import between files of server/, as paths below server/; imports of packages keep their name. */
async function importsOfServer(): Promise<Import[]> {
  const found: Import[] = []
  for await (const file of glob('server/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '[^']+'/gm)) {
      found.push({ from: file.slice('server/'.length), to: resolved(file, name) })
    }
  }
  return found
}

function resolved(file: string, name: string): string {
  if (name.startsWith('.')) return normalize(join(dirname(file), name)).replace(/^server\//, '')
  return name.startsWith('#') ? name.replace(/^#(server\/)?/, '') : `package ${name}`
}

const roomOf = (path: string) => path.split('/')[0] ?? path
const levelOf = (path: string) => order.findIndex((rooms) => rooms.includes(roomOf(path)))

const imports = await importsOfServer()
const words = ({ from, to }: Import) => `${from} imports ${to}`

test('every file lies in a room, and main.ts alone beside them', () => {
  const loose = imports.filter(({ from }) => levelOf(from) === -1)
  assert.deepEqual([...new Set(loose.map(({ from }) => from))], [])
})

test('a room imports only rooms further in', () => {
  const inside = imports.filter(({ to }) => !to.startsWith('package '))
  const wrong = inside.filter(({ from, to }) => roomOf(from) !== roomOf(to) && levelOf(to) >= levelOf(from))
  assert.deepEqual(wrong.map(words), [])
})

test('the core knows no HTTP', () => {
  const http = /^package (node:(http|https|http2|net|tls)|fastify|undici|@fastify\/.*)$/
  assert.deepEqual(imports.filter(({ from, to }) => roomOf(from) === 'core' && http.test(to)).map(words), [])
})

test('the core names no business noun, in its SQL and columns neither', async () => {
  // A person and a worker are kinds of caller too, so the core may know the words.
  const nouns =
    /(?<![a-z])(contracts?|amendments?|timesheets?|invoices?|payments?|people|departments?|teams?|webhooks?|subscriptions?)(?![a-z])/i
  const named: string[] = []
  for await (const file of glob('server/core/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    // Operators know the metric and the log line by this name.
    const ignored = /\/\*[\s\S]*?\*\/|\/\/.*|webhook_schema_mismatch/g
    const code = (await readFile(join(root, file), 'utf8')).replaceAll(ignored, '')
    const noun = nouns.exec(code)
    if (noun) named.push(`${file}: ${noun[0]}`)
  }
  assert.deepEqual(named, [])
})

test('a resource reads a sibling through its index only', () => {
  const siblings = imports.filter(({ from, to }) => nounOf(from) && nounOf(to) && nounOf(from) !== nounOf(to))
  assert.deepEqual(siblings.filter(({ to }) => !to.endsWith('/index.ts')).map(words), [])
})

test('no resources read each other in a circle', () => {
  const reads = imports.flatMap(({ from, to }) => {
    const [own, other] = [nounOf(from), nounOf(to)]
    return own && other && own !== other ? [{ from: own, to: other }] : []
  })
  assert.deepEqual(inCircles(reads), [])
})

test('no files import each other in a circle, also not for their types', () => {
  assert.deepEqual(inCircles(imports), [])
})

function nounOf(path: string): string | undefined {
  return /^resources\/([^/]+)\//.exec(path)?.[1]
}

function inCircles(ways: readonly Import[]): string[] {
  const next = Map.groupBy(ways, ({ from }) => from)
  return [...next.keys()].filter((start) => reachable(next, start).has(start)).sort()
}

function reachable(next: ReadonlyMap<string, readonly Import[]>, from: string): Set<string> {
  const found = new Set<string>()
  const open = [...(next.get(from) ?? [])]
  for (let way = open.pop(); way !== undefined; way = open.pop()) {
    if (found.has(way.to)) continue
    found.add(way.to)
    open.push(...(next.get(way.to) ?? []))
  }
  return found
}
