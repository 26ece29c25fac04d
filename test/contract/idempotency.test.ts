import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { sql } from '#db/database.ts'
import { createContract } from '#test/factories.ts'
import type { TestAnswer, TestOrganization } from '#test/service.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, freeFields, holdsFor, isRepeatable, plain, type Schema } from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'
import { contentOf } from './derived/written-rows.ts'

const { service, ours } = await contractService()

const repeatable = everyOperation.filter(isRepeatable)
const parallel_calls = 4

interface Prepared {
  operation: Operation
  path: string
  token: string
  body: Record<string, unknown>
}

/** An operation with a row of its own to work on and an input that its rules accept. */
async function prepare(operation: Operation): Promise<Prepared> {
  return {
    operation,
    path: await realPath(service, ours, operation),
    token: await tokenFor(service, ours, operation),
    body: await sampleInput(service, operation, (field) => referredRow(service, ours, field)),
  }
}

const send = ({ operation, path, token, body }: Prepared, key: string) =>
  service.call(operation.method, path, { token, body, headers: { 'idempotency-key': key } })

async function auditLines(): Promise<number> {
  const row = await service.database.database.transaction({ role: 'app', organization_id: ours.id }, (tx) =>
    tx.row<{ lines: number }>(sql`
      select count(*)::int as lines from audit_entries
      where organization_id = ${ours.id} and actor ->> 'kind' <> 'system'`),
  )
  return row?.lines ?? 0
}

const isReplay = ({ headers }: TestAnswer) => headers['idempotent-replayed'] === 'true'

test('a repeated call gets the same answer, says that it is a repeat, and changes nothing again', () =>
  holdsFor(repeatable, async (operation) => {
    const prepared = await prepare(operation)
    const key = crypto.randomUUID()
    const first = await send(prepared, key)
    assert.ok(first.status !== 400 && first.status !== 403, `its sample is refused: ${JSON.stringify(first.body)}`)
    assert.ok(!isReplay(first))
    if (first.status >= 300) return
    const before = await contentOf(service, [ours.id])
    for (let turn = 0; turn < 2; turn += 1) {
      const again = await send(prepared, key)
      assert.ok(isReplay(again))
      assert.equal(again.status, first.status)
      assert.deepEqual(again.body, first.body)
      for (const name of ['location', 'content-type', 'sensitive-data-withheld', 'etag']) {
        assert.equal(again.headers[name], first.headers[name], name)
      }
    }
    assert.deepEqual(await contentOf(service, [ours.id]), before)
  }))

test('a key that was used for another body is refused', () =>
  holdsFor(
    repeatable.filter((operation) => freeFields(operation).length > 0),
    async (operation) => {
      const prepared = await prepare(operation)
      const other = anotherBody(operation, prepared.body)
      if (!other) return
      const key = crypto.randomUUID()
      const first = await send(prepared, key)
      if (first.status >= 300) return
      const { status, body } = await send({ ...prepared, body: other }, key)
      assert.equal(`${status} ${body.code}`, '422 idempotency_key_reused', JSON.stringify(other))
    },
  ))

test('a refused call does not use up its key: with another body it is made, and nothing of the refusal is kept', async () => {
  const { id } = await createContract(service, {}, ours)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const sign = (body: object) =>
    service.call('POST', `/contracts/${id}/sign`, { token: ours.token, body: { signer_name: 'Ada', ...body }, headers })
  const refused = await sign({ terms_version: 2 })
  assert.equal(refused.body.code, 'terms_changed')
  const again = await sign({ terms_version: 2 })
  assert.deepEqual([again.body.code, isReplay(again)], ['terms_changed', false])
  const done = await sign({ terms_version: 1 })
  assert.deepEqual([done.status, isReplay(done)], [200, false])
  assert.ok(isReplay(await sign({ terms_version: 1 })))
})

test('a call refused by the state of a thing is made under its key once the state allows it', async () => {
  const { id } = await createContract(service, {}, ours)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const archive = () => service.call('POST', `/contracts/${id}/archive`, { token: ours.token, body: {}, headers })
  assert.equal((await archive()).body.code, 'invalid_state')
  await service.call('POST', `/contracts/${id}/cancel`, { token: ours.token, body: {} })
  assert.equal((await archive()).status, 200)
})

test('parallel calls with one key have one effect', () =>
  holdsFor(repeatable, async (operation) => {
    const prepared = await prepare(operation)
    const key = crypto.randomUUID()
    const before = await auditLines()
    const answers = await Promise.all(Array.from({ length: parallel_calls }, () => send(prepared, key)))
    const running = answers.filter(({ status, body }) => status === 409 && body.code === 'idempotency_in_progress')
    // An advance of the clock goes on behind its first transaction, in which its key was held.
    const advancing = answers.filter(({ body }) => body?.code === 'clock_advancing')
    const others = new Set([...running, ...advancing])
    const fresh = answers.filter((answer) => !others.has(answer) && !isReplay(answer))
    const done = fresh.filter(({ status }) => status < 300)
    // A refused call changed nothing and leaves its key to the next.
    const outcomes = JSON.stringify(answers.map(({ status, body }) => [status, body?.code]))
    assert.ok(done.length === 1 || (done.length === 0 && fresh.length > 0), outcomes)
    if (done.length === 1) assert.equal(fresh.length, 1, outcomes)
    for (const { headers } of running) assert.equal(headers['retry-after'], '1')
    // An active subscription that is enabled stays as it is.
    const effects = operation.id === 'webhooks.enable' ? 0 : done.length
    assert.equal(await auditLines(), before + effects)
  }))

test('without a key every call is a call of its own', () =>
  holdsFor(repeatable, async (operation) => {
    const { path, token, body } = await prepare(operation)
    for (let turn = 0; turn < 2; turn += 1) {
      assert.ok(!isReplay(await service.call(operation.method, path, { token, body })))
    }
  }))

test('a key that is empty, too long or not printable ASCII is refused', () =>
  holdsFor(repeatable, async (operation) => {
    const prepared = await prepare(operation)
    for (const key of ['', 'x'.repeat(256), 'a\tb', 'clé']) {
      const { status, body } = await send(prepared, key)
      assert.equal(`${status} ${body.code}`, '400 validation_failed', JSON.stringify(key))
    }
  }))

test('a key of another organization is a key of its own', async () => {
  const { service: other, ours: first, theirs } = await contractService()
  const operation = everyOperation.find(({ id }) => id === 'api_tokens.create')
  assert.ok(operation)
  const body = await sampleInput(other, operation, () => Promise.reject(new Error('refers to no row')))
  const call = ({ token }: TestOrganization) =>
    other.call('POST', operation.path, { token, body, headers: { 'idempotency-key': 'same' } })
  const answers = [await call(first), await call(theirs)]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  )
  assert.ok(!answers.some(isReplay))
})

/** The body with one field more or another value in one, still valid by its schema; undefined where there is none. */
function anotherBody(operation: Operation, body: Record<string, unknown>): Record<string, unknown> | undefined {
  const properties = plain(operation.input).properties as Record<string, Schema>
  for (const field of freeFields(operation)) {
    const schema = properties[field] ?? {}
    if (schema.type === 'boolean') return { ...body, [field]: body[field] !== true }
    if (schema.type === 'integer')
      return { ...body, [field]: body[field] === schema.maximum ? schema.minimum : schema.maximum }
    if (schema.type === 'string' && schema.format === 'text')
      return { ...body, [field]: body[field] === 'Another' ? 'Other' : 'Another' }
    if (schema.anyOf && !(field in body)) return { ...body, [field]: null }
  }
  return undefined
}
