// Without the packages that build (`npm ci --omit=dev`) it does nothing, and the service says so under /console.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const config = fileURLToPath(new URL('../console/vite.config.ts', import.meta.url))
const isPrepare = process.argv.includes('--prepare')
const vite = findVite()

if (vite) {
  const words = ['build', '--config', config, '--logLevel', isPrepare ? 'error' : 'info', ...rest()]
  const { status } = spawnSync(process.execPath, [vite, ...words], { stdio: 'inherit' })
  if (status !== 0) {
    console.error('The console was not built; the service runs without it. `npm run build` tells why.')
    // An installation is not worth less because of it.
    process.exitCode = isPrepare ? 0 : 1
  }
} else if (!isPrepare) {
  console.error('vite is not installed: run `npm ci` without --omit=dev')
  process.exitCode = 1
}

/** @returns {string | undefined} */
function findVite() {
  try {
    return join(dirname(require.resolve('vite/package.json')), 'bin/vite.js')
  } catch {
    return undefined
  }
}

/** Words behind `--` go on to vite, e.g. `--outDir`. */
function rest() {
  return process.argv.slice(2).filter((word) => word !== '--prepare')
}
