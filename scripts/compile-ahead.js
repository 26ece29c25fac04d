// Plain JavaScript, like the other half of `npm ci`: it compiles the service into the compile cache that cli/stint.js
// reads, so that the first start after an installation is as quick as the next ones.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const programs = ['../cli/main.ts', '../server/main.ts', '../server/db/embedded/start.ts']
const compile = `
  import module from 'node:module'
  module.enableCompileCache()
  for (const program of ${JSON.stringify(programs.map((path) => new URL(path, import.meta.url)))}) await import(program)
  module.flushCompileCache()`

const node = createRequire(import.meta.url).resolve('node/bin/node')
const { status } = spawnSync(node, ['--input-type=module', '--eval', compile], { stdio: 'inherit' })
if (status !== 0) console.error('The service was not compiled ahead; its first start takes a moment longer.')
