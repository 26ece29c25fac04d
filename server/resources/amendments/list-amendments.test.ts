import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Amendments, ahead, amendmentIn, amendmentsOf, raise } from '#test/amendments.ts'
import { cases } from '#test/cases.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

let service: TestService
let at: Amendments
let contract: TestAnswer['body']
/** One amendment in each status but initial and pending, newest last; and an open one. */
let ids: Record<string, string>

before(async () => {
  service = await startTestService()
  at = amendmentsOf(service, await service.createOrganization({ is_sandbox: true }))
  contract = await at.activeContract()
  const made: Record<string, TestAnswer['body']> = {}
  made.declined = await at.inStatus('declined', contract)
  made.outdated = await at.agreed(contract)
  made.active = await at.agreed(contract, { terms: { amount: '4600.00' } })
  made.approved = await at.agreed(contract, { terms: { amount: '4700.00' }, effective_date: ahead(service, 30) })
  made.initial = await at.draft(contract, { terms: { job_title: 'Lead' } })
  ids = Object.fromEntries(Object.entries(made).map(([status, { id }]) => [status, id]))
  // Another contract's amendments are not among them.
  await at.draft(await at.activeContract())
})
after(() => service.close())

const list = (query = '', token?: string): Promise<TestAnswer> =>
  at.call('GET', `/contracts/${contract.id}/amendments${query}`, undefined, token)

const statusesOf = ({ data }: TestAnswer['body']) => data.map(({ status }: { status: string }) => status)

const all = ['initial', 'approved', 'active', 'outdated', 'declined']

const filters: { query: string; statuses: string[] }[] = [
  { query: '', statuses: all },
  { query: '?statuses=active', statuses: ['active'] },
  { query: '?statuses=active&statuses=approved', statuses: ['approved', 'active'] },
  { query: '?statuses[]=active&statuses[]=declined', statuses: ['active', 'declined'] },
  { query: '?statuses=active,outdated&statuses=initial', statuses: ['initial', 'active', 'outdated'] },
  { query: '?statuses=pending', statuses: [] },
  { query: '?sign_statuses=approved', statuses: ['approved', 'active', 'outdated'] },
  { query: '?sign_statuses=pending,declined', statuses: ['initial', 'declined'] },
  { query: '?statuses=active,declined&sign_statuses=approved', statuses: ['active'] },
  { query: '?sign_statuses=waiting_for_approval', statuses: [] },
]

for (const { query, statuses } of filters) {
  test(`amendments${query || ' without a filter'}: ${statuses.join(', ') || 'none'}`, async () => {
    const { status, body } = await list(query)
    assert.equal(status, 200)
    verifies('4.1.list', '4.1.statuses', '4.1.sign-statuses').deepEqual(statusesOf(body), statuses)
    verifies('4.1.envelope').deepEqual(Object.keys(body), ['data', 'cursor', 'has_more', 'total_count'])
    assert.deepEqual(
      { cursor: body.cursor, has_more: body.has_more, total_count: body.total_count },
      { cursor: null, has_more: false, total_count: statuses.length },
    )
  })
}

test('pages of any size give each row once, newest first, with the number of all', async () => {
  for (const limit of [1, 2, 4, 5]) {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await list(`?limit=${limit}${cursor && `&cursor=${cursor}`}`)
      verifies('2.1.total-count').equal(body.total_count, all.length)
      verifies('4.1.limit').equal(body.data.length, Math.min(limit, all.length - found.length))
      found.push(...statusesOf(body))
      verifies('2.1.has-more').equal(body.has_more, found.length < all.length)
      assert.equal(typeof body.cursor, body.has_more ? 'string' : 'object')
      cursor = body.cursor
    }
    verifies('4.1.cursor', '2.1.cursor').deepEqual(found, all)
  }
})

test('a cursor belongs to its contract and its filters', async () => {
  const { body } = await list('?limit=1')
  const foreign = [
    `/contracts/${contract.id}/amendments?limit=1&statuses=active&cursor=${body.cursor}`,
    `/contracts/${(await at.activeContract()).id}/amendments?limit=1&cursor=${body.cursor}`,
    `/contracts/${contract.id}/amendments?limit=1&cursor=${body.cursor}x`,
  ]
  for (const path of foreign) {
    const answer = await at.call('GET', path)
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor'])
  }
})

