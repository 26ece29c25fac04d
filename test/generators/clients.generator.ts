import assert from 'node:assert/strict'
import { type ExecFileException, execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'

// Builds a client with each generator, taken from its registry, and lets it list, create and meet a refusal. Not a part of
// `npm test`, which needs no network: `npm run generators`.

const step_timeout_ms = 180_000
const run = promisify(execFile)

let service: HttpsService
before(async () => {
  service = await startHttpsService()
})
after(() => service.close())

interface Workshop {
  folder: string
  /** Runs a program in the folder; its output, or what it said when it failed. */
  call(program: string, ...words: string[]): Promise<string>
}

/** A folder with the program of one language and the document as the service serves it. */
async function openWorkshop(t: TestContext, language: string): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), `stint-generator-${language}-`))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await cp(fileURLToPath(new URL(language, import.meta.url)), folder, { recursive: true })
  await writeFile(join(folder, 'openapi.json'), await (await service.fetch(`${service.origin}/openapi.json`)).text())
  const env = {
    ...process.env,
    STINT_URL: `${service.origin}/rest/v2`,
    STINT_TOKEN: service.organization.token,
    STINT_CA: service.ca_file,
    GOFLAGS: '-mod=mod',
  }
  return {
    folder,
    async call(program, ...words) {
      try {
        return (await run(program, words, { cwd: folder, env, timeout: step_timeout_ms, maxBuffer: 2 ** 26 })).stdout
      } catch (error) {
        const { stdout = '', stderr = '' } = error as ExecFileException
        throw new Error(`${program} ${words.join(' ')}\n${stdout}\n${stderr}`.slice(0, 8_000))
      }
    },
  }
}

/** Says why instead of failing where a machine lacks the language. */
async function lacks(t: TestContext, program: string, ...words: string[]): Promise<boolean> {
  const isThere = await run(program, words).then(
    () => true,
    () => false,
  )
  if (!isThere) t.skip(`${program} is not installed`)
  return !isThere
}

test('openapi-typescript: a typed client lists, creates and meets a refusal', async (t) => {
  const { folder, call } = await openWorkshop(t, 'typescript')
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@26.6.6']
  await call('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages)
  const bin = (name: string) => join(folder, 'node_modules', '.bin', name)
  await call(bin('openapi-typescript'), 'openapi.json', '-o', 'stint.d.ts')
  const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--allowImportingTsExtensions']
  await call(bin('tsc'), ...options, 'client.ts')
  assert.match(
    await call('env', `NODE_EXTRA_CA_CERTS=${service.ca_file}`, process.execPath, 'client.ts'),
    /^created Made by openapi-typescript, found it, refused 404/,
  )
})

test('openapi-python-client: a typed client lists, creates and meets a refusal', async (t) => {
  if (await lacks(t, 'python3', '-c', 'import venv, ensurepip')) return
  const { folder, call } = await openWorkshop(t, 'python')
  await call('python3', '-m', 'venv', 'venv')
  const bin = (name: string) => join(folder, 'venv', 'bin', name)
  await call(bin('pip'), 'install', '--quiet', '--disable-pip-version-check', 'openapi-python-client==0.29.1')
  const words = ['generate', '--path', 'openapi.json', '--output-path', 'stint_client', '--meta', 'none']
  const said = await call(bin('openapi-python-client'), ...words)
  // It leaves out what it does not understand, and says so.
  assert.doesNotMatch(said, /Unable to|unsupported|invalid/i)
  assert.match(await call(bin('python'), 'client.py'), /^created Made by openapi-python-client, found it, refused 404/)
})

test('oapi-codegen: a typed client lists, creates and meets a refusal', async (t) => {
  if (await lacks(t, 'go', 'version')) return
  const { call } = await openWorkshop(t, 'go')
  await call('go', 'mod', 'init', 'stint.example/client')
  const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
  await call('go', 'run', generator, '-config', 'oapi-codegen.yaml', 'openapi.json')
  await call('go', 'mod', 'tidy')
  assert.match(await call('go', 'run', '.'), /^created Made by oapi-codegen, found it, refused 404/)
})
