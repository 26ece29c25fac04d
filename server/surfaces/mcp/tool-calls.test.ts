import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { metrics } from '#core/metrics.ts'
import { sql } from '#db/database.ts'
import { rightsOf } from '#identity/scopes.ts'
import { contractBody, createContract, workerToken } from '#test/factories.ts'
import { onServer } from '#test/server-of-run.ts'
import { startTestService, type TestOrganization, type TestService, useTestService } from '#test/service.ts'
import { callTool, createMember, type Member, modernRequest, post, request } from '#test/tool-client.ts'

const characters_max = 40_000

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** An organization of its own with a member who may do everything. */
async function newcomer(): Promise<{ organization: TestOrganization; member: Member; token: string }> {
  const organization = await service.createOrganization()
  const member = await createMember(service, { organization_id: organization.id })
  return { organization, member, token: member.token }
}

const operate = (statement: ReturnType<typeof sql>, organization_id: string) =>
  service.database.database.transaction({ role: 'owner', organization_id }, (tx) => tx.run(statement))

const list = request('tools/call', { name: 'list_contracts', arguments: {} })

test('a list that is too long is read again with as many rows as fit, and its cursor goes on exactly behind them', async () => {
  const { organization, token } = await newcomer()
  for (let made = 0; made < 12; made += 1)
    await createContract(service, { scope_of_work: `${made} ${'x'.repeat(6_000)}` }, organization)
  const whole = (await service.call('GET', '/contracts', { query: { limit: 100 }, token: organization.token })).body
    .data
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const result = await callTool(service, token, 'list_contracts', cursor ? { cursor } : {})
    const page = result.structuredContent
    assert.ok(result.content[0].text.length <= characters_max, `${result.content[0].text.length} characters`)
    assert.ok(JSON.stringify(page).length <= characters_max)
    assert.equal(page.total_count, 12)
    seen.push(...page.data.map(({ id }: { id: string }) => id))
    cursor = page.cursor
    const note = result.content[1]?.text
    if (page.data.length === 12) continue
    const isCut = seen.length < 12 || note !== undefined
    if (isCut && cursor)
      assert.ok(note.includes(`These are ${page.data.length} of 12 rows`) && note.includes(cursor), note)
  } while (cursor !== null)
  assert.deepEqual(
    seen,
    whole.map(({ id }: { id: string }) => id),
  )
})

test('in a single object that is too long long texts are cut, and a note names where they are whole', async () => {
  const { organization, token } = await newcomer()
  const long = { scope_of_work: `${'x'.repeat(1_998)}${'😀'.repeat(9_001)}`, special_clause: 'y'.repeat(20_000) }
  const { id } = await createContract(service, { ...long, job_title: 'z'.repeat(150) }, organization)
  const { structuredContent, content } = await callTool(service, token, 'get_contract', { contract_id: id })
  assert.equal(structuredContent.special_clause, `${'y'.repeat(1_999)}…`)
  assert.ok(structuredContent.scope_of_work.isWellFormed())
  assert.equal(structuredContent.job_title, 'z'.repeat(150))
  assert.match(content[1].text, new RegExp(`GET /contracts/${id} of the REST API`))
})

test('a call without a limit shows 20 rows', async () => {
  const { organization, token } = await newcomer()
  for (let made = 0; made < 22; made += 1) await createContract(service, {}, organization)
  const { structuredContent, content } = await callTool(service, token, 'list_contracts')
  assert.deepEqual([structuredContent.data.length, structuredContent.total_count], [20, 22])
  assert.equal(content.length, 1)
})

test('two calls list every event type: its rows have no schema of their own, which REST has', async () => {
  const { organization, token } = await newcomer()
  const first = (await callTool(service, token, 'list_webhook_event_types', { limit: 100 })).structuredContent
  const { cursor } = first
  const rest = (await callTool(service, token, 'list_webhook_event_types', { limit: 100, cursor })).structuredContent
  const rows = [...first.data, ...rest.data]
  assert.equal(rows.length, first.total_count)
  assert.ok(rows.every((row: object) => 'payload_example' in row && !('json_schema' in row)))
  const { body } = await service.call('GET', '/webhooks/events', { token: organization.token })
  assert.ok(body.data.every((row: object) => 'json_schema' in row))
})