test('each row is the amendment that its own address answers', async () => {
  const { body } = await list()
  for (const row of body.data) verifies('2.1.data').deepEqual(await at.get(row), row)
  verifies('4.1.contract-id').deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    all.map((status) => ids[status]),
  )
})

test('updated_after shows what changed since', async () => {
  const other = await at.activeContract()
  const draft = await at.draft(other)
  const changed = (since: string) => at.done(at.call('GET', `/contracts/${other.id}/amendments?updated_after=${since}`))
  assert.equal((await changed(draft.updated_at)).total_count, 0)
  // The clock stands still: a change is later than the value it replaces all the same.
  await at.signForClient(draft)
  assert.deepEqual(statusesOf(await changed(draft.updated_at)), ['pending'])
})

const refused: { query: string; pointer: string }[] = [
  { query: '?statuses=open', pointer: '/statuses/0' },
  { query: '?sign_statuses=active', pointer: '/sign_statuses/0' },
  { query: '?limit=0', pointer: '/limit' },
  { query: '?limit=101', pointer: '/limit' },
  { query: '?limit=1&limit=2', pointer: '/limit' },
  { query: '?status=active', pointer: '/status' },
  { query: '?updated_after=yesterday', pointer: '/updated_after' },
]

for (const { query, pointer } of refused) {
  test(`amendments${query} is refused at ${pointer}`, async () => {
    const { status, body } = await list(query)
    assert.deepEqual([status, body.code], [400, 'validation_failed'])
    assert.equal(body.errors[0].pointer, pointer)
  })
}

test('contracts:read and contracts:write suffice each; other scopes do not', async () => {
  const { id } = at.organization
  for (const scope of ['contracts:read', 'contracts:write'] as const) {
    const token = await service.createToken(id, { scopes: [scope], is_sandbox: true })
    verifies('4.1.scopes').equal((await list('', token)).status, 200, scope)
  }
  const token = await service.createToken(id, { scopes: ['people:write', 'accounting:read'], is_sandbox: true })
  const { status, body } = await list('', token)
  assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
  verifies('4.1.scopes').deepEqual(body.required_scopes, ['contracts:read', 'contracts:write'])
})

test('a contract of another organization, and one that does not exist, answer the same 404', async () => {
  const other = await service.createOrganization({ is_sandbox: true })
  const missing = contract.id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
  const calls: [string, string, object?][] = [
    ['GET', `/contracts/${contract.id}/amendments`],
    ['POST', `/contracts/${contract.id}/amendments`, raise],
    ['GET', `/contracts/${contract.id}/amendments/${ids.active}`],
    ['PATCH', `/contracts/${contract.id}/amendments/${ids.initial}`, { reason: 'x' }],
    ['POST', `/contracts/${contract.id}/amendments/${ids.initial}/sign`, { signer_name: 'Nora Adler' }],
    ['POST', `/contracts/${contract.id}/amendments/${ids.initial}/withdraw`, {}],
    ['POST', `/sandbox/contracts/${contract.id}/amendments/${ids.initial}/worker-signature`, {}],
  ]
  for (const [method, path, body] of calls) {
    const foreign = await at.call(method, path, body, other.token)
    const absent = await at.call(method, path.replace(contract.id, missing), body)
    for (const answer of [foreign, absent]) {
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${path}`)
    }
    assert.equal(foreign.body.detail, absent.body.detail)
  }
  const strayed = await at.call('GET', `/contracts/${(await at.activeContract()).id}/amendments/${ids.active}`)
  assert.equal(strayed.status, 404)
})

cases(
  'amendments.list',
  {
    'the client sees drafts too': {
      given: (t) => amendmentIn(t, 'initial'),
      body: ({ amendment_id }) => ({ data: [{ id: amendment_id, status: 'initial' }], total_count: 1 }),
    },
  },
  { sandbox: true },
)

cases(
  'worker.list_amendments',
  {
    'the worker sees what the client signed': {
      given: (t) => amendmentIn(t, 'pending'),
      body: ({ amendment_id }) => ({ data: [{ id: amendment_id, status: 'pending' }], total_count: 1 }),
    },
    'a draft is not there for the worker': {
      given: (t) => amendmentIn(t, 'initial'),
      input: { statuses: 'initial' },
      body: { data: [], total_count: 0 },
    },
  },
  { sandbox: true },
)
