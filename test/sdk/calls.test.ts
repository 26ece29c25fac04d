import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { headersOf } from '#sdk/client.ts'
import { ConnectionError, ProblemError } from '#sdk/errors.ts'
import { createStint } from '#sdk/index.ts'
import { contractBody } from '#test/factories.ts'
import { answer, hang, head, reset, startReceiver } from '#test/receiver.ts'
import { type Fetch, fetchFrom, sdkOf } from '#test/sdk.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const newOrganization = async () => inOrganization(service, await service.createOrganization())

/** Lets the requests before the last pass through in some other way. */
function afterFirst(first: Fetch, ...others: Fetch[]): Fetch {
  const ways = [first, ...others]
  return (url, init) => (ways.shift() ?? fetchFrom(service))(url, init)
}

const refuse =
  (status: number, headers: Record<string, string> = {}): Fetch =>
  async () =>
    new Response('<html>no</html>', { status, headers })

/** The service answers, and the answer never arrives. */
const loseAnswer: Fetch = async (url, init) => {
  await fetchFrom(service)(url, init)
  throw new TypeError('fetch failed')
}

/** No part of the request arrives. */
const loseRequest: Fetch = async () => {
  throw new TypeError('fetch failed')
}

test('one resource from its making to its end: create, get, change, rehearse, confirm, delete', async () => {
  const { stint } = sdkOf(service)
  const team = await stint.teams.create({ name: 'Research' })
  assert.equal(headersOf(team)?.get('idempotent-replayed'), null)
  const read = await stint.teams.get({ team_id: team.id })
  assert.deepEqual(read, team)
  const { name } = await stint.teams.update({ team_id: team.id, name: 'Research and tools' }, { if_match: read })
  assert.equal(name, 'Research and tools')
  const { dry_run } = await stint.teams.delete({ team_id: team.id }, { dry_run: true })
  assert.deepEqual(
    dry_run.events.map(({ type }) => type),
    ['team.deleted'],
  )
  assert.equal(await stint.teams.delete({ team_id: team.id }, { confirm: dry_run.digest }), undefined)
  await assert.rejects(stint.teams.get({ team_id: team.id }), { code: 'not_found', status: 404 })
})

test('a change of what another has changed meanwhile is refused: the answer that was read stands for its version', async () => {
  const { stint } = sdkOf(service)
  const team = await stint.teams.create({ name: 'Sales' })
  await stint.teams.update({ team_id: team.id, name: 'Sales and service' })
  const late = stint.teams.update({ team_id: team.id, name: 'Lost' }, { if_match: team })
  await assert.rejects(late, { code: 'precondition_failed', status: 412 })
  const tag = headersOf(await stint.teams.get({ team_id: team.id }))?.get('etag') ?? ''
  await stint.teams.update({ team_id: team.id, name: 'Kept' }, { if_match: tag })
  await assert.rejects(
    stint.teams.update({ team_id: team.id, name: 'x' }, { if_match: { ...team } }),
    /neither an ETag nor an answer/,
  )
})

test('a refusal says what is wrong, where, and under which id the operator finds it', async () => {
  const { stint, sent } = sdkOf(service)
  // The cast stands for a caller without types.
  const error = await stint.contracts
    .create(contractBody(service, { title: '', start_date: 'soon' }) as never)
    .catch((one) => one)
  assert.ok(error instanceof ProblemError)
  assert.equal(`${error.status} ${error.code}`, '400 validation_failed')
  assert.deepEqual(error.errors.map(({ pointer }) => pointer).sort(), ['/start_date', '/title'])
  assert.equal(error.type, 'https://stint.test/docs/problems/validation_failed')
  assert.equal(error.request_id, error.headers.get('request-id'))
  assert.match(error.message, /^400 validation_failed: .*\n {2}\/title /s)
  assert.equal(sent.length, 1)
})

