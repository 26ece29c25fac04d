import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { events, operations } from '#boot/operations.ts'
import type { Scope } from '#core/caller.ts'
import { type Operation, pathFields } from '#core/operation.ts'
import { createRegistry } from '#core/registry.ts'
import { scopes, workerScopes } from '#identity/scopes.ts'
import { toolsOf } from '#surfaces/mcp/tool.ts'
import { activeContract, workerLogin } from '#test/factories.ts'
import type { TestOrganization } from '#test/service.ts'
import { callConfirmed, callTool, createMember, post, request } from '#test/tool-client.ts'
import { verifies } from '#test/verifies.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, hasBody, holdsFor, isRepeatable, isWorkers, registered } from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'
import { workerOf } from './derived/tokens.ts'
import { writesNothing } from './derived/written-rows.ts'

const { service, ours, theirs } = await contractService()
const member = await createMember(service, { organization_id: ours.id, is_sandbox: true })
/** The worker of derived tests at the tool server. */
const worker_token = await workerLogin(service, (await workerOf(service, ours)).person_id, ours.id, 'mcp')

const tools = everyOperation.filter(({ tool }) => tool)
const withIds = tools.filter(({ path }) => path.includes(':'))
const needingScope = tools.filter((operation) => operation.scopes.length > 0)

const nameOf = ({ tool }: Operation) => tool?.name ?? ''

/** The same caller as REST and the tool server know it: their tokens differ where a grant opens one of them only. */
async function tokensFor(operation: Operation): Promise<{ rest: string; mcp: string }> {
  if (!isWorkers(operation)) return { rest: member.token, mcp: member.token }
  return { rest: (await workerOf(service, ours)).token, mcp: worker_token }
}

interface Call {
  path: string
  body: Record<string, unknown> | undefined
  /** The same in one flat object. */
  args: Record<string, unknown>
}

/** So few that no answer is cut. */
const rows_max = 5

const needing_an_active_contract = new Set(['amendments.create', 'contracts.terminate'])

async function pathOf(operation: Operation, organization: TestOrganization): Promise<string> {
  if (!needing_an_active_contract.has(operation.id)) return realPath(service, organization, operation)
  const { id } = await activeContract(service, {}, organization)
  return operation.path.replace(':contract_id', id)
}

/** A call of an operation on a real row of an organization, as REST and as a tool make it. */
async function callOf(operation: Operation, organization = ours): Promise<Call> {
  const path = await pathOf(operation, organization)
  const segments = operation.path.split('/')
  const ids = pathFields(operation.path).map((name) => [name, path.split('/')[segments.indexOf(`:${name}`)]])
  const body = hasBody(operation)
    ? await sampleInput(service, operation, (field) => referredRow(service, organization, field))
    : undefined
  const isList = 'limit' in operation.input.properties
  return {
    path: isList ? `${path}?limit=${rows_max}` : path,
    body,
    args: { ...Object.fromEntries(ids), ...body, ...(isList && { limit: rows_max }) },
  }
}

const callRest = (operation: Operation, { path, body }: Call, token: string, headers = {}) =>
  service.call(operation.method, path, { token, body, headers })

/** Two rows made one after the other differ in what was made up for each; everything else is compared. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/(worker|someone)-\d+@/g, '$1@')
    .replaceAll(/(INV|PAY)-\d{4}-\d{6}/g, '$1')
    // Timers of rows that others of these tests made.
    .replaceAll(/"fired_timers":\d+/g, '"fired_timers":0')
    .replaceAll(/"terms_digest":"[\w-]+"/g, '"terms_digest":"digest"')
    .replaceAll(/(Lead|Head|Sample) \d+/g, '$1')
  return JSON.parse(text)
}

/** The schema of an answer is concise, and must hold for every answer; that of the listing is compiled strictly. */
const ajv = new Ajv2020({ strict: true })
const outputSchemas = new Map(
  [...toolsOf(createRegistry(operations, events)).values()].map(({ name, listed }) => [
    name,
    JSON.parse(listed).outputSchema as object,
  ]),
)

test('each tool answers what the REST call of its operation answers, and in words the same without nulls', async () => {
  let reads = 0
  await holdsFor(tools, async (operation) => {
    const { rest, mcp } = await tokensFor(operation)
    const call = await callOf(operation)
    const again = operation.method === 'GET' ? call : await callOf(operation)
    const expected = await callRest(operation, call, rest)
    const result = await callConfirmed(service, mcp, nameOf(operation), again.args)
    assert.ok(expected.status < 300, JSON.stringify(expected.body))
    assert.equal(result.isError, undefined, JSON.stringify(result.content))
    if (operation.method === 'GET') {
      const shown = withoutCursor(withoutOmitted(operation, expected.body))
      verifies('1.tools').deepEqual(withoutCursor(result.structuredContent), shown)
      reads += 1
    } else {
      assert.deepEqual(comparable(result.structuredContent), comparable(expected.body))
    }
    assert.equal(result.content[0].type, 'text')
    assert.deepEqual(JSON.parse(result.content[0].text), withoutNulls(result.structuredContent))
    if (!operation.tool?.omits) assert.deepEqual(registered(operation).checkOutput(result.structuredContent), [])
    assert.ok(ajv.validate(outputSchemas.get(nameOf(operation)) ?? {}, result.structuredContent), ajv.errorsText())
  })
  assert.ok(reads > 5)
})

