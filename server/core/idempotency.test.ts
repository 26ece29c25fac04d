import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql, type Transaction } from '#db/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import type { Caller } from './caller.ts'
import { forgetSecrets, idempotentCall, keepAnswer, keptAnswer } from './idempotency.ts'
import { Problem } from './problems.ts'
import type { Secrets } from './secrets.ts'
import { newId } from './values.ts'

const hour_ms = 3_600_000
const organization_id = newId(0)
const secrets: Secrets = { sealing_keys: [{ id: 'a', key: randomBytes(32) }] }
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
  idempotentCall({ ...caller, ...changed }, { id: 'things.create' }, path, key, { input: body })

const has = (code: string) => (error: unknown) => error instanceof Problem && error.definition.code === code

test('what is kept is answered to the same call', async () => {
  const call = callOf('same', { a: 1, b: 2 })
  const answer = { status: 201, body: { id: 'x' }, secret: null }
  await inApp(async (tx) => {
    assert.equal(await keptAnswer(tx, call, secrets), null)
    keepAnswer(tx, call, answer, secrets)
  })
  const again = callOf('same', { b: 2, a: 1 })
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, again, secrets)), answer)
})

test('the same key for another body is refused', async () => {
  await inApp(async (tx) =>
    keepAnswer(tx, callOf('reused', { a: 1 }), { status: 200, body: null, secret: null }, secrets),
  )
  const other = inApp((tx) => keptAnswer(tx, callOf('reused', { a: 2 }), secrets))
  await assert.rejects(other, has('idempotency_key_reused'))
})

test('a key belongs to one owner, one operation and one path', async () => {
  await inApp(async (tx) => keepAnswer(tx, callOf('own', {}), { status: 204, body: null, secret: null }, secrets))
  const others = [
    callOf('own', {}, { user_id: 'u' }),
    callOf('own', {}, { person_id: 'p' }),
    callOf('own', {}, {}, ['id']),
  ]
  others.push(idempotentCall(caller, { id: 'things.update' }, [], 'own', { input: {} }))
  for (const other of others) assert.equal(await inApp((tx) => keptAnswer(tx, other, secrets)), null)
  // Two tokens of the organization are one owner, so a rotated token repeats what the old one began.
  const rotated = callOf('own', {}, { credential_id: newId(1) })
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, rotated, secrets)), { status: 204, body: null, secret: null })
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
    keepAnswer(tx, call, { status: 200, body: 1, secret: null }, secrets)
    throw new Error('the handler broke')
  })
  await assert.rejects(failing, /broke/)
  assert.equal(await inApp((tx) => keptAnswer(tx, call, secrets)), null)
})

test('after 24 hours a key is free, and what it then answers replaces the old answer', async () => {
  const call = callOf('old')
  await inApp(async (tx) => keepAnswer(tx, call, { status: 200, body: 'first', secret: null }, secrets))
  await own.clock.advance(24 * hour_ms - 1)
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), { status: 200, body: 'first', secret: null })
  await own.clock.advance(1)
  assert.equal(await inApp((tx) => keptAnswer(tx, call, secrets)), null)
  await inApp(async (tx) => keepAnswer(tx, call, { status: 200, body: 'second', secret: null }, secrets))
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), { status: 200, body: 'second', secret: null })
})

const made = { status: 201, body: { id: 'x', token: null }, secret: 'plain words' }

test('the secret of an answer is not readable in the database', async () => {
  const call = callOf('secret')
  await inApp(async (tx) => keepAnswer(tx, call, made, secrets))
  const row = await inApp((tx) =>
    tx.row<{ body: Buffer; secret: Buffer }>(sql`select body, secret from idempotent_answers
      where organization_id = ${organization_id} and key_digest = ${call.key_digest}`),
  )
  assert.ok(row && !row.body.includes('plain words') && !row.secret.includes('plain words'))
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), made)
})

test('a secret is repeated for one hour, the rest of its answer for 24', async () => {
  const call = callOf('hour')
  await inApp(async (tx) => keepAnswer(tx, call, made, secrets))
  await own.clock.advance(hour_ms - 1)
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), made)
  await own.clock.advance(1)
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), { ...made, secret: null })
  // The keeper destroys it, too.
  await own.database.transaction({ role: 'engine' }, (tx) => forgetSecrets(tx, 100))
  const left = await inApp((tx) => tx.rows(sql`select from idempotent_answers where secret is not null`))
  assert.deepEqual(left, [])
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, call, secrets)), { ...made, secret: null })
})

test('an answer that reveals a secret is repeated to the credential that got it, and to no other of the organization', async () => {
  const revealing = { id: 'things.reveal', reveals_secret: { field: 'token' } }
  const callOf = (credential_id: string) =>
    idempotentCall({ ...caller, credential_id }, revealing, [], 'once', { input: {} })
  await inApp(async (tx) => keepAnswer(tx, callOf(caller.credential_id), made, secrets))
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, callOf(caller.credential_id), secrets)), made)
  assert.equal(await inApp((tx) => keptAnswer(tx, callOf(newId(1)), secrets)), null)
})

test('a body that names what the caller may not see is never the body of another credential', async () => {
  const callOf = (credential_id: string, writes_withheld: boolean) =>
    idempotentCall({ ...caller, credential_id }, { id: 'things.create' }, [], 'guess', {
      input: { amount: '4200.00' },
      writes_withheld,
    })
  const kept = { status: 200, body: null, secret: null }
  await inApp(async (tx) => keepAnswer(tx, callOf(caller.credential_id, false), kept, secrets))
  // The answer is the same, whether the guess is right or wrong.
  await assert.rejects(
    inApp((tx) => keptAnswer(tx, callOf(newId(1), true), secrets)),
    has('idempotency_key_reused'),
  )
  assert.deepEqual(await inApp((tx) => keptAnswer(tx, callOf(newId(1), false), secrets)), kept)
})