test('what a proxy answers in its own form is a refusal too', async () => {
  const { stint } = sdkOf(service, { fetch: refuse(404) })
  await assert.rejects(stint.teams.list().page(), {
    name: 'ProblemError',
    status: 404,
    code: 'http_404',
    request_id: null,
  })
})

test('the rows of a list come over all pages, each once, and pages are read one by one as they are needed', async () => {
  const t = await newOrganization()
  const { stint, sent } = sdkOf(t)
  const made = new Set<string>()
  for (let count = 0; count < 7; count += 1) made.add((await stint.teams.create({ name: `Team ${count}` })).id)
  sent.length = 0
  const rows = await Array.fromAsync(stint.teams.list({ limit: 3 }))
  assert.deepEqual(new Set(rows.map(({ id }) => id)), made)
  assert.deepEqual([rows.length, sent.length], [7, 3])
  const { data, cursor, has_more, total_count } = await stint.teams.list({ limit: 3 }).page()
  assert.deepEqual([data.length, has_more, total_count], [3, true, 7])
  const rest = await Array.fromAsync(stint.teams.list({ limit: 3, cursor: cursor ?? '' }).pages())
  assert.deepEqual(
    rest.map((page) => page.data.length),
    [3, 1],
  )
  sent.length = 0
  for await (const { id } of stint.teams.list({ limit: 3 })) if (made.has(id)) break
  assert.equal(sent.length, 1)
})

test('a list that has to show everything asks for it with each page', async () => {
  const { stint, sent } = sdkOf(service)
  await Array.fromAsync(stint.teams.list({ limit: 1 }, { latest: true }).pages())
  await stint.teams.list({ limit: 1 }).page()
  const asked = sent.map(({ headers }) => headers.get('cache-control'))
  assert.deepEqual([asked.pop(), new Set(asked)], [null, new Set(['no-cache'])])
})

test('a list of words travels as repeated keys, and what is undefined does not travel', async () => {
  const { stint, sent } = sdkOf(service)
  await stint.contracts
    .list({ statuses: ['pending', 'active'], is_archived: false, search: undefined, limit: 5 })
    .page()
  assert.equal(new URL(sent[0]?.url ?? '').search, '?statuses=pending&statuses=active&is_archived=false&limit=5')
})

