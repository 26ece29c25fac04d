import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { glob, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { SecretKey, Secrets } from '#core/secrets.ts'
import { StartRefused } from '#db/start-refused.ts'
import { type Person, signedInPerson } from '#test/account.ts'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { type Subscribed, startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { checkSecrets, countKeys, faultOfSecrets, rotateSealingKeys } from './sealing-keys.ts'
import { openSecretsFile } from './secrets-file.ts'

let bench: WebhookBench
let folder: string
let secrets_file: string
let subscribed: Subscribed
let invitation: string
let person: Person
let recovery_codes: string[]
const kept = { body: null as unknown, headers: { 'idempotency-key': 'kept over the rotation' } }

before(async () => {
  bench = await startWebhookBench()
  folder = await mkdtemp(join(tmpdir(), 'stint-secrets-'))
  secrets_file = join(folder, 'secrets.json')
  await writeFile(secrets_file, JSON.stringify(asStored(inUse())), { mode: 0o644 })
  await bench.service.clock.set(clock_start)
  subscribed = await bench.subscribe()
  for (let more = 0; more < 4; more += 1) await bench.subscribe({ events: ['api-token.revoked'] })
  invitation = (await contractIn(bench.service, 'invited')).id
  kept.body = (await create()).body
  person = await signedInPerson(bench.service)
  recovery_codes = await person.setUpTotp()
})
after(async () => {
  await bench.close()
  await rm(folder, { recursive: true })
})

const create = () =>
  bench.service.call('POST', '/webhooks', {
    body: { url: bench.receiver.url, events: ['api-token.revoked'] },
    headers: kept.headers,
  })
const invitationUrl = async () => (await bench.service.call('GET', `/contracts/${invitation}/invitation-link`)).body.url
const database = () => bench.service.database.database
const inUse = (): Secrets => bench.service.runtime.secrets

function asStored({ sealing_keys }: Secrets) {
  return { sealing_keys: sealing_keys.map(({ id, key }: SecretKey) => ({ id, key: key.toString('base64') })) }
}

/** A restart reads the file. */
function restart(): void {
  const read = openSecretsFile(secrets_file, false)
  Object.assign(inUse(), read)
}

const ids = (keys: readonly { id: string }[]) => keys.map(({ id }) => id)
const total = (keys: readonly { rows: number }[]) => keys.reduce((sum, { rows }) => sum + rows, 0)

test('an interrupted rotation is taken up where it ended, with the keys it made', async () => {
  const all = await countKeys(database(), inUse())
  assert.equal(total(all), 10, 'six signing keys, an invitation, a kept answer, and an account’s two secrets')
  let batches = 0
  const interrupted = rotateSealingKeys(database(), secrets_file, {
    rows_max: 2,
    onBatch: () => {
      batches += 1
      if (batches === 2) throw new Error('killed')
    },
  })
  await assert.rejects(interrupted, /killed/)
  const between = openSecretsFile(secrets_file, false)
  assert.equal(between.sealing_keys.length, 2)
  assert.deepEqual(
    (await countKeys(database(), between)).map(({ rows }) => rows),
    [4, 6],
  )
  const finished = await rotateSealingKeys(database(), secrets_file, { rows_max: 2 })
  assert.deepEqual([finished.keys_made, finished.resealed], [false, 6])
  assert.deepEqual(ids(finished.sealing_keys), ids(between.sealing_keys))
  assert.deepEqual(
    finished.sealing_keys.map(({ rows }) => rows),
    [10, 0],
  )
})

test('the file is replaced as a whole, mode 0600, with the older key behind the new one', async () => {
  assert.equal((await stat(secrets_file)).mode & 0o777, 0o600)
  const { sealing_keys, peppers } = JSON.parse(await readFile(secrets_file, 'utf8'))
  assert.deepEqual([sealing_keys.length, peppers], [2, undefined])
  assert.deepEqual(sealing_keys[1], asStored(inUse()).sealing_keys[0])
})

test('a process that still runs with the old file says so, loses no delivery, and makes it after its restart', async () => {
  assert.match((await faultOfSecrets(database(), inUse())) ?? '', /restart with the current secrets file/)
  const arrived = bench.receiver.requests.length
  await bench.cause()
  await bench.service.dispatcher.runDue()
  const [waiting] = await bench.deliveries(subscribed.id)
  assert.deepEqual([waiting.status, waiting.last_error_class], ['pending', 'internal'])
  assert.equal((await bench.service.call('GET', `/webhooks/${subscribed.id}`)).body.consecutive_failures, 0)
  // Values that it seals meanwhile are under the old key, which stays in the file.
  const { id } = await bench.subscribe({ events: ['api-token.revoked'] })
  assert.equal(bench.receiver.requests.length, arrived)

  restart()
  assert.equal(await faultOfSecrets(database(), inUse()), null)
  await bench.service.clock.advance(60_000)
  await bench.service.dispatcher.runDue()
  assert.equal((await bench.deliveries(subscribed.id))[0].status, 'succeeded')
  const late = await rotateSealingKeys(database(), secrets_file)
  assert.deepEqual([late.keys_made, late.resealed, late.sealing_keys[1]?.rows], [false, 1, 0])
  assert.equal((await bench.service.call('DELETE', `/webhooks/${id}`)).status, 204)
})

test('signing keys, invitations, kept answers and second factors are the same after a rotation', async () => {
  const { receiver, service } = bench
  assert.deepEqual((await create()).body, kept.body)
  const url = await invitationUrl()
  const rotation = await rotateSealingKeys(database(), secrets_file)
  assert.equal(rotation.keys_made, true)
  restart()
  assert.equal(await invitationUrl(), url)
  for (const code of [person.code(), recovery_codes[0]]) {
    const { ticket } = (await person.signIn()).body.second_factor
    assert.equal((await person.call('POST', '/session/code', { ticket, code })).status, 201)
  }
  assert.deepEqual((await create()).body, kept.body)
  const arrived = receiver.requests.length
  await bench.cause()
  await service.dispatcher.runDue()
  const sent = receiver.requests[arrived]
  const expected = createHmac('sha256', subscribed.signing_key)
    .update('POST')
    .update(sent?.body ?? '')
    .digest('hex')
  assert.equal(sent?.headers['x-service-signature'], expected)
})

test('a second rotation at the same time is refused', async () => {
  const client = await database().connect()
  try {
    await client.query('select pg_advisory_lock(7316413)')
    await assert.rejects(rotateSealingKeys(database(), secrets_file), /another `stint keys rotate` is running/)
  } finally {
    await client.query('select pg_advisory_unlock(7316413)')
    client.release()
  }
})

test('a start is refused while stored values need a key that is not in the file', async () => {
  const { sealing_keys } = openSecretsFile(secrets_file, false)
  await checkSecrets(database(), { sealing_keys })
  const foreign = { id: 'foreign', key: Buffer.alloc(32, 7) }
  const [first, ...others] = sealing_keys
  const refusals: [Secrets, RegExp][] = [
    [{ sealing_keys: others }, new RegExp(`lacks the sealing key ${first?.id}, under which \\d+ values`)],
    [{ sealing_keys: [foreign, ...others] }, /lacks the sealing key/],
    [{ sealing_keys: [{ id: first?.id ?? '', key: foreign.key }] }, /is not the one that sealed the data/],
  ]
  for (const [secrets, message] of refusals) {
    await assert.rejects(checkSecrets(database(), secrets), (error: Error) => {
      assert.ok(error instanceof StartRefused)
      assert.match(error.message, message)
      return true
    })
  }
})

test('a key with no rows may be removed from the file', async () => {
  const { sealing_keys } = openSecretsFile(secrets_file, false)
  const counted = await countKeys(database(), { sealing_keys })
  assert.ok(counted.slice(1).length > 0 && counted.slice(1).every(({ rows }) => rows === 0))
  const only = { sealing_keys: sealing_keys.slice(0, 1) }
  await checkSecrets(database(), only)
  assert.equal(await faultOfSecrets(database(), only), null)
})

test('every file that seals is one whose values a rotation seals anew', async () => {
  const root = new URL('../', import.meta.url)
  const sealing: string[] = []
  for await (const file of glob('**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    const text = await readFile(new URL(file, root), 'utf8')
    if (/(?<!function )\bseal\(/.test(text)) sealing.push(file)
  }
  assert.deepEqual(sealing.sort(), [
    'core/idempotency.ts',
    'identity/factors/recovery-codes.ts',
    'identity/factors/totp.ts',
    'operator/sealing-keys.ts',
    'resources/contracts/invite-worker.ts',
    'webhooks/signature.ts',
  ])
})