test('the key against repeats is refused by the name of the argument', async () => {
  const { token } = await newcomer()
  for (const idempotency_key of ['', 'ü', 5, null, 'x'.repeat(256)]) {
    const { isError, content } = await callTool(service, token, 'create_contract', { idempotency_key })
    assert.equal(isError, true)
    assert.match(
      content[0].text,
      /^validation_failed: .*\n\/idempotency_key: must be 1 to 255 printable ASCII characters/,
    )
  }
  const read = await callTool(service, token, 'list_contracts', { idempotency_key: 'x' })
  assert.match(read.content[0].text, /\/idempotency_key: is not a known field/)
})

test('a role that may not call is told who may, without a challenge that no scope would answer', async (t) => {
  const { token } = await createMember(service, { role: 'viewer' })
  const operation = service.runtime.registry.operation('webhooks.list').definition
  t.after(() => delete operation.roles)
  operation.roles = ['owner']
  const answer = await post(service, request('tools/call', { name: 'list_webhooks', arguments: {} }), { token })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['www-authenticate'], undefined)
  assert.match(answer.body.result.content[0].text, /^insufficient_scope: The role viewer may not do this; owner may\./)
})

test('a role that cannot give the scope that is lacking is not asked for it, on either surface', async () => {
  const { token } = await createMember(service, { role: 'viewer', scopes: ['contracts:read'] })
  const tool = await post(service, request('tools/call', { name: 'create_contract', arguments: {} }), { token })
  assert.deepEqual([tool.status, tool.headers['www-authenticate']], [200, undefined])
  const words = 'The role viewer may not do this; owner and admin may.'
  assert.ok(tool.body.result.content[0].text.startsWith(`insufficient_scope: ${words}`), JSON.stringify(tool.body))
  const rest = await service.call('POST', '/contracts', { token, body: contractBody(service) })
  assert.deepEqual([rest.status, rest.body.code, rest.body.detail], [403, 'insufficient_scope', words])
  assert.deepEqual([rest.body.required_scopes, rest.headers['www-authenticate']], [[], undefined])
})

test('a member is not asked for the scopes of workers, which no member can give', async () => {
  const { token } = await createMember(service, { scopes: ['contracts:read'] })
  const { status, body, headers } = await service.call('GET', '/worker/contracts', { token })
  assert.deepEqual([status, body.required_scopes, headers['www-authenticate']], [403, [], undefined])
  assert.equal(body.detail, 'The role owner may not do this; only the worker may.')
})

test('a worker is not asked for the scopes of members', async () => {
  const { worker_id } = await createContract(service, {})
  const token = await workerToken(service, worker_id)
  const { status, body, headers } = await service.call('GET', '/contracts', { token })
  assert.deepEqual([status, body.required_scopes, headers['www-authenticate']], [403, [], undefined])
  assert.equal(body.detail, 'A worker may not do this.')
})

test('whatever a role is asked for, the role can give', async () => {
  for (const role of ['owner', 'admin', 'developer', 'finance', 'viewer'] as const) {
    const { token } = await createMember(service, { role, scopes: ['time-off:read'] })
    const given = rightsOf[role].scopes
    for (const { definition } of service.runtime.registry.operations) {
      if (!definition.tool) continue
      const call = request('tools/call', { name: definition.tool.name, arguments: { no_such_field: 1 } })
      const { status, headers } = await post(service, call, { token })
      const asked = /scope="([^"]+)"$/.exec(String(headers['www-authenticate']))?.[1]
      assert.equal(status === 403, asked !== undefined, definition.id)
      const isGiven = given.some((scope) => scope === asked || scope === asked?.replace(/:read$/, ':write'))
      assert.ok(asked === undefined || isGiven, `${role}, ${definition.id}: ${asked}`)
    }
  }
})

