import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contractBody, createContract } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { callTool, createMember } from '#test/tool-client.ts'

let service: TestService
let token: string
before(async () => {
  service = await startTestService()
  token = (await createMember(service)).token
})
after(() => service.close())

/** The lines of a refusal. */
async function refusal(name: string, args: object, credential = token): Promise<string[]> {
  const { isError, content } = await callTool(service, credential, name, args)
  assert.equal(isError, true, JSON.stringify(content))
  assert.equal(content.length, 1)
  return content[0].text.split('\n')
}

const unknown = '019cadc6-9a80-70df-929e-750f1228d11d'
const needs_id = 'must be an id: a lower-case UUID such as 019cadc6-9a80-70df-929e-750f1228d11d'
const invalid = 'validation_failed: The input is not valid'
const correct = 'Next: Correct each field that is named and send the request again.'

test('a mistake in an id is told as one of that argument; in an address it names nothing, as before', async () => {
  for (const [contract_id, message] of [
    ['C-1001', needs_id],
    [unknown.toUpperCase(), needs_id],
    [5, needs_id],
    [undefined, 'is required'],
  ]) {
    assert.deepEqual(await refusal('get_contract', { contract_id }), [invalid, `/contract_id: ${message}`, correct])
  }
  assert.deepEqual(
    await refusal('sign_contract_amendment', { contract_id: 'x', amendment_id: 'y', signer_name: 'Ada' }),
    [invalid, `/contract_id: ${needs_id}`, `/amendment_id: ${needs_id}`, correct],
  )
  const rest = await service.call('GET', '/contracts/C-1001')
  assert.deepEqual([rest.status, rest.body.code], [404, 'not_found'])
})

test('mistakes in ids and elsewhere are told together', async () => {
  assert.deepEqual(await refusal('terminate_contract', { contract_id: 'x', type: 'fired', completion_date: 'soon' }), [
    invalid,
    `/contract_id: ${needs_id}`,
    '/type: must be one of resignation, termination, end_of_contract',
    '/completion_date: must be a date, YYYY-MM-DD',
    correct,
  ])
})

test('an id that names nothing is told which it was, and which tool yields one', async () => {
  const next = 'Next: Check the ids. Rows of other organizations and deleted rows answer the same.'
  assert.deepEqual(await refusal('get_contract', { contract_id: unknown }), [
    'not_found: Not found',
    '/contract_id: names nothing here; use id of list_contracts',
    next,
  ])
  assert.deepEqual(await refusal('get_contract_amendment', { contract_id: unknown, amendment_id: unknown }), [
    'not_found: Not found',
    '/contract_id: this id or another one names nothing here; use id of list_contracts',
    '/amendment_id: this id or another one names nothing here; use id of list_contract_amendments',
    next,
  ])
})

test('each argument has one line, whatever is wrong with it', async () => {
  const title = `${'x'.repeat(300)}\0`
  const lines = await refusal('create_contract', { title, type: 'fixed_rate', start_date: 5, compensation: {} })
  const places = lines.slice(1, -1).map((line) => line.split(':')[0])
  assert.deepEqual(places, [...new Set(places)])
  assert.deepEqual(places.toSorted(), ['/compensation/currency', '/start_date', '/title'])
  assert.match(lines.find((line) => line.startsWith('/title')) ?? '', /; /)
})

test('words of a refusal need no other document: none names a member of a REST answer, a header or a path', async () => {
  const { id } = await createContract(service, {})
  const refusals = await Promise.all([
    refusal('list_contracts', { limit: 0 }),
    refusal('list_contracts', { cursor: 'x' }),
    refusal('list_contracts', { worker_id: unknown }),
    refusal('update_contract', { contract_id: id }),
    refusal('terminate_contract', { contract_id: id, type: 'termination' }),
    refusal('create_contract_amendment', { contract_id: id, terms: { amount: '1.00' } }),
    refusal('update_contract', { contract_id: id, compensation: { amount: null } }),
    refusal('update_contract', { contract_id: id, start_date: '1999-01-01' }),
  ])
  for (const lines of refusals) {
    const text = lines.join('\n')
    assert.match(text, /\nNext: ./)
    assert.doesNotMatch(text, /`errors`|`detail`|required_scopes|Retry-After|https?:|(GET|POST|PATCH) \//, text)
  }
})

test('a role that may not call is told which may, and that repeating does not help', async () => {
  const { token: viewer } = await createMember(service, { role: 'viewer' })
  assert.deepEqual(await refusal('create_contract', {}, viewer), [
    'insufficient_scope: The role viewer may not do this; owner and admin may.',
    'Next: Tell the user; repeating the call will not help.',
  ])
  assert.deepEqual(await refusal('sign_my_contract', {}), [
    'insufficient_scope: The role owner may not do this; only the worker may.',
    'Next: Tell the user; repeating the call will not help.',
  ])
})

test('a refused call does not use up its key: the corrected call with the same key is made, once', async () => {
  const idempotency_key = crypto.randomUUID()
  const call = { ...contractBody(service), idempotency_key }
  assert.match(
    (await refusal('create_contract', { ...call, legal_entity_id: unknown }))[0] ?? '',
    /^reference_not_found/,
  )
  const made = await callTool(service, token, 'create_contract', call)
  assert.equal(made.isError, undefined, JSON.stringify(made.content))
  const again = await callTool(service, token, 'create_contract', call)
  assert.equal(again.structuredContent.id, made.structuredContent.id)
  assert.match((await refusal('create_contract', { ...call, title: 'Other' }))[0] ?? '', /^idempotency_key_reused/)
})
