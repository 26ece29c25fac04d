import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { startTestService, type TestService } from '#test/service.ts'

const rows_count = 10_000
const page_rows = 100

let service: TestService
before(async () => {
  service = await startTestService()
  const { id } = service.organization
  // Three to a millisecond, so that the order needs the id too.
  await service.database.database.transaction({ role: 'owner', organization_id: id }, (tx) =>
    tx.run(sql`
      insert into teams (organization_id, id, name, created_at, updated_at)
      select ${id}::uuid, gen_random_uuid(), 'Team ' || n, made, made
      from generate_series(1, ${rows_count}::int) n, lateral (select now() - (n / 3) * interval '1 ms' as made) at`),
  )
})
after(() => service.close())

interface Seen {
  ids: string[]
  pages: number
}

/** Walks all pages; `between` runs after each of them. */
async function walk(query: object, between: (page: number, ids: string[]) => Promise<unknown>): Promise<Seen> {
  const ids: string[] = []
  let cursor: string | null = null
  let pages = 0
  do {
    const { status, body } = await service.call('GET', '/teams', {
      query: { limit: page_rows, ...query, ...(cursor !== null && { cursor }) },
    })
    assert.equal(status, 200, JSON.stringify(body))
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.cursor
    pages += 1
    await between(pages, ids)
  } while (cursor !== null)
  return { ids, pages }
}

test('paging 10,000 rows while others insert, change and delete: no row twice, no standing row missed', async () => {
  const standing = new Set((await walk({}, async () => undefined)).ids)
  assert.equal(standing.size, rows_count)
  const order = [...standing]
  const added: string[] = []
  // Rows behind and ahead of the reader go, others come, and others change.
  const disturb = async (page: number, seen: string[]) => {
    const gone = [order[page * page_rows - 7], order[page * page_rows + 7]].filter((id) => id !== undefined)
    const [made] = await Promise.all([
      service.call('POST', '/teams', { body: { name: `New ${page}` } }),
      service.call('PATCH', `/teams/${order[(page * page_rows + 50) % rows_count]}`, {
        body: { name: `Moved ${page}` },
      }),
      ...gone.map((id) => service.call('DELETE', `/teams/${id}`)),
    ])
    assert.equal(made.status, 201)
    added.push(made.body.id)
    for (const id of gone) standing.delete(id)
    assert.ok(seen.length <= page * page_rows)
  }
  const { ids, pages } = await walk({}, disturb)
  assert.equal(new Set(ids).size, ids.length, 'a row came twice')
  const seen = new Set(ids)
  assert.deepEqual(
    [...standing].filter((id) => !seen.has(id)),
    [],
    'standing rows that were missed',
  )
  assert.ok(pages > 95 && added.length === pages)
})
