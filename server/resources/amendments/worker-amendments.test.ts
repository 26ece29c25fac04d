import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Amendments, amendmentsOf, raise } from '#test/amendments.ts'
import { workerLogin } from '#test/factories.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'

let service: TestService
let at: Amendments
before(async () => {
  service = await startTestService()
  at = amendmentsOf(service, await service.createOrganization({ is_sandbox: true }))
})
after(() => service.close())

const list = (contract: { id: string }, token: string, query = ''): Promise<TestAnswer> =>
  at.call('GET', `/worker/contracts/${contract.id}/amendments${query}`, undefined, token)

test('the worker sees the amendments of an own contract from the signature of the client on', async () => {
  const contract = await at.activeContract()
  const token = await at.mint(contract.worker_id)
  const draft = await at.draft(contract)
  const { body: none } = await list(contract, token)
  assert.deepEqual([none.data, none.total_count], [[], 0])
  assert.equal((await list(contract, token, '?statuses=initial')).body.total_count, 0)
  const pending = await at.signForClient(draft)
  const { body } = await list(contract, token, '?statuses=pending&sign_statuses=waiting_for_approval')
  assert.deepEqual(body.data, [pending])
})

test('another worker’s contract is not there', async () => {
  const contract = await at.activeContract()
  const stranger = await at.mint((await at.activeContract()).worker_id)
  const pending = await at.signForClient(await at.draft(contract))
  const answers = [
    await list(contract, stranger),
    await at.call('POST', `/worker${at.path(pending)}/sign`, { signer_name: 'Somebody', terms_version: 1 }, stranger),
    await at.call('POST', `/worker${at.path(pending)}/decline`, {}, stranger),
  ]
  for (const { status, body } of answers) assert.deepEqual([status, body.code], [404, 'not_found'])
  assert.equal((await at.get(pending)).status, 'pending')
})

test('client tokens have no worker operations, worker tokens no others', async () => {
  const contract = await at.activeContract()
  const token = await at.mint(contract.worker_id)
  const pending = await at.signForClient(await at.draft(contract))
  const refused = [
    await at.call('GET', `/worker/contracts/${contract.id}/amendments`),
    await at.call('POST', `/worker${at.path(pending)}/sign`, { signer_name: 'Nora Adler', terms_version: 1 }),
    await at.call('GET', `/contracts/${contract.id}/amendments`, undefined, token),
    await at.call('POST', `/contracts/${contract.id}/amendments`, raise, token),
    await at.call('POST', `/sandbox${at.path(pending)}/worker-signature`, {}, token),
  ]
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
})

test('in a live organization only the own login of the worker signs or declines', async () => {
  const live = amendmentsOf(service, await service.createOrganization())
  const contract = await live.activeContract()
  const login = await workerLogin(service, contract.worker_id, live.organization.id)
  const act = (amendment: TestAnswer['body'], verb: string, body: object, token: string) =>
    live.call('POST', `/worker${live.path(amendment)}/${verb}`, body, token)

  const first = await live.signForClient(await live.draft(contract))
  const minted = await live.mint(contract.worker_id)
  assert.equal((await list(contract, minted)).body.total_count, 1)
  const refused: [string, object][] = [
    ['sign', { signer_name: 'Jonas Weber', terms_version: 1 }],
    ['decline', { reason: 'too low' }],
  ]
  for (const [verb, body] of refused) {
    const answer = await act(first, verb, body, minted)
    assert.deepEqual([answer.status, answer.body.code], [403, 'own_login_required'])
  }
  const sandbox = await live.call('POST', `/sandbox${live.path(first)}/worker-signature`, {})
  assert.deepEqual([sandbox.status, sandbox.body.code], [409, 'sandbox_only'])
  assert.equal((await live.get(first)).status, 'pending')

  const declined = await live.done(act(first, 'decline', {}, login))
  assert.deepEqual([declined.status, declined.declined_by.id], ['declined', contract.worker_id])
  const second = await live.signForClient(await live.draft(contract))
  const signed = await live.done(act(second, 'sign', { signer_name: 'Jonas Weber', terms_version: 1 }, login))
  assert.equal(signed.status, 'active')
})

test('amounts are null without compensation, in answers as in the change of the amount, and other changes are not', async () => {
  const contract = await at.activeContract()
  const pending = await at.signForClient(await at.draft(contract, { terms: { amount: '4500.00', job_title: 'Lead' } }))
  const title = { field: 'job_title', from: null, to: 'Lead' }
  const withheld = {
    terms: { amount: null, job_title: 'Lead' },
    changes: [{ field: 'amount', from: null, to: null }, title],
    amount: null,
    scale: 'monthly',
    currency: 'EUR',
  }
  const shown = {
    terms: { amount: '4500.00', job_title: 'Lead' },
    changes: [{ field: 'amount', from: '4200.00', to: '4500.00' }, title],
    amount: '4500.00',
    scale: 'monthly',
    currency: 'EUR',
  }
  const client = (categories: 'compensation'[]) =>
    service.createToken(at.organization.id, { sensitive_data: categories, is_sandbox: true })
  const one = (token: string) => at.call('GET', at.path(pending), undefined, token)
  const listed = (token: string) => at.call('GET', `/contracts/${contract.id}/amendments`, undefined, token)
  const cases: [() => Promise<string>, (token: string) => Promise<TestAnswer>, object, boolean][] = [
    [() => client([]), one, withheld, true],
    [() => client(['compensation']), one, shown, false],
    [() => client([]), listed, withheld, true],
    [() => client(['compensation']), listed, shown, false],
    [async () => at.mint(contract.worker_id, await client([])), (token) => list(contract, token), withheld, true],
    [() => at.mint(contract.worker_id), (token) => list(contract, token), shown, false],
  ]
  for (const [credential, read, expected, isWithheld] of cases) {
    const answer = await read(await credential())
    const { terms, changes, amount, scale, currency } = answer.body.data?.[0] ?? answer.body
    assert.deepEqual({ terms, changes, amount, scale, currency }, expected)
    assert.equal(answer.headers['sensitive-data-withheld'], isWithheld ? 'compensation' : undefined)
  }
})
