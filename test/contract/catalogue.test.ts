// own process: problems that other tests define would stand in the reference
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { declaredProblems } from '#core/problems.ts'
import { organizationScopes } from '#identity/scopes.ts'
import { openApiDocument } from '#surfaces/openapi/openapi-document.ts'
import { verifies } from '#test/verifies.ts'
import { staleFiles } from '../../scripts/generate.ts'
import { everyOperation, holdsFor, plain, registry, type Schema } from './derived/every-operation.ts'

const run = promisify(execFile)
const root = new URL('../../', import.meta.url).pathname
const origin = 'https://stint.test'
const document = openApiDocument(registry, { origin, auth_url: origin, version: '0.0.0' })
const { paths, webhooks } = document as {
  paths: Record<string, Record<string, { operationId: string; responses: object; security: object[] }>>
  webhooks: Record<string, object>
}
const tools = everyOperation.filter(({ tool }) => tool)
const tools_max = 64
const lint_timeout_ms = 60_000

test('every event type has a name, words and an example that its schema accepts', () => {
  assert.ok(registry.events.size > 0)
  for (const { type, checkEntry } of registry.events.values()) {
    assert.match(type.type, /^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)+$/)
    assert.match(type.summary, /^[A-Z].*\.$/, type.type)
    assert.match(type.module, /^[a-z]+(_[a-z]+)*$/, type.type)
    assert.deepEqual(checkEntry(type.example), [], type.type)
    assert.deepEqual(Object.keys(type.example).sort(), Object.keys(type.entry.properties).sort(), type.type)
  }
})

test('the three event types that the contract names are in the catalogue', () => {
  for (const name of ['contract.created', 'contract.signed', 'payment.completed'])
    verifies('6.1.named-types').ok(registry.events.has(name), name)
})

test('entries of contract events hold what the contract names, and simulated ones its two fields more', () => {
  for (const name of ['contract.created', 'contract.signed']) {
    const { type } = registry.events.get(name) ?? {}
    assert.ok(type, name)
    const example = type.example as Record<string, unknown>
    for (const field of ['contract_id', 'worker_email', 'status', 'created_at', 'type', 'country']) {
      assert.equal(typeof example[field], 'string', `${name}: ${field}`)
    }
  }
  const { properties } = plain(registry.events.get('contract.created')?.type.entry ?? {})
  const { status } = properties as { status: { enum: string[] } }
  verifies('3.3.contract-pending').ok(status.enum.includes('pending'))
})

test('every operation has an id, words and a path in their form', () =>
  holdsFor(everyOperation, ({ id, summary, description, path }) => {
    assert.match(id, /^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/)
    assert.match(summary, /^[A-Z][^\n]{5,90}[^.\n]$/)
    if (description !== undefined) assert.match(description, /\.$/)
    assert.match(path, /^(\/([a-z]+(-[a-z]+)*|:[a-z]+(_[a-z]+)*))+$/)
  }))

test('every operation is in the OpenAPI document with its success, its refusals and its scopes', () => {
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses, security }]) => {
      const statuses = Object.keys(responses)
      assert.ok(
        statuses.some((status) => status.startsWith('2')),
        operationId,
      )
      for (const status of ['400', '401', '403', '429', '500', '503']) assert.ok(statuses.includes(status), operationId)
      assert.ok(security.length > 0, operationId)
      return `${operationId} ${method.toUpperCase()} ${path}`
    }),
  )
  const registeredOnes = everyOperation.map(
    ({ id, method, path }) => `${id} ${method} ${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`,
  )
  assert.deepEqual(documented.sort(), registeredOnes.sort())
  assert.deepEqual(Object.keys(webhooks).sort(), [...registry.events.keys()].sort())
})

test('the OpenAPI document refers to nothing that is not in it', () => {
  const text = JSON.stringify(document)
  const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? ''))
  for (const reference of references) {
    const found = reference.split('/').reduce<unknown>((inner, key) => (inner as Schema | undefined)?.[key], document)
    assert.ok(found, reference)
  }
})

test('the OpenAPI document keeps every rule of the linter, warnings included', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stint-openapi-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(document))
  const command = [join(root, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', file, '--format', 'json']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { cwd: root, env, timeout: lint_timeout_ms, maxBuffer: 2 ** 26 }
  const { stdout } = await run(process.execPath, command, options).catch((error: { stdout: string }) => error)
  const { totals, problems } = JSON.parse(stdout) as {
    totals: { errors: number; warnings: number }
    problems: Schema[]
  }
  const found = problems
    .slice(0, 10)
    .map(({ ruleId, message, location }) => JSON.stringify({ ruleId, message, location }))
  assert.deepEqual([totals.errors, totals.warnings], [0, 0], found.join('\n'))
})

test('every tool is called verb_noun and its text is short enough for a model to read', () =>
  holdsFor(tools, ({ tool }) => {
    assert.ok(tool)
    assert.match(tool.name, /^[a-z]+(_[a-z]+)+$/)
    assert.ok(tool.name.length <= 64)
    assert.ok(tool.text.length >= 10 && tool.text.length <= 600, `${tool.text.length} characters`)
  }))

test('a token with every scope sees no more tools than clients can hold', () => {
  const seen = tools.filter(
    ({ scopes }) => scopes.length === 0 || scopes.some((scope) => organizationScopes.includes(scope)),
  )
  assert.ok(seen.length <= tools_max, `${seen.length} tools`)
})

test('every problem has a status of refusals and words for people', () => {
  for (const { code, status, title, advice } of declaredProblems()) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/)
    assert.ok(status >= 400 && status <= 599, code)
    assert.match(title, /^[A-Z].*[^.]$/, code)
    assert.match(advice, /^[A-Z].*\.$/, code)
  }
})

test('the generated reference is what the registry says: npm run generate', async () => {
  assert.deepEqual(await staleFiles(), [])
})
