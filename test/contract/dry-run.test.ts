import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMutation, type Operation } from '#core/operation.ts'
import { createContract } from '#test/factories.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, hasBody, holdsFor } from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'
import { contentOfAll } from './derived/written-rows.ts'

// Answers and events of dry runs are compared with those of the real call in every case of every operation (cases.ts).

const { service, ours, theirs } = await contractService()

const changes = everyOperation.filter((operation) => isMutation(operation) && !operation.spans_transactions)

/** A call of an operation on a row of its own with an input that its rules accept, made with these headers. */
async function callOf(operation: Operation) {
  const path = await realPath(service, ours, operation)
  const token = await tokenFor(service, ours, operation)
  const body = await sampleInput(service, operation, (field) => referredRow(service, ours, field))
  return (headers: Record<string, string>) =>
    service.call(operation.method, path, { token, headers, ...(hasBody(operation) && { body }) })
}

test('a change that is made dry leaves every row of the database as it was', () =>
  holdsFor(changes, async (operation) => {
    const call = await callOf(operation)
    const before = await contentOfAll(service)
    const dry = await call({ 'stint-dry-run': 'true' })
    assert.notEqual(dry.status, 400, JSON.stringify(dry.body))
    assert.deepEqual(await contentOfAll(service), before)
    assert.equal(dry.status < 300, dry.body.dry_run !== undefined)
    for (const name of ['location', 'etag', 'idempotent-replayed']) {
      if (dry.status < 300) assert.equal(dry.headers[name], undefined, name)
    }
  }))

test('a change that spans several transactions is not made dry, and changes nothing', () =>
  holdsFor(
    everyOperation.filter(({ spans_transactions }) => spans_transactions),
    async (operation) => {
      const call = await callOf(operation)
      const before = await contentOfAll(service)
      const { status, body } = await call({ 'stint-dry-run': 'true' })
      assert.equal(`${status} ${body.code}`, '400 dry_run_unsupported')
      assert.deepEqual(await contentOfAll(service), before)
    },
  ))

test('a change is made when its effects are those that were confirmed, else it is refused and changes nothing', () =>
  holdsFor(changes, async (operation) => {
    const call = await callOf(operation)
    const dry = await call({ 'stint-dry-run': 'true' })
    if (dry.status >= 300) return
    const before = await contentOfAll(service)
    const other = await call({ 'stint-confirm': 'A'.repeat(43) })
    assert.equal(`${other.status} ${other.body?.code}`, '409 confirmation_outdated')
    assert.deepEqual(await contentOfAll(service), before)
    const real = await call({ 'stint-confirm': dry.body.dry_run.digest })
    assert.ok(real.status < 300, JSON.stringify(real.body))
  }))

test('a digest is outdated by another input, and where the same input changes nothing any more', async () => {
  const { id } = await createContract(service, {}, ours)
  const update = (body: object, headers: Record<string, string>) =>
    service.call('PATCH', `/contracts/${id}`, { token: ours.token, body, headers })
  const digestOf = async (body: object) => (await update(body, { 'stint-dry-run': 'true' })).body.dry_run.digest
  const digest = await digestOf({ title: 'Lead' })
  assert.notEqual(await digestOf({ title: 'Head' }), digest)
  // The same input changes nothing any more, so that nothing would be told.
  await update({ title: 'Lead' }, {})
  const late = await update({ title: 'Lead' }, { 'stint-confirm': digest })
  assert.equal(late.body.code, 'confirmation_outdated')
})

test('a digest is outdated by other effects alone: whose mark is taken is who was shown', async () => {
  const { body } = await service.call('GET', '/legal-entities', { token: ours.token })
  const { id } = body.data.find(({ is_default }: { is_default: boolean }) => is_default)
  const make = (headers: Record<string, string>) =>
    service.call('POST', '/legal-entities', {
      ...{ token: ours.token, headers },
      body: { name: 'Next default', country: 'DE', is_default: true },
    })
  const digestOf = async () => (await make({ 'stint-dry-run': 'true' })).body.dry_run.digest
  const digest = await digestOf()
  assert.equal(await digestOf(), digest)
  await service.call('PATCH', `/legal-entities/${id}`, { token: ours.token, body: { name: 'Former default' } })
  assert.equal((await make({ 'stint-confirm': digest })).body.code, 'confirmation_outdated')
})

test('a digest is outdated by a change of what it acts on, told or not: what is signed is what was shown', async () => {
  const { id } = await createContract(service, {}, ours)
  const sign = (headers: Record<string, string>, token = ours.token) =>
    service.call('POST', `/contracts/${id}/sign`, { token, body: { signer_name: 'Nora Pine' }, headers })
  // Without the category the pay is hidden, and the version of the terms is not.
  const blind = await service.createToken(ours.id, { sensitive_data: [], is_sandbox: true })
  const [digest, hidden] = await Promise.all(
    [ours.token, blind].map(async (token) => (await sign({ 'stint-dry-run': 'true' }, token)).body.dry_run.digest),
  )
  const body = { compensation: { amount: '9999.00' } }
  await service.call('PATCH', `/contracts/${id}`, { token: ours.token, body })
  assert.equal((await sign({ 'stint-confirm': digest })).body.code, 'confirmation_outdated')
  assert.equal((await sign({ 'stint-confirm': hidden }, blind)).body.code, 'confirmation_outdated')
})

test('a digest of one organization confirms nothing in another', async () => {
  const make = (token: string, headers: Record<string, string>) =>
    service.call('POST', '/teams', { token, body: { name: 'Shared name' }, headers })
  const { digest } = (await make(ours.token, { 'stint-dry-run': 'true' })).body.dry_run
  assert.equal((await make(theirs.token, { 'stint-confirm': digest })).body.code, 'confirmation_outdated')
})

test('a header that is neither true nor false is refused instead of taken for a real call', async () => {
  const { id } = await createContract(service, {}, ours)
  for (const value of ['True', '1', 'yes', '']) {
    const { status, body } = await service.call('POST', `/contracts/${id}/cancel`, {
      token: ours.token,
      headers: { 'stint-dry-run': value },
    })
    assert.equal(`${status} ${body.code}`, '400 validation_failed', value)
  }
  const { body } = await service.call('GET', `/contracts/${id}`, { token: ours.token })
  assert.equal(body.status, 'pending')
})

test('a dry run does not use up its idempotency key', async () => {
  const { id } = await createContract(service, {}, ours)
  const cancel = (headers: Record<string, string>) =>
    service.call('POST', `/contracts/${id}/cancel`, {
      token: ours.token,
      headers: { 'idempotency-key': 'dry-then-real', ...headers },
    })
  assert.equal((await cancel({ 'stint-dry-run': 'true' })).status, 200)
  const real = await cancel({})
  assert.deepEqual([real.status, real.headers['idempotent-replayed'], real.body.dry_run], [200, undefined, undefined])
  assert.equal((await cancel({})).headers['idempotent-replayed'], 'true')
})

test('a dry run shows no secret', async () => {
  const body = { name: 'dry', type: 'organization', scopes: ['contracts:read'] }
  const made = await service.call('POST', '/api-tokens', {
    token: ours.token,
    body,
    headers: { 'stint-dry-run': 'true' },
  })
  assert.deepEqual([made.status, made.body.token], [201, null], JSON.stringify(made.body))
})
