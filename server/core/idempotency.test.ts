import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import type { Caller } from './caller.ts'
import { idempotentCall, keepAnswer, keptAnswer } from './idempotency.ts'
import { Problem } from './problems/problem.ts'
import type { Secrets } from './secrets/secrets.ts'
import { newId } from './values/id.ts'

const hour_ms = 3_600_000
const organization_id = newId(0)
const secrets: Secrets = { sealing_keys: [{ id: 'a', key: randomBytes(32) }], peppers: [] }
const caller: Caller = {
  kind: 'organization',
  organization_id,
  is_sandbox: false,
  credential_id: newId(0),
  actor: { kind: 'token', id: null, name: 'test' },
  scopes: new Set(),
  sensitive_data: new Set(),
  expires_at: null,
}

let own: TestDatabase
before(async () => {
  own = await createTestDatabase()
})
after(() => own.drop())

const inApp = <Result>(work: (tx: Transaction) => Promise<Result>) =>
  own.database.transaction({ role: 'app', organization_id }, work)

const callOf = (key: string, body: object = {}, changed: Partial<Caller> = {}, path: string[] = []) =>
  idempotentCall({ ...caller, ...changed }, { id: 'things.create' }, path, key, body)

const has = (code: string) => (error: unknown) => error instanceof Problem && error.definition.code === code

test('what is kept is answered to the same call', async () => {
  const call = callOf('same', { a: 1, b: 2 })
  const answer = { status: 201, body: { id: 'x' } }
  await inApp(async (tx) => {
    assert.equal(await keptAnswer(tx, call, secrets), null)
    await keepAnswer(tx, call, answer, secrets, false)
  })
  const again = callOf('same', { b: 2, a: 1 })
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, again, secrets)), answer)
})

test('the same key for another body is refused', async () => {
  await inApp((tx) => keepAnswer(tx, callOf('reused', { a: 1 }), { status: 200, body: null }, secrets, false))
  const other = inApp((tx) => keptAnswer(tx, callOf('reused', { a: 2 }), secrets))
  await assert.rejects(other, has('idempotency_key_reused'))
})

test('a key belongs to one owner, one operation and one path', async () => {
  await inApp((tx) => keepAnswer(tx, callOf('own', {}), { status: 204, body: null }, secrets, false))
  const others = [
    callOf('own', {}, { user_id: 'u' }),
    callOf('own', {}, { person_id: 'p' }),
    callOf('own', {}, {}, ['id']),
  ]
  others.push(idempotentCall(caller, { id: 'things.update' }, [], 'own', {}))
  for (const other of others) assert.equal(await inApp((tx) => keptAnswer(tx, other, secrets)), null)
  // Two tokens of the organization are one owner, so a rotated token repeats what the old one began.
  const rotated = callOf('own', {}, { credential_id: newId(1) })
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, rotated, secrets)), { status: 204, body: null })
})

test('while a call runs, its key answers that it is in progress', async () => {
  const call = callOf('running')
  await inApp(async (tx) => {
    assert.equal(await keptAnswer(tx, call, secrets), null)
    await assert.rejects(
      inApp((other) => keptAnswer(other, call, secrets)),
      has('idempotency_in_progress'),
    )
  })
})

test('a call that failed leaves nothing behind, its key is free again', async () => {
  const call = callOf('failed')
  const failing = inApp(async (tx) => {
    await keptAnswer(tx, call, secrets)
    await keepAnswer(tx, call, { status: 200, body: 1 }, secrets, false)
    throw new Error('the handler broke')
  })
  await assert.rejects(failing, /broke/)
  assert.equal(await inApp((tx) => keptAnswer(tx, call, secrets)), null)
})

test('after 24 hours a key is free, and what it then answers replaces the old answer', async () => {
  const call = callOf('old')
  await inApp((tx) => keepAnswer(tx, call, { status: 200, body: 'first' }, secrets, false))
  await own.clock.advance(24 * hour_ms - 1)
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), { status: 200, body: 'first' })
  await own.clock.advance(1)
  assert.equal(await inApp((tx) => keptAnswer(tx, call, secrets)), null)
  await inApp((tx) => keepAnswer(tx, call, { status: 200, body: 'second' }, secrets, false))
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), { status: 200, body: 'second' })
})

test('an answer that reveals a secret is not readable in the database', async () => {
  const call = callOf('secret')
  await inApp((tx) => keepAnswer(tx, call, { status: 201, body: { token: 'plain words' } }, secrets, true))
  const row = await inApp((tx) =>
    tx.row<{ body: Buffer }>(sql`select body from idempotent_answers
      where organization_id = ${organization_id} and key_digest = ${call.key_digest}`),
  )
  assert.ok(row && !row.body.includes('plain words'))
  const kept = await inApp((tx) => keptAnswer(tx, call, secrets))
  assert.deepEqual(kept, { status: 201, body: { token: 'plain words' } })
})

test('an answer that reveals a secret is repeated to the credential that got it, and to no other of the organization', async () => {
  const revealing = { id: 'things.reveal', reveals_secret: true }
  const callOf = (credential_id: string) => idempotentCall({ ...caller, credential_id }, revealing, [], 'once', {})
  const answer = { status: 201, body: { token: 'plain words' } }
  await inApp((tx) => keepAnswer(tx, callOf(caller.credential_id), answer, secrets, true))
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, callOf(caller.credential_id), secrets)), answer)
  assert.equal(await inApp((tx) => keptAnswer(tx, callOf(newId(1)), secrets)), null)
})
