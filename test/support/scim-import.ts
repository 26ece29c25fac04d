import assert from 'node:assert/strict'
import { type Database, sql } from '#db/database.ts'
import type { Body } from '#test/factories.ts'

/** One request below `/scim/v2`, with its status and the body that was answered. */
export type ScimCall = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
) => Promise<{ status: number; body: Body }>

const page = 100
const at_once = 8
const patched_at_once = 32
/** Every so many users are sent twice at the same time. */
const repeated_each = 20
const patches_each = 4

interface Place {
  database: Database
  organization_id: string
}

/**
 * Imports users page by page, some of them twice at once, reads them back by cursor, then changes some of them by several
 * PATCHes each at the same time, and asserts that nothing was lost or doubled: neither users nor values nor events.
 */
export async function importAndPatch(
  call: ScimCall,
  { database, organization_id }: Place,
  users: number,
  patches: number,
) {
  const before = await told(database, organization_id)
  const began_ms = performance.now()
  const numbers = Array.from({ length: users }, (_, number) => number)
  for (let from = 0; from < users; from += page) {
    await inLanes(numbers.slice(from, from + page), at_once, (number) => create(call, number))
  }
  const imported_ms = performance.now()
  const all = await everybody(call)
  const mine = all.filter(({ externalId }) => String(externalId).startsWith('import-'))
  assert.equal(mine.length, users)
  assert.equal(new Set(mine.map(({ id }) => id)).size, users)
  assert.deepEqual(new Set(mine.map(({ userName }) => userName)), new Set(numbers.map(nameOf)))

  const chosen = mine.slice(0, patches / patches_each)
  const read_ms = performance.now()
  const changes = Array.from({ length: patches_each }, (_, nth) => chosen.map(({ id }) => ({ id, nth }))).flat()
  await inLanes(changes, patched_at_once, async ({ id, nth }) => {
    const Operations = [
      { op: 'add', path: 'roles', value: [{ value: `role-${nth}` }] },
      { op: 'replace', path: 'title', value: `Clerk ${nth}` },
    ]
    assert.equal((await call('PATCH', `/Users/${id}`, { Operations })).status, 200)
  })
  const patched_ms = performance.now()
  const roles = Array.from({ length: patches_each }, (_, nth) => `role-${nth}`)
  const after = new Map((await everybody(call)).map((user) => [user.id, user]))
  assert.equal(after.size, all.length)
  for (const { id } of chosen) {
    const found = after.get(id)?.roles.map(({ value }: { value: string }) => value)
    assert.deepEqual(found.toSorted(), roles)
  }
  const now = await told(database, organization_id)
  const added = (type: string) => (now[type] ?? 0) - (before[type] ?? 0)
  assert.deepEqual(['person.created', 'user.provisioned', 'person.updated', 'person.deleted'].map(added), [
    users,
    users,
    patches,
    0,
  ])
  const per_s = (count: number, ms: number) => Math.round((count * 1_000) / ms)
  return {
    created_per_s: per_s(users, imported_ms - began_ms),
    read_per_s: per_s(all.length, read_ms - imported_ms),
    patched_per_s: per_s(patches, patched_ms - read_ms),
  }
}

const nameOf = (number: number) => `import-${number}@example.org`

async function create(call: ScimCall, number: number): Promise<void> {
  const userName = nameOf(number)
  const body = {
    ...{ userName, externalId: `import-${number}`, name: { givenName: 'Ana', familyName: `Alder ${number}` } },
    emails: [{ value: userName, type: 'work', primary: true }],
  }
  const times = number % repeated_each === 0 ? 2 : 1
  const answers = await Promise.all(Array.from({ length: times }, () => call('POST', '/Users', body)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409].slice(0, times))
}

async function everybody(call: ScimCall): Promise<Body[]> {
  const found = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { status, body } = await call('GET', `/Users?count=200&cursor=${encodeURIComponent(cursor)}`)
    assert.equal(status, 200, JSON.stringify(body))
    found.push(...body.Resources)
    cursor = body.nextCursor
  }
  return found
}

async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Entries of events by their type. */
async function told(database: Database, organization_id: string): Promise<Record<string, number>> {
  const rows = await database.transaction({ role: 'app', organization_id, read_only: true }, (tx) =>
    tx.rows<{ event_type: string; entries: number }>(sql`
      select event_type, sum(jsonb_array_length(resource))::int as entries from events
      where organization_id = ${organization_id} group by event_type`),
  )
  return Object.fromEntries(rows.map(({ event_type, entries }) => [event_type, entries]))
}