test('an answer that is a file has its name, its type and its bytes', async () => {
  const { stint } = sdkOf(service)
  const file = await stint.invoices.export({ from: '2026-01-01', to: '2026-01-31' })
  assert.match(file.name, /\.csv$/)
  assert.match(file.type, /^text\/csv/)
  assert.match(await file.text(), /^[a-z_",]+/)
})

test('an id can lead to no other address', async () => {
  const { stint, sent } = sdkOf(service)
  for (const team_id of ['', '.', '..', undefined, null, {}]) {
    await assert.rejects(stint.teams.delete({ team_id: team_id as string }), /team_id is required/)
  }
  await assert.rejects(stint.teams.get({ team_id: '../contracts?limit=1#' }), { code: 'not_found' })
  assert.deepEqual(
    sent.map(({ url }) => url),
    ['https://stint.test/rest/v2/teams/..%2Fcontracts%3Flimit%3D1%23'],
  )
})

test('a lost answer makes nothing twice: the call is repeated with its key and answered the same', async () => {
  const t = await newOrganization()
  const { stint, sent } = sdkOf(t, { fetch: afterFirst(loseAnswer, loseRequest, loseAnswer) })
  const contract = await stint.contracts.create(contractBody(t) as never)
  assert.equal(headersOf(contract)?.get('idempotent-replayed'), 'true')
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
  assert.deepEqual([keys.length, new Set(keys).size], [4, 1])
  assert.deepEqual([...new Set(sent.map(({ body }) => body))].length, 1)
  const all = await Array.fromAsync(stint.contracts.list())
  assert.deepEqual(
    all.map(({ id }) => id),
    [contract.id],
  )
})

test('a change under a condition is answered the same when its answer was lost: its key comes before its condition', async () => {
  const t = await newOrganization()
  const { stint } = sdkOf(t)
  const made = await stint.teams.create({ name: 'First' })
  const losing = () => sdkOf(t, { fetch: afterFirst(loseAnswer) }).stint
  const read = await stint.teams.get({ team_id: made.id })
  const second = await losing().teams.update({ team_id: made.id, name: 'Second' }, { if_match: read })
  assert.equal(headersOf(second)?.get('idempotent-replayed'), 'true')
  const change = { team_id: made.id, name: 'Third' }
  const { dry_run } = await stint.teams.update(change, { dry_run: true })
  const third = await losing().teams.update(change, { confirm: dry_run.digest })
  assert.deepEqual([third.name, headersOf(third)?.get('idempotent-replayed')], ['Third', 'true'])
})

test('a key of your own finishes in another process what this one could not', async () => {
  const t = await newOrganization()
  const dying = sdkOf(t, { fetch: loseAnswer, retries_max: 0 })
  const error = await dying.stint.teams.create({ name: 'Once' }, { idempotency_key: 'import-17' }).catch((one) => one)
  assert.ok(error instanceof ConnectionError)
  assert.deepEqual([error.idempotency_key, error.tries], ['import-17', 1])
  assert.match(error.message, /^POST \/teams had no answer after one try: fetch failed$/)
  const { stint } = sdkOf(t)
  await stint.teams.create({ name: 'Once' }, { idempotency_key: error.idempotency_key ?? '' })
  assert.equal((await stint.teams.list().page()).total_count, 1)
})

test('a removal whose answer was lost has happened, and is no refusal', async () => {
  const t = await newOrganization()
  const { id: team_id } = await sdkOf(t).stint.teams.create({ name: 'Gone' })
  const { stint, sent } = sdkOf(t, { fetch: afterFirst(loseAnswer) })
  await stint.teams.delete({ team_id })
  assert.equal(sent.length, 2)
  await assert.rejects(stint.teams.delete({ team_id }), { code: 'not_found' })
})

test('a rehearsal of a removal that finds nothing says so, also after a lost answer', async () => {
  const { stint } = sdkOf(service, { fetch: afterFirst(loseRequest) })
  const none = stint.teams.delete({ team_id: crypto.randomUUID() }, { dry_run: true })
  await assert.rejects(none, { code: 'not_found' })
})

test('a service that stays away leaves the key for a later try', async () => {
  const { stint } = sdkOf(service, { fetch: refuse(503) })
  await assert.rejects(stint.teams.create({ name: 'x' }, { idempotency_key: 'later' }), {
    name: 'ProblemError',
    idempotency_key: 'later',
  })
})

test('a removal under a condition is not repeated: it would be refused for what it did itself', async () => {
  const t = await newOrganization()
  const team = await sdkOf(t).stint.teams.create({ name: 'Gone' })
  const { stint, sent } = sdkOf(t, { fetch: loseAnswer })
  const tag = headersOf(await sdkOf(t).stint.teams.get({ team_id: team.id }))?.get('etag') ?? ''
  await assert.rejects(stint.teams.delete({ team_id: team.id }, { if_match: tag }), ConnectionError)
  assert.equal(sent.length, 1)
})

for (const status of [429, 503]) {
  test(`a ${status} is repeated after the wait that it asks for`, async () => {
    const ways = afterFirst(refuse(status, { 'retry-after': '7' }), refuse(status, { 'retry-after': '2' }))
    const { stint, sent, waited_ms } = sdkOf(service, { fetch: ways })
    await stint.teams.create({ name: `After ${status}` })
    assert.equal(sent.length, 3)
    const [first = 0, second = 0] = waited_ms
    assert.ok(first >= 7_000 && first < 8_000 && second >= 2_000 && second < 3_100, `${waited_ms}`)
  })
}

test('a wait may be told as a date; one of more than a minute is left to the caller', async () => {
  const date = new Date(Date.now() + 20_000).toUTCString()
  const soon = sdkOf(service, { fetch: afterFirst(refuse(503, { 'retry-after': date })) })
  await soon.stint.teams.list().page()
  assert.ok((soon.waited_ms[0] ?? 0) > 15_000 && (soon.waited_ms[0] ?? 0) < 21_000, `${soon.waited_ms}`)
  const long = sdkOf(service, { fetch: refuse(429, { 'retry-after': '3600' }) })
  await assert.rejects(long.stint.teams.list().page(), { status: 429 })
  assert.deepEqual([long.sent.length, long.waited_ms.length], [1, 0])
})

test('waits that nobody asks for double, by chance, up to a bound; tries have one too', async () => {
  const { stint, sent, waited_ms } = sdkOf(service, { fetch: loseRequest, retries_max: 8 })
  const error = await stint.teams
    .list()
    .page()
    .catch((one) => one)
  assert.ok(error instanceof ConnectionError)
  assert.deepEqual([error.tries, sent.length, waited_ms.length], [9, 9, 8])
  for (const [turn, time_ms] of waited_ms.entries())
    assert.ok(time_ms <= Math.min(500 * 2 ** turn, 8_000), `${waited_ms}`)
  assert.ok(new Set(waited_ms).size > 4)
})

test('a refusal that would be the same again is not repeated', async () => {
  for (const status of [400, 401, 403, 404, 409, 412, 422, 500]) {
    const { stint, sent } = sdkOf(service, { fetch: refuse(status) })
    await assert.rejects(stint.teams.create({ name: 'x' }), { status })
    assert.equal(sent.length, 1)
  }
})

test('a call that meets its own earlier try waits for it', async () => {
  const running = JSON.stringify({ code: 'idempotency_in_progress', status: 409 })
  const { stint, sent } = sdkOf(service, { fetch: afterFirst(async () => new Response(running, { status: 409 })) })
  await stint.teams.create({ name: 'Patient' })
  assert.equal(sent.length, 2)
})

test('the token of a function is asked for at each try, and one that fails is the error itself', async () => {
  const tokens = ['no-longer', service.organization.token]
  const { stint, sent } = sdkOf(service, { token: async () => tokens.shift() ?? '', fetch: afterFirst(refuse(503)) })
  await stint.teams.list().page()
  assert.deepEqual(
    sent.map(({ headers }) => headers.get('authorization')),
    ['Bearer no-longer', `Bearer ${service.organization.token}`],
  )
  const failing = sdkOf(service, { token: () => Promise.reject(new Error('the vault is closed')) })
  await assert.rejects(failing.stint.teams.list().page(), /^Error: the vault is closed$/)
  assert.equal(failing.sent.length, 0)
})

test('a token that has ended is asked for once more, and the call made again with the other one, once', async () => {
  const t = await newOrganization()
  const asked: unknown[] = []
  const tokenFrom = (tokens: string[]) => (refused?: string) => {
    asked.push(refused)
    return tokens.shift() ?? ''
  }
  const { stint, sent, waited_ms } = sdkOf(t, { token: tokenFrom(['ended', t.organization.token]), retries_max: 0 })
  await stint.teams.create({ name: 'Once' })
  const keys = new Set(sent.map(({ headers }) => headers.get('idempotency-key')))
  assert.deepEqual([sent.length, keys.size, asked, waited_ms], [2, 1, [undefined, 'ended'], []])
  for (const tokens of [
    ['ended', 'ended too', 'another'],
    ['ended', 'ended'],
  ]) {
    const tries = new Set(tokens).size - (tokens.length === 3 ? 1 : 0)
    const refused = sdkOf(t, { token: tokenFrom([...tokens]) })
    await assert.rejects(refused.stint.teams.list().page(), { status: 401, code: 'unauthenticated' })
    assert.equal(refused.sent.length, tries)
  }
})

test('what is known already is not sent again, and comes when it has changed', async () => {
  const { stint, sent } = sdkOf(service)
  const team = await stint.teams.create({ name: 'Known' })
  const read = (if_none_match: string | object | undefined) => stint.teams.get({ team_id: team.id }, { if_none_match })
  assert.deepEqual(await read(undefined), team)
  assert.equal(await read(team), null)
  const tag = sent.at(-1)?.headers.get('if-none-match') ?? ''
  assert.equal(await read(tag), null)
  await stint.teams.update({ team_id: team.id, name: 'Changed' })
  const news = await read(team)
  assert.equal(news?.name, 'Changed')
  assert.equal(await read(news ?? tag), null)
  await assert.rejects(read({ ...team }), /if_none_match is neither an ETag nor an answer/)
  const surprised = sdkOf(service, { fetch: async () => new Response(null, { status: 304 }) })
  await assert.rejects(surprised.stint.teams.get({ team_id: team.id }), { code: 'http_304' })
})

test('a token is not sent where everybody could read it', () => {
  assert.throws(() => createStint({ base_url: 'http://stint.example' }), /would show the token/)
  assert.throws(() => createStint({ base_url: 'stint.example' }), TypeError)
})

for (const [base_url, address] of [
  ['https://stint.test', 'https://stint.test/rest/v2/teams'],
  ['https://stint.test/', 'https://stint.test/rest/v2/teams'],
  ['https://stint.test/rest/v2', 'https://stint.test/rest/v2/teams'],
  ['https://stint.test/rest/v2/', 'https://stint.test/rest/v2/teams'],
  ['https://stint.test/below', 'https://stint.test/below/rest/v2/teams'],
] as const) {
  test(`the base address ${base_url} is completed`, async () => {
    const { stint, sent } = sdkOf(service, { base_url, fetch: refuse(404) })
    await assert.rejects(stint.teams.list().page())
    assert.equal(sent[0]?.url, address)
  })
}

test('over real connections: one that is cut, hangs or breaks off in the middle of an answer is tried again', async (t) => {
  const page = JSON.stringify({ data: [], cursor: null, has_more: false, total_count: 0 })
  const receiver = await startReceiver({ transport: 'http', behaviour: answer({ body: page }) })
  t.after(() => receiver.close())
  const broken = (socket: import('node:net').Socket) => {
    socket.write(Buffer.concat([head(200, { 'content-length': '500' }), Buffer.from('{"data":[')]))
    socket.end()
  }
  const stint = createStint({ base_url: `http://localhost:${receiver.port}`, token: 'x', sleep: async () => {} })
  receiver.script(reset, broken, hang)
  const { total_count } = await stint.teams.list({}, { timeout_ms: 300 }).page()
  assert.deepEqual([total_count, receiver.requests.length], [0, 4])
  receiver.script(hang)
  const error = await stint.teams
    .list({}, { timeout_ms: 50, retries_max: 0 })
    .page()
    .catch((one) => one)
  assert.ok(error instanceof ConnectionError)
  assert.match(error.message, /no answer within 50 ms/)
})

test('the signal of a call ends it at once, while it is sent and while it waits', async (t) => {
  const receiver = await startReceiver({ transport: 'http', behaviour: hang })
  t.after(() => receiver.close())
  const stint = createStint({ base_url: `http://localhost:${receiver.port}`, token: 'x' })
  const sending = new AbortController()
  const sent = stint.teams.create({ name: 'x' }, { signal: sending.signal })
  await receiver.waitFor(1)
  sending.abort(new Error('the user left'))
  await assert.rejects(sent, /^Error: the user left$/)
  receiver.script(answer({ status: 503, headers: { 'retry-after': '50' } }))
  const waiting = stint.teams.create({ name: 'x' }, { signal: AbortSignal.timeout(100) })
  await assert.rejects(waiting, { name: 'TimeoutError' })
  await assert.rejects(stint.teams.list({}, { signal: AbortSignal.abort() }).page(), { name: 'AbortError' })
  assert.equal(receiver.requests.length, 2)
})
