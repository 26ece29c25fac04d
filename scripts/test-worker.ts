import { AsyncResource } from 'node:async_hooks'
import module from 'node:module'
import { join } from 'node:path'
import { after, run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { compile_cache } from '../cli/runtime.js'

/** Results of the tests of one file. */
export interface FileResult {
  path: string
  duration_ms: number
  /** Names of the tests that passed, each behind those of its suites. */
  passed: string[]
  skipped: string[]
  failures: { name: string; error: string }[]
}

/** Outside every test, so that a hook registered in it belongs to the whole file. */
const outside = new AsyncResource('test-file')

/**
 * Runs the tests of one file in this process. Node ends a run in its own process when nothing is left to do there
 * (`beforeExit`); here the next file follows instead, so the end is told to it after the file's own last hook.
 */
async function runFile(path: string): Promise<FileResult> {
  const began = performance.now()
  const result: FileResult = { path, duration_ms: 0, passed: [], skipped: [], failures: [] }
  const names: string[] = []
  let is_begun = false
  const end = () => setImmediate(() => void process.emit('beforeExit', 0))
  const stream = run({ files: [path], isolation: 'none', concurrency: false })
  stream.on('test:enqueue', () => {
    // Every hook of the file is there by now: this one comes last.
    if (!is_begun) outside.runInAsyncScope(after, null, end)
    is_begun = true
  })
  stream.on('test:start', ({ name, nesting }) => names.splice(nesting, Number.POSITIVE_INFINITY, name))
  const full = (name: string, nesting: number) => [...names.slice(0, nesting), name].join(' › ')
  stream.on('test:pass', ({ name, nesting, details, skip, todo }) => {
    if (details.type === 'suite') return
    const list = skip === undefined && todo === undefined ? result.passed : result.skipped
    list.push(full(name, nesting))
  })
  stream.on('test:fail', ({ name, nesting, details: { error } }) => {
    const type = 'failureType' in error ? error.failureType : undefined
    // The tests of a suite and the subtests of a test tell of themselves.
    if (type !== 'subtestsFailed') {
      const words = inspect(error.cause ?? error, { colors: false })
      result.failures.push({ name: full(name, nesting), error: words })
    }
    // A hook that fails keeps those after it from running.
    if (type === 'hookFailed' && nesting === 0) end()
  })
  for await (const { type, data } of stream) {
    if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) {
      result.failures.push({ name: path, error: data.message })
    }
  }
  // A file that fails while it is loaded fails here again: Node says nothing of it when a test was declared before.
  await import(pathToFileURL(path).href).catch((error: unknown) => {
    result.failures.push({ name: path, error: inspect(error, { colors: false }) })
  })
  result.duration_ms = performance.now() - began
  return result
}

module.enableCompileCache(join(compile_cache, '../tests'))
process.on('message', async (path: string) => {
  process.send?.(await runFile(path))
})
// Ends with the process that asks for files.
process.on('disconnect', () => process.exit())
