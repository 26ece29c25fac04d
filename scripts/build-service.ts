import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { build_folder, sourceAt, sourcesFile } from '../cli/built-program.ts'

const checkout = resolve(import.meta.dirname, '..')

/** Changes whenever npm changes a package. */
const packages = 'node_modules/.package-lock.json'

/**
 * Builds the program and all packages that it uses into a few files, unminified, for stack traces that can be read. A
 * folder is complete when it has its name; a service that runs has read its files already.
 */
export async function buildService(folder = build_folder): Promise<void> {
  const staging = `${folder}.${randomBytes(6).toString('hex')}`
  try {
    const sources = new Set([packages])
    await build({
      root: checkout,
      configFile: false,
      logLevel: 'error',
      plugins: [ownAddresses(folder), collect(sources)],
      ssr: { noExternal: true, external: ['pg-native'] },
      build: {
        ...{ ssr: 'cli/main.ts', outDir: staging, target: 'esnext', minify: false, copyPublicDir: false },
        // All in one folder, so that one relative address fits every module; `.mjs`, or Node parses each to see what it is.
        rolldownOptions: { output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' } },
      },
    })
    await writeFile(join(staging, sourcesFile), JSON.stringify([...sources].map(sourceAt)))
    await rm(folder, { recursive: true, force: true })
    await rename(staging, folder)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Files that the service reads lie where they lay: each module keeps its own address, relative to the build's. */
function ownAddresses(folder: string): Plugin {
  return {
    name: 'own-addresses',
    transform(code, id) {
      if (!isOwn(id) || !code.includes('import.meta.url')) return null
      const address = JSON.stringify(relative(folder, id).replaceAll('\\', '/'))
      return code.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`)
    },
  }
}

function collect(sources: Set<string>): Plugin {
  return {
    name: 'collect-sources',
    moduleParsed: ({ id }) => {
      if (isOwn(id)) sources.add(relative(checkout, id).replaceAll('\\', '/'))
    },
  }
}

/** Neither a package's nor one that the bundler invents. */
function isOwn(id: string): boolean {
  return isAbsolute(id) && !/^(\.\.|node_modules)/.test(relative(checkout, id))
}

if (import.meta.main) await buildService()
