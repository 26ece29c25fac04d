import assert from 'node:assert/strict'
import { glob, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pathFields } from '#core/operation.ts'
import { sdkExample } from '#surfaces/openapi/call-examples.ts'
import { openApiDocument } from '#surfaces/openapi/openapi-document.ts'
import { startHttpsService } from '#test/https-service.ts'
import { bundleSdk } from '#test/sdk-bundle.ts'
import { makeSdkProject, root, type SdkProject } from '#test/sdk-project.ts'
import { everyOperation, hasBody, isList, registry } from '../contract/derived/every-operation.ts'

/** The table of 174 operations is 2 kB of it. */
const bundle_max_bytes = 8_000

let project: SdkProject
before(async () => {
  project = await makeSdkProject()
})
after(() => project.close())

test('the package holds its program, its types and its words, and depends on nothing', async (t) => {
  const { installed, packed_bytes, unpacked_bytes } = project
  t.diagnostic(`${packed_bytes} bytes packed, ${unpacked_bytes} unpacked`)
  const files = await Array.fromAsync(glob('**/*.*', { cwd: installed() }))
  const outside = files.filter((file) => !/^dist\/(generated\/)?[a-z-]+(\.d\.ts|\.js)$/.test(file))
  assert.deepEqual(outside.sort(), ['README.md', 'package.json'])
  assert.match(await readFile(installed('LICENSE'), 'utf8'), /Apache License/)
  const about = JSON.parse(await readFile(installed('package.json'), 'utf8'))
  assert.deepEqual(
    [about.dependencies, about.peerDependencies, about.optionalDependencies],
    [undefined, undefined, undefined],
  )
})

test('its types hold in a browser project, and mistakes do not compile', () =>
  project.checkTypes('sample.ts', {
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    exactOptionalPropertyTypes: true,
  }))

test('every example of the reference is of its type: inputs, answers and the entries of events', async () => {
  await writeFile(join(project.folder, 'examples.ts'), examples())
  await project.checkTypes('examples.ts', { lib: ['es2022', 'dom'], types: [] })
})

test('the call of every operation that the reference shows for the client compiles', async () => {
  const calls = everyOperation.map(
    (operation) => `export async function ${operation.id.replace('.', '_')}() {\n${sdkExample(operation)}\n}`,
  )
  const head = "import { createStint } from '@stint/sdk'\nconst stint = createStint({ base_url: '', token: '' })"
  await writeFile(join(project.folder, 'calls.ts'), [head, ...calls].join('\n'))
  await project.checkTypes('calls.ts', { lib: ['es2022', 'dom'], types: [] })
})

test('its types hold in a Node project, which has no types of a browser', async () => {
  await mkdir(join(project.folder, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types']) {
    await symlink(join(root, 'node_modules', name), join(project.folder, 'node_modules', name))
  }
  await project.checkTypes('sample.ts', { lib: ['es2022'], types: ['node'] })
})

test('it works in a program of Node against the service over HTTPS', async (t) => {
  const service = await startHttpsService()
  t.after(() => service.close())
  const stdout = await project.node(['run.mjs'], {
    NODE_EXTRA_CA_CERTS: service.ca_file,
    STINT_URL: service.origin,
    STINT_TOKEN: service.organization.token,
  })
  assert.deepEqual(JSON.parse(stdout), ['Renamed', 'not_found', 'true', '1'])
})

test('a browser loads it as one small file that asks for nothing of Node', async (t) => {
  const code = await bundleSdk(project.installed('dist/index.js'), 'es')
  assert.doesNotMatch(code, /\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/)
  const gzip = gzipSync(code).length
  t.diagnostic(`${code.length} bytes minified, ${gzip} with gzip`)
  assert.ok(code.includes('export') && gzip < bundle_max_bytes, `${gzip} bytes`)
})

/** The examples of the OpenAPI document as constants of the types of the client. */
function examples(): string {
  const { paths, webhooks } = openApiDocument(registry, { origin: '', auth_url: '', version: '' }) as {
    paths: Record<string, Record<string, Example>>
    webhooks: Record<string, { post: Example }>
  }
  const operations = everyOperation.flatMap((operation) => {
    const { id, method, path, file } = operation
    const type = `Stint${id
      .split('.')
      .map((name) => `['${name}']`)
      .join('')}`
    const described = paths[path.replaceAll(/:([a-z_]+)/g, '{$1}')]?.[method.toLowerCase()]
    const ids = Object.fromEntries(pathFields(path).map((name) => [name, 'x']))
    const answered = described?.responses?.[operation.status ?? 200]?.content?.['application/json']?.example
    const sent = described?.requestBody?.content['application/json']?.example
    const answer = isList(operation) ? `ReturnType<ReturnType<${type}>['page']>` : `ReturnType<${type}>`
    return [
      ...(hasBody(operation) ? [[`Parameters<${type}>[0]`, { ...ids, ...(sent as object) }]] : []),
      ...(answered === undefined || file ? [] : [[`Awaited<${answer}>`, answered]]),
    ]
  })
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const { value } = post.requestBody?.content['application/json']?.examples?.event ?? {}
    return [`EventEntries['${type}'][]`, value?.data.resource]
  })
  const all = [...operations, ...events]
  assert.ok(all.length > everyOperation.length)
  return [
    "import type { EventEntries, Stint } from '@stint/sdk'",
    ...all.map(([type, value], number) => `export const example_${number}: ${type} = ${JSON.stringify(value)}`),
  ].join('\n')
}

interface Content {
  'application/json'?: { example?: unknown; examples?: { event: { value: { data: { resource: unknown } } } } }
}

interface Example {
  requestBody?: { content: Content }
  responses?: Record<number, { content?: Content }>
}
