import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMutation, type Operation, pathFields } from '#core/operation.ts'
import { ProblemError } from '#sdk/errors.ts'
import type { DryRunAnswer } from '#sdk/generated/types.ts'
import { FollowedListing, Listing } from '#sdk/listing.ts'
import { sdkOf } from '#test/sdk.ts'
import { contractService } from '../contract/derived/contract-service.ts'
import { everyOperation, holdsFor, isList, registered } from '../contract/derived/every-operation.ts'
import { realPath, referredRow } from '../contract/derived/rows.ts'
import { sampleInput } from '../contract/derived/sample-input.ts'
import { tokenFor } from '../contract/derived/tokens.ts'

const { service, ours } = await contractService()

type Method = (input: object, options?: object) => Promise<unknown> | Listing<unknown>

/** The client with a credential that may call an operation, its method for it, and an input that the rules accept. */
async function prepare(operation: Operation) {
  const path = await realPath(service, ours, operation)
  const token = await tokenFor(service, ours, operation)
  const sample = await sampleInput(service, operation, (field) => referredRow(service, ours, field))
  const segments = path.split('/')
  const ids = operation.path
    .split('/')
    .flatMap((segment, place) => (segment.startsWith(':') ? [[segment.slice(1), segments[place]]] : []))
  const { stint, sent } = sdkOf(service, { token })
  const [group = '', verb = ''] = operation.id.split('.')
  const method = (stint as unknown as Record<string, Record<string, Method>>)[group]?.[verb]
  assert.ok(method, 'the client has no method for it')
  return { method, sent, path, input: { ...Object.fromEntries(ids), ...sample } }
}

/** No row is there for this caller: an organization asks for itself as a person. */
const of_nobody = new Set(['people.get_self'])
const callable = everyOperation.filter(({ id }) => !of_nobody.has(id))

/** The input was understood: the row is in another state than the operation asks for. */
function businessRefusal(error: unknown): ProblemError {
  if (error instanceof ProblemError && [409, 422].includes(error.status)) return error
  throw error
}

test('every operation has a method, whose request the service takes, and the answer is the one of the service', () =>
  holdsFor(callable, async (operation) => {
    const { method, sent, path, input } = await prepare(operation)
    // Rehearsed, so that no operation takes away what the next one needs.
    const isDry = isMutation(operation) && !operation.spans_transactions
    const called = isDry ? method(input, { dry_run: true }) : method(input)
    assert.equal(called instanceof Listing, isList(operation))
    assert.equal(called instanceof FollowedListing, operation.stream !== undefined)
    const answer = await (called instanceof Listing ? called.page() : called).catch(businessRefusal)
    assert.equal(sent.length, 1)
    const { pathname } = new URL(sent[0]?.url ?? '')
    assert.equal(`${sent[0]?.method} ${pathname}`, `${operation.method} /rest/v2${path}`)
    if (answer instanceof ProblemError) return
    if (operation.file) return assert.ok(answer instanceof File && answer.size > 0 && answer.name !== '')
    if (isDry) assert.match((answer as DryRunAnswer).dry_run.digest, /^[\w-]{43}$/)
    const { dry_run: _, ...own } = answer as Record<string, unknown>
    if (operation.status !== 204) assert.deepEqual(registered(operation).checkOutput(own), [])
  }))

test('the client has no method that is no operation', () => {
  const { stint } = sdkOf(service)
  const methods = Object.entries(stint).flatMap(([group, verbs]) =>
    Object.keys(verbs).map((verb) => `${group}.${verb}`),
  )
  assert.deepEqual(methods.sort(), everyOperation.map(({ id }) => id).sort())
})

test('every change that can be made twice carries a key, and another one each time; a rehearsal uses none up', () =>
  holdsFor(everyOperation.filter(isMutation), async (operation) => {
    const sent: Headers[] = []
    const { stint } = sdkOf(service, {
      fetch: async (_, { headers }) => {
        sent.push(new Headers(headers))
        return new Response(null, { status: 204 })
      },
    })
    const [group = '', verb = ''] = operation.id.split('.')
    const method = (stint as unknown as Record<string, Record<string, Method>>)[group]?.[verb]
    const input = Object.fromEntries(pathFields(operation.path).map((name) => [name, 'some-id']))
    for (const options of [{}, {}, { dry_run: true }]) await method?.(input, options)
    const keys = sent.map((headers) => headers.get('idempotency-key'))
    const isKeyed = operation.method === 'POST' || operation.method === 'PATCH'
    assert.equal(new Set(keys.slice(0, 2)).size, isKeyed ? 2 : 1)
    assert.equal(keys[0] !== null, isKeyed)
    assert.equal(keys[2], null)
  }))
