import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import type { TestAnswer } from '#test/service.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, freeFields, holdsFor, plain, type Schema } from './derived/every-operation.ts'
import { realPath } from './derived/rows.ts'
import { tokenFor } from './derived/tokens.ts'
import { writesNothing } from './derived/written-rows.ts'

const { service, ours } = await contractService()

type Fields = Record<string, unknown>

const changes = everyOperation.filter(({ method }) => method === 'PATCH')

/** The value of an input field as a resource shows it; undefined where it shows none. */
function shownValue(name: string, schema: Schema, resource: Fields): unknown {
  if (!(name in resource)) {
    if (name.endsWith('_ids')) return (resource[`${name.slice(0, -4)}s`] as Fields[]).map(({ id }) => id)
    if (!name.endsWith('_id')) return undefined
    const referred = resource[name.slice(0, -3)] as Fields | null | undefined
    return referred === undefined ? undefined : (referred?.id ?? null)
  }
  const value = resource[name]
  const isNullable = ((schema.anyOf ?? []) as Schema[]).some(({ type }) => type === 'null')
  if (value === null && !isNullable) return undefined
  const properties = schema.properties as Record<string, Schema> | undefined
  return properties && value !== null ? picked(properties, value as Fields) : value
}

function picked(properties: Record<string, Schema>, resource: Fields): Fields {
  const members = Object.entries(properties).map(
    ([name, schema]) => [name, shownValue(name, schema, resource)] as const,
  )
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** Every field that an operation changes, as its resource has it now. */
function equalBody(operation: Operation, resource: Fields): Fields {
  const properties = plain(operation.input).properties as Record<string, Schema>
  const free = Object.fromEntries(freeFields(operation).map((name) => [name, properties[name] ?? {}]))
  return picked(free, resource)
}

/** Sends equal values to a resource, each alone and all together, and holds it to nothing having happened. */
async function changesNothing(operation: Operation, path: string, token: string): Promise<void> {
  const read = () => service.call('GET', path, { token })
  const before = await read()
  const all = equalBody(operation, before.body)
  const shown_min = Math.min(freeFields(operation).length, 2)
  assert.ok(Object.keys(all).length >= shown_min, 'the resource shows what can be changed')
  await service.takeEvents(ours.id)
  await writesNothing(service, [ours.id], async () => {
    for (const body of [...Object.entries(all).map(([name, value]) => ({ [name]: value })), all]) {
      const answer: TestAnswer = await service.call('PATCH', path, { token, body })
      assert.equal(answer.status, 200, `${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
      assert.deepEqual(answer.body, before.body)
      assert.equal(answer.headers.etag, before.headers.etag)
    }
  })
  assert.deepEqual((await read()).body, before.body)
  assert.deepEqual(await service.takeEvents(ours.id), [])
}

test('a change to equal values changes nothing: no row, no event, no line of the audit log, no new version', () =>
  holdsFor(changes, async (operation) => {
    const path = await realPath(service, ours, operation)
    await changesNothing(operation, path, await tokenFor(service, ours, operation))
  }))

const contracts = everyOperation.find(({ id }) => id === 'contracts.update')

for (const [what, steps] of [
  ['that the client has signed', ['/contracts/:id/sign']],
  ['that is active, its terms too', ['/contracts/:id/sign', '/sandbox/contracts/:id/worker-signature']],
  ['that is over', ['/contracts/:id/cancel']],
] as const) {
  test(`equal values leave a contract as it is ${what}`, async () => {
    assert.ok(contracts)
    const path = await realPath(service, ours, contracts)
    for (const step of steps) {
      const body = step.endsWith('cancel') ? {} : { signer_name: 'Ada Client' }
      const { status } = await service.call('POST', step.replace('/contracts/:id', path), { token: ours.token, body })
      assert.equal(status, 200)
    }
    await changesNothing(contracts, path, ours.token)
  })
}

test('a verdict that stands is not given again', async () => {
  const { client_id } = (
    await service.app.inject({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({
        client_name: 'Desk',
        redirect_uris: ['https://desk.example/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      }),
    })
  ).json()
  const path = `/oauth-clients/${client_id}`
  const decide = (verdict: string) => service.call('PATCH', path, { token: ours.token, body: { verdict } })
  for (const verdict of ['none', 'verified', 'blocked']) {
    if (verdict !== 'none') assert.equal((await decide(verdict)).status, 200)
    await writesNothing(service, [ours.id], async () => {
      assert.deepEqual([(await decide(verdict)).status, (await decide(verdict)).body.verdict], [200, verdict])
    })
  }
})

test('an active subscription that is enabled again leaves no line in the audit log', async () => {
  const operation = everyOperation.find(({ id }) => id === 'webhooks.enable')
  assert.ok(operation)
  const path = await realPath(service, ours, operation)
  await writesNothing(service, [ours.id], async () => {
    assert.equal((await service.call('POST', path, { token: ours.token, body: {} })).status, 200)
  })
})
