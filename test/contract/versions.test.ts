import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMutation, type Operation, pathFields } from '#core/operation.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, hasBody, holdsFor, registered } from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampler } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'
import { writesNothing } from './derived/written-rows.ts'

const { service, ours } = await contractService()

const isRead = (operation: Operation) => registered(operation).target?.definition === operation
const reads = everyOperation.filter(isRead)
const changes = everyOperation.filter(isMutation)
const targeted = changes.filter((operation) => registered(operation).target !== null)

const outdated = '"AAAAAAAAAAAAAAAAAAAAAA"'
const strong = /^"[\x21\x23-\x7e]+"$/

interface Prepared {
  operation: Operation
  path: string
  token: string
  body: () => Record<string, unknown> | undefined
}

async function prepare(operation: Operation): Promise<Prepared> {
  const path = await realPath(service, ours, operation)
  const sample = await sampler(service, operation, (field) => referredRow(service, ours, field))
  const token = await tokenFor(service, ours, operation)
  return { operation, path, token, body: () => (hasBody(operation) ? sample() : undefined) }
}

const send = ({ operation, path, token, body }: Prepared, headers: Record<string, string> = {}) => {
  const sent = body()
  return service.call(operation.method, path, { token, headers, ...(sent && { body: sent }) })
}

/** The address for reading the resource that an operation acts on. */
function addressOfTarget({ operation, path }: Prepared): string {
  const target = registered(operation).target?.definition.path ?? ''
  const at = operation.path.split('/')
  const values = path.split('/')
  return pathFields(target).reduce(
    (filled, field) => filled.replace(`:${field}`, values[at.indexOf(`:${field}`)] ?? ''),
    target,
  )
}

const read = (prepared: Prepared) => service.call('GET', addressOfTarget(prepared), { token: prepared.token })
const tagOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers.etag)

/** The overview counts requests, these among them: it may be another one at the next look. */
const steady = reads.filter(({ id }) => id !== 'overview.get')

test('the answer of a single resource carries a strong ETag, and If-None-Match answers 304 without a body', () =>
  holdsFor(steady, async (operation) => {
    const prepared = await prepare(operation)
    const answer = await send(prepared)
    // No row is there for this caller: whoever asks for itself and is no person.
    if (answer.status === 404) return
    assert.equal(answer.status, 200)
    const tag = tagOf(answer)
    assert.match(tag, strong)
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await send(prepared, { 'if-none-match': known })
      assert.deepEqual([again.status, again.body, tagOf(again)], [304, '', tag], known)
      assert.equal(again.headers['content-type'], undefined)
    }
    assert.equal((await send(prepared, { 'if-none-match': outdated })).status, 200)
    assert.equal((await send(prepared, { 'if-match': outdated })).body.code, 'precondition_failed')
    assert.equal((await send(prepared, { 'if-match': tag })).status, 200)
    const unquoted = await send(prepared, { 'if-none-match': tag.slice(1, -1) })
    assert.deepEqual(
      [unquoted.status, unquoted.body.errors?.map(({ pointer }: { pointer: string }) => pointer)],
      [400, ['/If-None-Match']],
    )
  }))

test('every change is refused to who has read another version, and then writes nothing', () =>
  holdsFor(changes, async (operation) => {
    const prepared = await prepare(operation)
    await writesNothing(service, [ours.id], async () => {
      for (const headers of [
        { 'if-match': outdated },
        { 'if-match': `"other" , ${outdated}` },
        { 'if-none-match': '*' },
      ] as Record<string, string>[]) {
        const { status, body } = await send(prepared, headers)
        assert.equal(`${status} ${body.code}`, '412 precondition_failed', JSON.stringify(headers))
      }
    })
  }))

test('a weak tag never is the version of a change', () =>
  holdsFor(targeted, async (operation) => {
    const prepared = await prepare(operation)
    const weak = `W/${tagOf(await read(prepared))}`
    assert.equal((await send(prepared, { 'if-match': weak })).status, 412)
  }))

test('every change is made by who names the version it has read, alone, among others, or any', () =>
  holdsFor(targeted, async (operation) => {
    for (const header of [(tag: string) => tag, (tag: string) => `"other", ${tag}`, () => '*']) {
      const prepared = await prepare(operation)
      const tag = tagOf(await read(prepared))
      assert.match(tag, strong)
      const { status, body } = await send(prepared, { 'if-match': header(tag) })
      // An operation may have other reasons to refuse its sample; the version is none.
      assert.notEqual(status, 412, JSON.stringify(body))
      assert.notEqual(status, 400, JSON.stringify(body))
    }
  }))

test('the answer to a change carries the version that is read afterwards', async () => {
  let compared = 0
  const showing = changes.filter((operation) => registered(operation).shown !== null)
  await holdsFor(showing, async (operation) => {
    const prepared = await prepare(operation)
    const answer = await send(prepared)
    if (answer.status >= 300) return
    const { token } = prepared
    const address = String(answer.headers.location ?? `/rest/v2${addressOfTarget(prepared)}`)
    const path = address.slice(address.indexOf('/rest/v2'))
    const found = await service.call('GET', path, { token })
    assert.match(tagOf(answer), strong)
    assert.equal(tagOf(answer), tagOf(found), JSON.stringify([answer.body, found.body]))
    compared += 1
  })
  assert.ok(compared > showing.length / 2, `only ${compared} of ${showing.length} answers could be compared`)
})

test('of two who change one version at once, one is refused', async () => {
  let met = 0
  await holdsFor(targeted, async (operation) => {
    const prepared = await prepare(operation)
    const first = tagOf(await read(prepared))
    const answers = await Promise.all([1, 2].map(() => send(prepared, { 'if-match': first })))
    const after = await read(prepared)
    const done = answers.filter(({ status }) => status < 300)
    // A call that leaves the resource as it was (a simulation) refuses nobody.
    if (tagOf(after).split('.')[0] === first.split('.')[0] || done.length === 0) return
    const outcomes = answers.map(({ status, body }) => `${status} ${body?.code ?? ''}`)
    // A call that waits for the lock of a row that is then deleted finds nothing; behind a clock it finds it moving.
    const refused = outcomes.some((outcome) => /^(412|404|409 clock_advancing)/.test(outcome))
    assert.deepEqual([done.length, refused], [1, true], String(outcomes))
    met += 1
  })
  assert.ok(met > 0)
})

test('a version differs for who sees less, and tells nothing of what is withheld', async () => {
  const { body } = await service.call('POST', '/contracts', {
    token: ours.token,
    body: (await prepare(registeredContract())).body(),
  })
  const blind = await service.createToken(ours.id, { sensitive_data: [], is_sandbox: true })
  const path = `/contracts/${body.id}`
  const shown = tagOf(await service.call('GET', path, { token: ours.token }))
  const withheld = tagOf(await service.call('GET', path, { token: blind }))
  assert.notEqual(shown, withheld)
  const other = await service.call('GET', path, { token: blind, headers: { 'if-none-match': shown } })
  assert.equal(other.status, 200)
})

function registeredContract(): Operation {
  const operation = everyOperation.find(({ id }) => id === 'contracts.create')
  assert.ok(operation)
  return operation
}