/** Ways to end a credential between two calls. */
const endings: Record<string, ({ id, user_id }: Member, organization_id: string) => Promise<unknown>> = {
  'mcp.revoked: the token': ({ id }, organization_id) =>
    operate(sql`update access_tokens set revoked_at = app_now() where id = ${id}`, organization_id),
  'mcp.disabled: the user': ({ user_id }, organization_id) =>
    operate(sql`update users set disabled_at = app_now() where id = ${user_id}`, organization_id),
  'mcp.disabled: the membership': ({ user_id }, organization_id) =>
    operate(sql`delete from memberships where user_id = ${user_id}`, organization_id),
  'mcp.expired': ({ id }, organization_id) =>
    operate(
      sql`update access_tokens set expires_at = app_now() - interval '1 second' where id = ${id}`,
      organization_id,
    ),
}

for (const [name, end] of Object.entries(endings)) {
  test(`${name} ended between two calls: 401 on the next, at every method`, async () => {
    const { organization, member } = await newcomer()
    assert.equal((await post(service, list, { token: member.token })).status, 200)
    await end(member, organization.id)
    for (const body of [list, request('tools/list'), request('ping')]) {
      const answer = await post(service, body, { token: member.token })
      assert.equal(answer.status, 401)
      assert.match(String(answer.headers['www-authenticate']), /, error="invalid_token"$/)
    }
  })
}

test('requests without a credential are limited by address, and calls by credential', async (t) => {
  const service = await useTestService(t, { STINT_RATE_LIMIT_OPEN: '2', STINT_RATE_LIMIT_REQUESTS: '3' })
  const { token } = await createMember(service)
  const open: number[] = []
  for (let turn = 0; turn < 4; turn += 1) open.push((await post(service, request('tools/list'))).status)
  assert.deepEqual(open, [200, 200, 429, 429])
  const calls: number[] = []
  for (let turn = 0; turn < 4; turn += 1) calls.push((await post(service, list, { token })).status)
  assert.deepEqual(calls, [200, 200, 200, 429])
  const refused = await post(service, list, { token })
  assert.equal(refused.body.error.code, 429)
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  assert.equal(refused.headers['www-authenticate'], undefined)
})

test('beyond its refused credentials an address is told to wait with each further one, and a good one is served', async (t) => {
  const service = await useTestService(t, { STINT_RATE_LIMIT_FAILURES: '2' })
  const statuses: number[] = []
  for (let turn = 0; turn < 4; turn += 1) statuses.push((await post(service, list, { token: 'wrong' })).status)
  assert.deepEqual(statuses, [401, 401, 429, 429])
  const { token } = await createMember(service)
  assert.equal((await post(service, list, { token })).status, 200)
})

test('while the database is away a call answers 503 and never looks like a bad credential; open methods go on', async (t) => {
  const service = await useTestService(t)
  const { token } = await createMember(service)
  assert.equal((await post(service, list, { token })).status, 200)
  const { owner } = service.database
  const server = { ...owner, database: 'postgres' }
  const allow = (is_allowed: boolean) =>
    onServer(server, `alter database ${owner.database} with allow_connections ${is_allowed}`)
  await allow(false)
  await onServer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${owner.database}'`)
  const away = await post(service, list, { token })
  assert.deepEqual([away.status, away.body.error.code, away.body.id], [503, 503, 7])
  assert.match(String(away.headers['retry-after']), /^\d+$/)
  assert.equal(away.headers['www-authenticate'], undefined)
  assert.equal((await post(service, request('tools/list'))).status, 200)
  assert.equal((await post(service, list)).status, 401)
  await allow(true)
  assert.equal((await post(service, list, { token })).status, 200)
})

