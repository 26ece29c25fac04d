import assert from 'node:assert/strict'
import { glob, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startHttpsService } from '#test/https-service.ts'
import { bundleSdk } from '#test/sdk-bundle.ts'
import { makeSdkProject, root, type SdkProject } from '#test/sdk-project.ts'

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
