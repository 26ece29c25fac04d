import { readdirSync } from 'node:fs'
import module from 'node:module'
import { builtProgram } from '../cli/built-program.ts'
import { compile_cache } from '../cli/runtime.js'

const sources = [
  '../cli/main.ts',
  '../cli/commands/serve.ts',
  '../cli/serve-until.ts',
  '../server/db/embedded/start.ts',
]

// Fills the compile cache that cli/stint.js reads, so that the first start after an installation is as quick as the next.
module.enableCompileCache(compile_cache)
// Not every file can be run by itself (one wants what its loader prepares); by then it is compiled all the same.
for (const program of programs()) await import(program).catch(() => undefined)
module.flushCompileCache()

/** What is loaded by a start, or only when it is needed. */
function programs(): string[] {
  const built = builtProgram()
  if (!built) return sources
  const names = readdirSync(new URL('.', built)).filter((name) => name.endsWith('.mjs'))
  return names.map((name) => new URL(name, built).href)
}
