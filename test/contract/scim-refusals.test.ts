import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { problemsOf } from '#core/operation.ts'
import { idempotencyInProgress, idempotencyKeyReused } from '#core/problems.ts'
import { groups } from '#scim/groups.ts'
import { operationsOf } from '#scim/operations.ts'
import { type Reason, type Refusal, reasonOf, refusals, toldAs } from '#scim/refusals.ts'
import { users } from '#scim/users.ts'

const root = new URL('../../', import.meta.url).pathname
const rows: [string, Reason][] = Object.entries(refusals)

test('every reason to refuse a request cites its section', () => {
  for (const [name, { source }] of rows) assert.match(source, /^RFC (7643|7644|9865) §\d+(\.\d+)*$/, name)
})

test('the guide publishes each reason with its section, and says when it is met', async () => {
  const guide = await readFile(`${root}docs/guides/provisioning.md`, 'utf8')
  const published = [...guide.matchAll(/^\| (\d{3}) \| (.+?) \| .{10,} \| (RFC .+) \|$/gm)].map(([, ...row]) => row)
  const table = rows.map(([name, row]) => [`${row.status}`, row.has_type ? `\`${name}\`` : '–', row.source])
  assert.deepEqual(published, table)
})

test('every refusal cites its section', () => {
  for (const [name, { source }] of rows) {
    const { body } = toldAs(name as Refusal, 'Something is wrong.')
    assert.equal(body.detail, `Something is wrong. (${source})`)
  }
})

test('the room refuses for these reasons only', async () => {
  const used = new Set<string>()
  for await (const file of glob('server/scim/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    const text = await readFile(`${root}${file}`, 'utf8')
    const others = [...text.matchAll(/throw (?!refuse\(|invalid\(|error\b|new Error\()[^\n]*/g)].map(([whole]) => whole)
    assert.deepEqual(others, [], file)
    for (const [, name = ''] of text.matchAll(/'(\w+)'/g)) used.add(name)
  }
  // Reasons that only the service itself has are found by their status.
  const own = rows.filter(([, row]) => row.has_type).map(([name]) => name)
  assert.deepEqual(
    own.filter((name) => !used.has(name)),
    [],
  )
})

test('every problem that the service answers a request with has a reason of its status, or one that SCIM names', () => {
  // No key is taken from a request of SCIM.
  const elsewhere = [idempotencyInProgress, idempotencyKeyReused]
  const operations = [...operationsOf(users), ...operationsOf(groups)]
  for (const { definition } of operations.flatMap(problemsOf).filter((one) => !elsewhere.includes(one))) {
    const reason: Refusal = reasonOf(definition)
    const row = refusals[reason]
    if ('has_type' in row) continue
    assert.equal(row.status, definition.status, definition.code)
  }
})
