import assert from 'node:assert/strict'
import { decimalsOf, isCurrency } from '#core/values.ts'
import { sql } from '#db/database.ts'
import type { Body } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

/** The invariants of calls (domain design 8), after any calls before; those of rows are in `invariants.ts`. */

const lists = ['/contracts', '/people', '/timesheets', '/invoice-adjustments', '/invoices', '/payments']

/** Invariant 29: two calls at once under one key have the effect of one. The answer is that of the call that was made. */
export async function sendTwice(call: () => Promise<Body>): Promise<Body> {
  const answers = await Promise.all([call(), call()])
  const made = answers.filter(({ status, headers }) => status < 300 && headers['idempotent-replayed'] !== 'true')
  assert.ok(made.length < 2, 'both were made')
  const repeated = answers.find(({ headers }) => headers['idempotent-replayed'] === 'true')
  if (repeated) assert.deepEqual(repeated.body, made[0]?.body)
  return made[0] ?? answers.find(({ body }) => body?.code !== 'idempotency_in_progress')
}

const amounts =
  /^(amount|unit_price|rate|total_amount|subtotal|taxable_base|vat_total|total|fee|balance|balance_after)$/

/** Invariant 30: amounts have the decimals of their currency. */
export function assertMoney(value: unknown, within = 'EUR'): void {
  if (typeof value !== 'object' || value === null) return
  const { currency: own } = value as { currency?: unknown }
  const currency = typeof own === 'string' ? own : within
  assert.ok(isCurrency(currency), currency)
  for (const [name, member] of Object.entries(value)) {
    assert.ok(typeof member !== 'number' || Number.isInteger(member), `${name} is ${member}`)
    if (!amounts.test(name) || typeof member !== 'string') assertMoney(member, currency)
    else assert.equal(member.split('.')[1]?.length ?? 0, decimalsOf(currency), `${name} ${member} ${currency}`)
  }
}

/** Invariant 19: once the sweep is idle nothing that is due is left. */
export async function assertSwept({ database, organization: { id }, clock }: TestService): Promise<void> {
  const now = new Date(clock.now()).toISOString()
  const due = await database.database.transaction({ role: 'app', organization_id: id, read_only: true }, (tx) =>
    tx.rows(sql`
      select kind, due_at from timers
      where organization_id = ${id} and fired_at is null and cancelled_at is null and due_at <= ${now}`),
  )
  assert.deepEqual(due, [])
}

/** Invariant 22: as many lines of the audit log as changes that were made, and every event is what its type says. */
export async function assertTold(t: TestService, changes_made: number): Promise<void> {
  const { id } = t.organization
  const row = await t.database.database.transaction({ role: 'app', organization_id: id, read_only: true }, (tx) =>
    tx.row<{ lines: number }>(sql`
      select count(*)::int as lines from audit_entries
      where organization_id = ${id} and actor ->> 'kind' <> 'system' and action not in ('organizations.update', 'departments.update')`),
  )
  assert.equal(row?.lines, changes_made, 'lines of the audit log')
  for (const { event_type, resource } of await t.takeEvents(id)) {
    const type = t.runtime.registry.events.get(event_type)
    assert.ok(type, event_type)
    for (const entry of resource) assert.deepEqual(type.checkEntry(entry), [], event_type)
  }
}

export type Rows = ReadonlyMap<string, Body>

/** Invariant 24: pages of any size give each row once and in order. Answers all rows by list and id. */
export async function walkAll(t: TestService, limit: number): Promise<Rows> {
  const all = new Map<string, Body>()
  for (const list of lists) {
    const found: Body[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { status, body } = await t.call('GET', list, { query: { limit, ...(cursor && { cursor }) } })
      assert.equal(status, 200, JSON.stringify(body))
      assertMoney(body.data)
      found.push(...body.data)
      if (!body.has_more) assert.equal(found.length, body.total_count, list)
      cursor = body.cursor
    }
    const places = found.map(({ created_at, id }) => `${created_at} ${id}`)
    assert.deepEqual(places, places.toSorted().toReversed(), `${list} is not in order`)
    assert.equal(new Set(places).size, places.length, `${list} shows a row twice`)
    for (const row of found) all.set(`${list}/${row.id}`, row)
  }
  return all
}

/** Invariant 24: what was written since is found under its old `updated_at`. */
export async function assertUpdated(t: TestService, before: Rows, after: Rows): Promise<void> {
  for (const [path, row] of after) {
    const { updated_at: old } = before.get(path) ?? {}
    if (old === undefined || JSON.stringify(before.get(path)) === JSON.stringify(row)) continue
    const [, list = ''] = /^(.*)\/[^/]+$/.exec(path) ?? []
    const { body } = await t.call('GET', list, { query: { updated_after: old, limit: 100 } })
    assert.ok(
      body.total_count > 100 || body.data.some(({ id }: Body) => id === row.id),
      `${path} changed and is not found after ${old}: ${JSON.stringify([before.get(path), row])}`,
    )
  }
}

/** Invariant 9: what an invoice says stays as it was issued, but for how far it has come. */
export function assertIssued(before: Rows, after: Rows): void {
  const issued = (row: Body) => Object.entries(row).filter(([field]) => !progress.has(field))
  for (const [path, row] of before) {
    if (path.startsWith('/invoices/')) assert.deepEqual(issued(after.get(path)), issued(row), path)
  }
}
const progress = new Set('status is_overdue paid_at cancelled_at cancel_reason payment_id updated_at'.split(' '))

/** Invariant 25: for another organization no row of these is there. */
export async function assertForeign(t: TestService, token: string, rows: Rows): Promise<void> {
  for (const list of lists) assert.equal((await t.call('GET', list, { token })).body.total_count, 0, list)
  for (const path of rows.keys()) {
    const missing = path.replace(/[^/]+$/, '019b8d64-0a80-7b16-95d1-c27e4f80a3b9')
    const [foreign, none] = await Promise.all([path, missing].map((each) => t.call('GET', each, { token })))
    const told = [foreign, none].map((each) => [each?.status, each?.body.code, each?.body.detail])
    assert.deepEqual(told[0], told[1])
    assert.equal(foreign?.status, 404, path)
  }
}
