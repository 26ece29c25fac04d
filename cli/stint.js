#!/usr/bin/env node
// Plain JavaScript, so that any Node can read it: it hands over to the Node that the service is pinned to.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
const major_min = 26

if (Number(process.versions.node.split('.')[0]) >= major_min) {
  const { run } = await import('./main.ts')
  process.exitCode = await run(process.argv.slice(2))
} else {
  const node = createRequire(import.meta.url).resolve('node/bin/node')
  const { status } = spawnSync(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
