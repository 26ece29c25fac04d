import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
export const root = fileURLToPath(new URL('../../', import.meta.url))
const step_timeout_ms = 120_000
const made = /(^|\/)(dist|node_modules)(\/|$)/

export type SdkProject = Awaited<ReturnType<typeof makeSdkProject>>

/**
 * An empty project outside of the repository that has installed the package of the client, packed from a copy of its
 * folder, as somebody would who has no cache, no settings and no network.
 */
export async function makeSdkProject() {
  const top = await mkdtemp(join(tmpdir(), 'stint-sdk-'))
  const [source, folder] = [join(top, 'sdk'), join(top, 'project')]
  const env = {
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
    HOME: top,
    npm_config_cache: join(top, 'cache'),
    npm_config_offline: 'true',
  }
  const run = async (cwd: string, program: string, words: string[], more: Record<string, string> = {}) =>
    (await execute(program, words, { cwd, env: { ...env, ...more }, timeout: step_timeout_ms })).stdout
  const from = join(root, 'sdk')
  await cp(from, source, { recursive: true, filter: (file) => !made.test(relative(from, file)) })
  const packed = await run(source, 'npm', ['pack', '--json'])
  const [{ filename, size, unpackedSize }] = JSON.parse(packed.slice(packed.indexOf('[')))
  await cp(join(root, 'test/sdk/sample'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  await run(folder, 'npm', ['install', '--no-audit', '--no-fund', join(source, filename)])
  return {
    folder,
    packed_bytes: Number(size),
    unpacked_bytes: Number(unpackedSize),
    /** A file of the installed package. */
    installed: (...path: string[]) => join(folder, 'node_modules/@stint/sdk', ...path),
    /** Runs a program of the project on our Node. */
    node: (words: string[], more?: Record<string, string>) => run(folder, process.execPath, words, more),
    /** Checks the types of one file with the compiler of the repository; rejects with its words. */
    async checkTypes(file: string, options: object): Promise<void> {
      const compilerOptions = { noEmit: true, strict: true, module: 'nodenext', target: 'es2022', ...options }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
      await run(folder, 'tsc', ['-p', '.']).catch(({ stdout }) => Promise.reject(new Error(stdout)))
    },
    close: () => rm(top, { recursive: true, force: true }),
  }
}
