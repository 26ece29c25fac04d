import assert from 'node:assert/strict'
import { raw, sql } from '#db/database.ts'
import { onServer } from '#test/server-of-run.ts'
import type { TestService } from '#test/service.ts'

/** Written behind requests, once a minute, by the notes on uses of tokens. */
const volatile = ['last_used_at', 'last_used_address']

/** Tables that are written behind every request. */
const behind_requests = ['request_counts', 'request_logs']

/** Per table the number of rows and a digest of their content, over all that the application may read of them. */
export async function contentOf(service: TestService, organizations: readonly string[]): Promise<Map<string, string>> {
  const all = digestsOf(await tablesOf(service))
  const content = new Map<string, string>()
  for (const organization_id of organizations) {
    const rows = await service.database.database.transaction({ role: 'app', organization_id, read_only: true }, (tx) =>
      tx.rows<{ name: string; content: string }>(all),
    )
    for (const { name, content: found } of rows) content.set(`${name} of ${organization_id}`, found)
  }
  return content
}

/** Per table of the database, whoever may read it, the number of rows and a digest of their content. */
export async function contentOfAll(service: TestService): Promise<Map<string, string>> {
  const tables = await service.database.database.transaction({ role: 'owner', read_only: true }, (tx) =>
    tx.rows<{ name: string }>(sql`
      select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> all (${behind_requests}) order by 1`),
  )
  const rows = await service.database.database.transaction({ role: 'owner', read_only: true }, (tx) =>
    tx.rows<{ name: string; content: string }>(digestsOf(tables.map(({ name }) => name))),
  )
  return new Map(rows.map(({ name, content }) => [name, content]))
}

const digestsOf = (tables: readonly string[]) =>
  raw(
    tables
      .map(
        (name) => `select '${name}' as name, count(*) || ' rows, ' ||
          coalesce(sum(hashtextextended((to_jsonb(t) - '{${volatile.join(',')}}'::text[])::text, 0)), 0) as content
          from ${name} t`,
      )
      .join(' union all '),
  )

/** Fails when the work changed any row of these organizations. */
export async function writesNothing(
  service: TestService,
  organizations: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const before = await contentOf(service, organizations)
  await work()
  const after = await contentOf(service, organizations)
  assert.deepEqual(
    [...after].filter(([name, content]) => before.get(name) !== content),
    [],
  )
}

const tablesOfService = new WeakMap<TestService, string[]>()

async function tablesOf(service: TestService): Promise<string[]> {
  const known = tablesOfService.get(service)
  if (known) return known
  const rows = await service.database.database.transaction({ role: 'owner', read_only: true }, (tx) =>
    tx.rows<{ name: string }>(sql`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and has_table_privilege('stint_app', c.oid, 'select') and c.relname <> all (${behind_requests})
      order by c.relname`),
  )
  const names = rows.map(({ name }) => name)
  tablesOfService.set(service, names)
  return names
}

/**
 * Counts committed writes by triggers from now on: the same question as `contentOf` at a price that does not grow with
 * the rows, for thousands of calls (reading every table after each of 10,000 calls took over ten minutes).
 */
export async function countWrites(service: TestService): Promise<() => Promise<number>> {
  await onServer(
    service.database.owner,
    `create table committed_writes (total bigint not null);
     insert into committed_writes values (0);
     create function count_write() returns trigger language plpgsql security definer set search_path = public as $$
     begin
       update committed_writes set total = total + 1;
       return null;
     end $$`,
  )
  for (const name of await tablesOf(service)) {
    const events =
      name === 'access_tokens' ? 'insert or delete or update of revoked_at, expires_at' : 'insert or update or delete'
    await onServer(
      service.database.owner,
      `create trigger count_write after ${events} on ${name} for each row execute function count_write()`,
    )
  }
  return async () => {
    const counted = await service.database.database.transaction({ role: 'owner', read_only: true }, (tx) =>
      tx.row<{ total: string }>(sql`select total from committed_writes`),
    )
    return Number(counted?.total)
  }
}
