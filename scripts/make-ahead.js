// What is made here spares time at every start or at the first one; the service does without it where it cannot be made.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// One waits for disk and PostgreSQL, the other computes.
await Promise.all([
  make('make-template.ts', 'No database was made ahead; the first start makes it, which takes some seconds longer.'),
  buildAndCompile(),
  copyReference(),
])

async function copyReference() {
  if (!isInstalled('@scalar/fastify-api-reference')) return
  await make('build-reference.ts', 'The API reference was not copied; /docs lists the raw documents instead.')
}

async function buildAndCompile() {
  // Vite is not there after `npm ci --omit=dev`; then the service runs out of its sources.
  if (isInstalled('vite'))
    await make('build-service.ts', 'The program was not built; every start takes a second longer.')
  await make('compile-ahead.ts', 'The program was not compiled ahead; its first start takes a moment longer.')
}

/** @param {string} name */
function isInstalled(name) {
  try {
    return Boolean(import.meta.resolve(name))
  } catch {
    return false
  }
}

/**
 * @param {string} script
 * @param {string} otherwise What is said where it does not succeed.
 */
async function make(script, otherwise) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], { stdio: 'inherit' })
  const [status] = await once(child, 'exit')
  if (status !== 0) console.error(otherwise)
}
