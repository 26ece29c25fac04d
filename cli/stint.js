#!/usr/bin/env node
// Plain JavaScript, so that any Node can read it: it hands over to the Node that the service is pinned to, and keeps the
// compiled code between starts.
import { spawn } from 'node:child_process'
import module, { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const major_min = 26

if (Number(process.versions.node.split('.')[0]) >= major_min) {
  module.enableCompileCache()
  const { builtProgram } = await import('./built-program.ts')
  const built = builtProgram()
  const { run } = built ? await import(built) : await import('./main.ts')
  process.exitCode = await run(process.argv.slice(2))
} else {
  const node = createRequire(import.meta.url).resolve('node/bin/node')
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // The service stops gracefully, and this process ends with it. A terminal sends Ctrl-C to both.
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.on('SIGINT', () => undefined)
  child.on('exit', (status) => {
    process.exitCode = status ?? 1
  })
}