test('each tool refuses what the REST call refuses, in the same words', () =>
  writesNothing(service, [ours.id], () =>
    holdsFor(tools, async (operation) => {
      const { rest, mcp } = await tokensFor(operation)
      const wrong = { no_such_field: 1 }
      const path = operation.path.replaceAll(/:[a-z_]+/g, () => crypto.randomUUID())
      const ids = Object.fromEntries(pathFields(operation.path).map((name) => [name, crypto.randomUUID()]))
      const expected = hasBody(operation)
        ? await service.call(operation.method, path, { token: rest, body: wrong })
        : await service.call('GET', `${path}?no_such_field=1`, { token: rest })
      const { isError, content, structuredContent } = await callTool(service, mcp, nameOf(operation), {
        ...ids,
        ...wrong,
      })
      const { code, title, detail, errors } = expected.body
      const lines = [
        `${code}: ${title}`,
        ...errors.map((each: { pointer: string; message: string }) => `${each.pointer}: ${each.message}`),
        `Next: ${detail}`,
      ]
      assert.equal(isError, true)
      assert.equal(structuredContent, undefined)
      assert.equal(content[0].text, lines.join('\n'))
    }),
  ))

test('a row of another organization answers a tool like one that does not exist', async () => {
  const calls = new Map<string, Call>()
  for (const operation of withIds) calls.set(operation.id, await callOf(operation, theirs))
  await writesNothing(service, [ours.id, theirs.id], () =>
    holdsFor(withIds, async (operation) => {
      const { mcp } = await tokensFor(operation)
      const { args } = calls.get(operation.id) ?? { args: {} }
      const nothing = Object.fromEntries(pathFields(operation.path).map((name) => [name, crypto.randomUUID()]))
      const foreign = await callTool(service, mcp, nameOf(operation), args)
      const missing = await callTool(service, mcp, nameOf(operation), { ...args, ...nothing })
      assert.match(foreign.content[0].text, /^not_found: /)
      assert.deepEqual(foreign, missing)
    }),
  )
})

test('no credential, an expired one and one of another resource: 401 for every tool', async () => {
  const resource = 'https://stint.test/.well-known/oauth-protected-resource/mcp'
  const worker = (await workerOf(service, ours)).token
  const expired = await createMember(service, { organization_id: ours.id, expires_at: service.clock.now() - 1_000 })
  await writesNothing(service, [ours.id], () =>
    holdsFor(tools, async (operation) => {
      const body = request('tools/call', { name: nameOf(operation), arguments: {} })
      const open = await post(service, body)
      assert.equal(open.status, 401)
      assert.equal(open.headers['www-authenticate'], `Bearer resource_metadata="${resource}"`)
      for (const token of [expired.token, worker, ours.token]) {
        const { status, headers } = await post(service, body, { token })
        assert.equal(status, 401)
        assert.equal(headers['www-authenticate'], `Bearer resource_metadata="${resource}", error="invalid_token"`)
      }
    }),
  )
})

test('a tool asks for the scopes of its operation, and each single one of them suffices', () =>
  holdsFor(needingScope, async (operation) => {
    const held = (scope: Scope) =>
      operation.scopes.some((needed) => [needed, needed.replace(':read', ':write')].includes(scope))
    const body = request('tools/call', { name: nameOf(operation), arguments: { no_such_field: 1 } })
    const tokenWith = async (wished: readonly Scope[]) =>
      (await createMember(service, { organization_id: ours.id, scopes: wished })).token
    const others = await tokenWith(scopes.filter((scope) => !held(scope)))
    const refused = await post(service, body, { token: others })
    const [least] = operation.scopes.toSorted()
    const asked = String(refused.headers['www-authenticate'])
    // A worker's scope is no member's to give, so a member is not asked for it.
    if (operation.scopes.every((scope) => workerScopes.includes(scope))) {
      assert.deepEqual([refused.status, asked, refused.body.result.isError], [200, 'undefined', true])
    } else {
      assert.equal(refused.status, 403)
      verifies('5.2.scopes').match(asked, new RegExp(`error="insufficient_scope", scope="${least}"$`))
    }
    for (const scope of operation.scopes) {
      const { status, body: answer } = await post(service, body, { token: await tokenWith([scope]) })
      assert.equal(status, 200, JSON.stringify(answer))
    }
  }))

test('a key against repeats means the same call by REST and by tool', async () => {
  await holdsFor(
    tools.filter((operation) => isRepeatable(operation)),
    async (operation) => {
      const call = await callOf(operation)
      const key = crypto.randomUUID()
      const { rest, mcp } = await tokensFor(operation)
      const first = await callRest(operation, call, rest, { 'idempotency-key': key })
      assert.ok(first.status < 300, JSON.stringify(first.body))
      // A repeat does nothing, so that its confirmation may be any.
      const confirm = operation.tool?.needs_confirm && 'A'.repeat(43)
      const args = { ...call.args, idempotency_key: key, ...(confirm && { confirm }) }
      const repeat = await callTool(service, mcp, nameOf(operation), args)
      assert.deepEqual(repeat.structuredContent, first.body)
    },
  )
})

/** The answer of REST without what the rows of a tool leave out. */
function withoutOmitted({ tool }: Operation, body: { data?: Record<string, unknown>[] }): object {
  const { omits = [] } = tool ?? {}
  const kept = (row: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !omits.includes(name)))
  return omits.length === 0 ? body : { ...body, data: body.data?.map(kept) }
}

/** A cursor is sealed anew each time; that there is one is compared. */
function withoutCursor(body: object): object {
  const { cursor = null } = body as { cursor?: string | null }
  return { ...body, cursor: cursor !== null }
}

function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).filter(([, each]) => each !== null))
  })
}
