import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, holdsFor, isFeed, isList, isWorkers, plain, type Schema } from './derived/every-operation.ts'
import { filledList, idOf } from './derived/list-rows.ts'
import { create, creatorOf, realPath } from './derived/rows.ts'
import { tokenFor } from './derived/tokens.ts'

const { service, ours, theirs } = await contractService()

const lists = everyOperation.filter(isList)

/** Lists whose rows an operation at the same path makes. */
const filled = lists.filter((list) => creatorOf(list.path) && !list.path.includes(':') && !isWorkers(list))

async function read(operation: Operation, path: string, query: string, organization = ours) {
  const token = await tokenFor(service, organization, operation)
  return service.call('GET', `${path}?${query}`, { token })
}

test('every list answers the envelope and nothing else', () =>
  holdsFor(lists, async (operation) => {
    const { status, body } = await read(operation, await realPath(service, ours, operation), '')
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(Object.keys(body), ['data', 'cursor', 'has_more', 'total_count'])
    assert.ok(Array.isArray(body.data))
    assert.ok(Number.isInteger(body.total_count) && body.total_count >= body.data.length)
    assert.equal(body.cursor !== null, body.has_more || isFeed(operation))
  }))

test('every output that holds data is the envelope of a list', () =>
  holdsFor(lists, ({ output }) => {
    const { properties } = plain(output) as { properties: Record<string, Schema> }
    assert.deepEqual(Object.keys(properties), ['data', 'cursor', 'has_more', 'total_count'])
  }))

/** Lists that never have two pages in a test. */
const one_row: readonly string[] = ['organizations.list']

test('limit bounds the page, and the cursor leads through every row once', () =>
  holdsFor(
    lists.filter(({ id }) => !one_row.includes(id)),
    async (operation) => {
      const { t, path, token } = await filledList(service, operation)
      const { body: whole } = await t.call('GET', path, { token, query: { limit: 100 } })
      assert.ok(whole.data.length > 1, 'it has no two rows: give it some in list-rows.ts')
      const seen: unknown[] = []
      let cursor: string | undefined
      for (const _row of whole.data) {
        const { body } = await t.call('GET', path, { token, query: { limit: 1, ...(cursor && { cursor }) } })
        assert.equal(body.data.length, 1)
        // A feed counts what is left.
        assert.equal(body.total_count, isFeed(operation) ? whole.total_count - seen.length : whole.total_count)
        assert.equal(body.has_more, whole.has_more || seen.length + 1 < whole.data.length)
        seen.push(idOf(body.data[0]))
        cursor = body.cursor
      }
      assert.deepEqual(seen, whole.data.map(idOf))
      assert.equal(cursor === null, !isFeed(operation) && !whole.has_more)
    },
  ))

test('limit is a whole number from 1 to the most that the list says, which is 100 for rows that grow', () =>
  holdsFor(lists, async (operation) => {
    const path = await realPath(service, ours, operation)
    const { maximum } = plain(operation.input.properties.limit ?? {}) as { maximum: number }
    assert.ok(maximum <= (creatorOf(operation.path) ? 100 : 500))
    for (const limit of ['0', String(maximum + 1), '-1', '1.5', 'ten', '', '1e1', '0x5']) {
      const { status, body } = await read(operation, path, `limit=${limit}`)
      assert.equal(`${status} ${body.code}`, '400 validation_failed', limit)
    }
  }))

test('what is no cursor, or the cursor of another list, is refused as invalid_cursor', () =>
  holdsFor(lists, async (operation) => {
    const path = await realPath(service, ours, operation)
    const other = filled.find(({ id }) => id !== operation.id)
    assert.ok(other)
    await fill(other, 2)
    const foreign = (await read(other, other.path, 'limit=1')).body.cursor
    assert.ok(foreign)
    for (const cursor of [foreign, 'nonsense', 'AAAA', '%22', '..', 'a'.repeat(512), btoa('["a","b"]')]) {
      const { status, body } = await read(operation, path, `cursor=${cursor}`)
      assert.equal(`${status} ${body.code}`, '400 invalid_cursor', cursor)
    }
  }))

test('a cursor that was altered, or given by another organization or under other filters, is refused', () =>
  holdsFor(filled, async (operation) => {
    await fill(operation, 2)
    const { cursor } = (await read(operation, operation.path, 'limit=1')).body
    const other = (letter: string) => (letter === 'A' ? 'B' : 'A')
    const altered = [cursor.slice(0, -1) + other(cursor.at(-1)), other(cursor[0]) + cursor.slice(1), `${cursor}A`]
    const wrong = [
      ...altered.map((text) => read(operation, operation.path, `cursor=${text}`)),
      read(operation, operation.path, `cursor=${cursor}`, theirs),
      read(operation, operation.path, `cursor=${cursor}&updated_after=2020-01-01T00:00:00Z`),
    ]
    for (const { status, body } of await Promise.all(wrong)) {
      assert.equal(`${status} ${body.code}`, '400 invalid_cursor')
    }
    const { status } = await read(operation, operation.path, `cursor=${cursor}&limit=5`)
    assert.equal(status, 200, 'limit may change between pages')
  }))

test('updated_after in the future leaves no row of a stored list', () =>
  holdsFor(filled, async (operation) => {
    await fill(operation, 1)
    const { body } = await read(operation, operation.path, 'updated_after=2999-01-01T00:00:00Z')
    assert.deepEqual(body, { data: [], cursor: null, has_more: false, total_count: 0 })
  }))

test('a set in the query may be repeated, bracketed, separated by commas and mixed', () =>
  holdsFor(
    lists.filter((operation) => setOf(operation) !== undefined),
    async (operation) => {
      const path = await realPath(service, ours, operation)
      const [name, values] = setOf(operation) ?? ['', []]
      const [a = '', b = a] = values
      const queries = [`${name}=${a}&${name}=${b}`, `${name}[]=${a}&${name}[]=${b}`, `${name}=${a},${b}`]
      const mixed = `${name}=${a},${b}&${name}[]=${b}`
      // Every call of this file is soon a row of the log of requests: none of them has this id.
      const beside = operation.id === 'request_logs.list' ? '&request_id=none' : ''
      const [first, ...others] = await Promise.all(
        [...queries, mixed].map((query) => read(operation, path, query + beside)),
      )
      assert.equal(first?.status, 200, JSON.stringify(first?.body))
      for (const other of others) assert.deepEqual(other.body, first?.body)
    },
  ))

/** Makes rows until the list has at least so many. */
async function fill(operation: Operation, rows: number): Promise<void> {
  const creator = creatorOf(operation.path)
  assert.ok(creator)
  const { total_count } = (await read(operation, operation.path, '')).body
  for (let made = total_count; made < rows; made += 1) await create(service, ours, creator, operation.path)
}

/** The first parameter of a list that takes several words of an enumeration, with two of them. */
function setOf({ input }: Operation): [name: string, values: string[]] | undefined {
  const properties = Object.entries((plain(input).properties ?? {}) as Record<string, Schema>)
  const found = properties.find(([, schema]) => Array.isArray((schema.items as Schema | undefined)?.enum))
  return found && [found[0], (found[1].items as { enum: string[] }).enum.slice(0, 2)]
}
