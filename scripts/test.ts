import { type ChildProcess, fork } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '#test/global-setup.ts'
import type { FileResult } from './test-worker.ts'

/**
 * Runs test files in a few processes that import the service once each, instead of one process per file: half of the time
 * that a whole run takes. A file whose tests count on a process of their own says so in its first line: `// own process: why`.
 */
const usage = 'npm test -- [--random [--seed n]] [--slowest] [--processes n] [--without folder] [file or glob …]'

const patterns = ['server/**', 'embedded-postgres/**', 'cli/**', 'test/**'].map((folder) => `${folder}/*.test.ts`)
const ownProcess = /^\/\/ own process: /

/** Compiled schemas of the services of its files stay with a process: 1 GiB after 70 files. */
const files_max = 30

/** Longer than any file takes on a machine that other programs use as well. */
const file_limit_ms = 600_000

/** Files of these folders start browsers and services, so they take longer than their size tells. */
const slow = /^(cli|embedded-postgres|test\/(browser|docs|faults|flows))\//

const slowest_files = 30

interface TestFile {
  path: string
  size_bytes: number
  is_alone: boolean
  is_slow: boolean
}

async function filesOf(given: readonly string[], without: string | undefined): Promise<TestFile[]> {
  // A folder stands for all test files in it.
  const asked = given.map((path) => (path.endsWith('.ts') ? path : `${path.replace(/\/$/, '')}/**/*.test.ts`))
  const found = await Array.fromAsync(glob(asked.length > 0 ? asked : patterns))
  const paths = without ? found.filter((path) => !path.startsWith(`${without}/`)) : found
  const files = [...new Set(paths)].sort().map(async (path) => {
    const text = await readFile(path, 'utf8')
    return { path, size_bytes: text.length, is_alone: ownProcess.test(text), is_slow: slow.test(path) }
  })
  return Promise.all(files)
}

/** Nothing long is left for the end, when a processor would be idle. */
function inOrder(files: readonly TestFile[]): TestFile[] {
  const first = ({ is_alone, is_slow }: TestFile) => Number(is_alone || is_slow)
  return files.toSorted((a, b) => first(b) - first(a) || b.size_bytes - a.size_bytes)
}

/** The same order for the same seed (mulberry32). */
function shuffled(files: readonly TestFile[], seed: number): TestFile[] {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  return files
    .map((file) => ({ file, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ file }) => file)
}

function startWorker(): ChildProcess {
  return fork(new URL('./test-worker.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

/** The result of one file; a process that ends in the middle of it, or goes on for ever, is a failure of that file. */
function runIn(worker: ChildProcess, path: string): Promise<FileResult> {
  const began = performance.now()
  const { promise, resolve } = Promise.withResolvers<FileResult>()
  const fail = (why: string) => {
    worker.kill('SIGKILL')
    const duration_ms = performance.now() - began
    resolve({ path, duration_ms, passed: [], skipped: [], failures: [{ name: path, error: `the process ${why}` }] })
  }
  const limit = setTimeout(fail, file_limit_ms, `did not end within ${file_limit_ms / 1_000} s`)
  const onExit = (code: number | null, signal: string | null) => fail(`ended with ${signal ?? code}`)
  worker.once('message', (message) => resolve(message as FileResult))
  worker.once('exit', onExit)
  worker.send(path)
  return promise.finally(() => {
    clearTimeout(limit)
    worker.off('exit', onExit).removeAllListeners('message')
  })
}

/** Takes files off the list until it is empty. */
async function runFiles(queue: TestFile[], tell: (result: FileResult) => void): Promise<void> {
  let shared: ChildProcess | undefined
  let files = 0
  for (let file = queue.shift(); file; file = queue.shift()) {
    if (!file.is_alone && (!shared?.connected || shared.killed || files === files_max)) {
      shared?.kill('SIGKILL')
      shared = startWorker()
      files = 0
    }
    files += 1
    const worker = file.is_alone || !shared ? startWorker() : shared
    tell(await runIn(worker, file.path))
    if (worker !== shared) worker.kill('SIGKILL')
  }
  shared?.kill('SIGKILL')
}

function tell({ path, duration_ms, passed, skipped, failures }: FileResult): void {
  const count = passed.length + failures.length
  console.log(`${failures.length > 0 ? '✖' : '✔'} ${path} (${count} tests, ${Math.round(duration_ms)} ms)`)
  for (const name of passed) console.log(`  ✔ ${name}`)
  for (const name of skipped) console.log(`  ﹣ ${name} # SKIP`)
  for (const { name, error } of failures) console.log(`  ✖ ${name}\n${error.replaceAll(/^/gm, '    ')}`)
}

async function main(): Promise<number> {
  const options = {
    random: { type: 'boolean' },
    seed: { type: 'string' },
    slowest: { type: 'boolean' },
    processes: { type: 'string' },
    without: { type: 'string' },
  } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const given = positionals.map((path) => relative('', path))
  const files = await filesOf(given, values.without && relative('', values.without))
  if (files.length === 0) throw new Error(`no such test file. Usage: ${usage}`)
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  const is_random = values.random || values.seed !== undefined
  if (is_random) console.log(`order of seed ${seed}: repeated by npm run test:random -- --seed ${seed}`)
  const began = performance.now()
  await globalSetup()
  const results: FileResult[] = []
  try {
    const queue = is_random ? shuffled(files, seed) : inOrder(files)
    const processes = Math.min(Number(values.processes ?? Math.max(2, availableParallelism())), queue.length)
    const note = (result: FileResult) => {
      results.push(result)
      tell(result)
    }
    await Promise.all(Array.from({ length: processes }, () => runFiles(queue, note)))
  } finally {
    await globalTeardown()
  }
  if (values.slowest) tellSlowest(results)
  return summarize(results, performance.now() - began)
}

function tellSlowest(results: readonly FileResult[]): void {
  console.log('\nslowest files:')
  for (const { path, duration_ms } of results.toSorted((a, b) => b.duration_ms - a.duration_ms).slice(0, slowest_files))
    console.log(`${Math.round(duration_ms).toString().padStart(8)} ms ${path}`)
}

/** The failures once more, then the lines that Node's own runner ends with. */
function summarize(results: readonly FileResult[], duration_ms: number): number {
  const sum = (count: (result: FileResult) => number) => results.reduce((total, result) => total + count(result), 0)
  const failed = results.filter(({ failures }) => failures.length > 0)
  if (failed.length > 0) console.log('\n✖ failing tests:\n')
  for (const result of failed) tell({ ...result, passed: [], skipped: [] })
  const pass = sum(({ passed }) => passed.length)
  const fail = sum(({ failures }) => failures.length)
  const skipped = sum((result) => result.skipped.length)
  const lines = {
    tests: pass + fail + skipped,
    suites: results.length,
    pass,
    fail,
    cancelled: 0,
    skipped,
    todo: 0,
    duration_ms,
  }
  for (const [name, value] of Object.entries(lines)) console.log(`ℹ ${name} ${value}`)
  return failed.length > 0 ? 1 : 0
}

process.exitCode = await main()
