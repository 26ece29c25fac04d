import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, holdsFor, isRepeatable } from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'

const hour_ms = 3_600_000

const { service, ours } = await contractService()

const revealing = everyOperation.filter((operation) => operation.reveals_secret && isRepeatable(operation))
const fieldOf = ({ reveals_secret }: Operation) => reveals_secret?.field ?? ''

/** Makes a secret under a key; answers it, and the same call once more. */
async function made(operation: Operation) {
  const path = await realPath(service, ours, operation)
  const body = await sampleInput(service, operation, (field) => referredRow(service, ours, field))
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const token = await tokenFor(service, ours, operation)
  const send = () => service.call(operation.method, path, { token, body, headers })
  const first = await send()
  assert.equal(first.status, 201, JSON.stringify(first.body))
  assert.ok(typeof first.body[fieldOf(operation)] === 'string')
  return { path, token, first, send }
}

test('a secret is repeated for an hour; after that its place is null and the rest of the answer as it was', () =>
  holdsFor(revealing, async (operation) => {
    const { first, send } = await made(operation)
    await service.clock.advance(hour_ms - 60_000)
    assert.deepEqual((await send()).body, first.body)
    await service.clock.advance(60_000)
    const late = await send()
    assert.equal(late.headers['idempotent-replayed'], 'true')
    assert.deepEqual([late.status, late.body], [201, { ...first.body, [fieldOf(operation)]: null }])
    await service.clock.advance(23 * hour_ms - 1)
    assert.deepEqual((await send()).body, late.body)
  }))

/** The call that ends the secret of each operation before its hour is over. */
const endings: Record<string, (answer: Record<string, string>, path: string) => [method: string, path: string]> = {
  'api_tokens.create': ({ id }) => ['DELETE', `/api-tokens/${id}`],
  'api_tokens.rotate': ({ id }) => ['DELETE', `/api-tokens/${id}`],
  'oauth_clients.create': ({ client_id }) => ['DELETE', `/oauth-clients/${client_id}`],
  'oauth_clients.rotate_secret': ({ client_id }) => ['DELETE', `/oauth-clients/${client_id}`],
  'member_invitations.create': ({ id }) => ['POST', `/members/invitations/${id}/revoke`],
  'member_invitations.resend': (_, path) => ['POST', path.replace('/resend', '/revoke')],
  'people.create_worker_token': (_, path) => ['POST', path],
  'webhooks.create': ({ id }) => ['DELETE', `/webhooks/${id}`],
  'webhooks.rotate_signing_key': (_, path) => ['DELETE', path.replace('/signing-keys', '')],
}

test('a secret that was revoked is not repeated', () =>
  holdsFor(revealing, async (operation) => {
    const { path, token, first, send } = await made(operation)
    const ending = endings[operation.id]
    assert.ok(ending, 'say in endings how its secret ends')
    const [method, at] = ending(first.body, path)
    const ended = await service.call(method, at, {
      token,
      ...(method === 'POST' && { body: {} }),
    })
    assert.ok(ended.status < 300, JSON.stringify(ended.body))
    const again = await send()
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.deepEqual(again.body, { ...first.body, [fieldOf(operation)]: null })
  }))

test('a secret that was replaced is repeated while both stand, and not afterwards', async () => {
  const operation = everyOperation.find(({ id }) => id === 'oauth_clients.create')
  assert.ok(operation)
  const { first, send } = await made(operation)
  const { client_id, client_secret } = first.body
  const path = `/oauth-clients/${client_id}/secret`
  await service.call('POST', path, { token: ours.token, body: { overlap_s: 600 } })
  assert.equal((await send()).body.client_secret, client_secret)
  await service.clock.advance(600_000)
  assert.equal((await send()).body.client_secret, null)
})