test('a mistake of ours says the request and nothing else; the log has its cause', async (t) => {
  const { token } = await newcomer()
  const operation = service.runtime.registry.operation('contracts.list').definition
  const { handle } = operation
  t.after(() => Object.assign(operation, { handle }))
  operation.handle = async () => {
    throw new Error('the password of the database is hunter2')
  }
  const modern = modernRequest('tools/call', { name: 'list_contracts', arguments: {} })
  for (const { body, headers } of [{ body: list, headers: {} }, modern]) {
    const answer = await post(service, body, { token, headers: { ...headers, 'request-id': 'try-1' } })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body.error, { code: -32_603, message: 'Internal error, request try-1' })
  }
  const line = service.logged.map((text) => JSON.parse(text)).findLast(({ request_id }) => request_id === 'try-1')
  assert.equal(line.level, 'error')
  assert.match(JSON.stringify(line.err), /hunter2/)
})

test('a call that takes longer than 30 s is answered 503 with Retry-After, and its work goes on', async (t) => {
  const { token } = await newcomer()
  const operation = service.runtime.registry.operation('contracts.list').definition
  const { handle } = operation
  t.after(() => Object.assign(operation, { handle }))
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  operation.handle = async (input, context) => {
    reached.resolve()
    await goOn.promise
    const output = await handle(input, context)
    ended.resolve(output)
    return output
  }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const answering = post(service, list, { token })
  await reached.promise
  t.mock.timers.tick(30_000 - 1)
  const early = await Promise.race([answering, new Promise<null>((resolve) => setImmediate(resolve, null))])
  assert.equal(early, null)
  t.mock.timers.tick(1)
  const { status, headers, body } = await answering
  t.mock.timers.reset()
  assert.deepEqual([status, body.error.code, body.error.message], [503, 503, 'The call took too long.'])
  assert.match(String(headers['retry-after']), /^\d+$/)
  assert.equal(headers['www-authenticate'], undefined)
  goOn.resolve()
  assert.equal(((await ended.promise) as { total_count: number }).total_count, 0)
})

test('log and metric name the surface, the operation and how the call ended', async () => {
  const { organization, token } = await newcomer()
  const logged = service.logged.length
  const countOf = async (tool: string, outcome: string) => {
    const text = await metrics.metrics()
    return Number(
      new RegExp(`^tool_calls_total{tool="${tool}",outcome="${outcome}"} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
    )
  }
  const before = await Promise.all([
    countOf('list_contracts', 'ok'),
    countOf('list_contracts', 'problem'),
    countOf('unknown', 'refused'),
  ])
  await callTool(service, token, 'list_contracts')
  await callTool(service, token, 'list_contracts', { limit: 0 })
  await post(service, request('tools/call', { name: 'no_such_tool', arguments: {} }), { token })
  const after = await Promise.all([
    countOf('list_contracts', 'ok'),
    countOf('list_contracts', 'problem'),
    countOf('unknown', 'refused'),
  ])
  assert.deepEqual(
    after,
    before.map((count) => count + 1),
  )
  const lines = service.logged
    .slice(logged)
    .map((text) => JSON.parse(text))
    .filter(({ msg }) => msg === 'request')
  const called = lines.filter(({ operation }) => operation === 'contracts.list')
  assert.deepEqual(
    called.map(({ surface, problem }) => [surface, problem]),
    [
      ['mcp', undefined],
      ['mcp', 'validation_failed'],
    ],
  )
  assert.equal(called[0].organization_id, organization.id)
})

test('the audit log says by which way a change came', async () => {
  const { organization, token } = await newcomer()
  await createContract(service, {}, organization)
  const created = await callTool(service, token, 'create_contract', contractBody(service))
  assert.equal(created.isError, undefined, JSON.stringify(created.content))
  const lines = await service.database.database.transaction(
    { role: 'app', organization_id: organization.id, read_only: true },
    (tx) => tx.rows(sql`select action, surface from audit_entries order by occurred_at, id`),
  )
  assert.deepEqual(lines, [
    { action: 'contracts.create', surface: 'rest' },
    { action: 'contracts.create', surface: 'mcp' },
  ])
})
