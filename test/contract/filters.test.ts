import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, freeFields, holdsFor, isList, plain, type Schema } from './derived/every-operation.ts'
import { type FilledList, filledList, idOf, type Row } from './derived/list-rows.ts'

const { service } = await contractService()

/** A value to filter by and which rows it keeps. */
interface Filter {
  value: string
  keeps(row: Row): boolean
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Filters that mean something else than their name and schema say. */
const special: Record<string, (rows: readonly Row[]) => Filter[]> = {
  updated_after: (rows) =>
    splitAt(
      rows,
      ['updated_at', 'sealed_at'].find((field) => rows.some((row) => row[field])) ?? 'occurred_at',
      (own, value) => own > value,
    ),
  since: (rows) => splitAt(rows, 'created_at', (own, value) => own >= value),
  until: (rows) => splitAt(rows, 'created_at', (own, value) => own < value),
  expiring_before: (rows) => splitAt(rows, 'expires_at', (own, value) => own !== '' && own < value),
  unused_since: (rows) => splitAt(rows, 'created_at', (own, value) => own < value),
  from: (rows) => splitAt(rows, 'occurred_at', (own, value) => own >= value),
  to: (rows) => splitAt(rows, 'occurred_at', (own, value) => own <= value),
  batch_from: (rows) => splitAtNumber(rows, 'batch', (own, value) => own >= value),
  batch_to: (rows) => splitAtNumber(rows, 'batch', (own, value) => own <= value),
  start: () => [
    { value: 'oldest', keeps: () => true },
    { value: 'latest', keeps: () => false },
  ],
  'events.list resource_id': (rows) =>
    rows.map((found) => {
      const [id = ''] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(JSON.stringify(resourceOf(found))) ?? []
      return { value: id, keeps: (row) => JSON.stringify(resourceOf(row)).includes(`"${id}"`) }
    }),
  include_deleted: () => [
    { value: 'true', keeps: () => true },
    { value: 'false', keeps: (row) => row.deleted_at === null },
  ],
  date_from: (rows) => splitAt(rows, fieldOf(rows, 'end_date'), (own, value) => own >= value),
  date_to: (rows) => splitAt(rows, fieldOf(rows, 'start_date'), (own, value) => own <= value),
  search: (rows) =>
    rows.map((found) => {
      const words = (row: Row) => text(row.worker_email ?? row.email ?? row.name).toLowerCase()
      return { value: words(found), keeps: (row) => words(row) === words(found) }
    }),
}

/** The entries of an event. */
const resourceOf = ({ data }: Row) => Object(data).resource ?? []

/** Rows with two dates are found by their ends, rows with one by that. */
function fieldOf(rows: readonly Row[], end: 'start_date' | 'end_date'): string {
  return rows.some((row) => end in row) ? end : 'date'
}

/** Filters without effect or with one row only, each with its reason. */
const without_rows: Record<string, string> = {
  'payments.get_breakdown updated_after': 'its rows are computed',
  'organizations.list updated_after': 'a token sees its own organization only',
  'time_offs.list_entitlements updated_after': 'balances are computed',
  'time_offs.list_entitlements year': 'every policy has a balance in every year',
  'worker.list_time_off_entitlements updated_after': 'balances are computed',
  'worker.list_time_off_entitlements year': 'every policy has a balance in every year',
  'lookups.countries updated_after': 'constant',
  'lookups.currencies updated_after': 'constant',
  'lookups.time_zones updated_after': 'constant',
  'webhooks.list_event_types updated_after': 'the types are part of the program',
  'webhooks.list_signing_keys updated_after': 'a key is not changed',
}

const lists = everyOperation.filter(isList)

test('every filter of every list keeps the rows that match and no others', () =>
  holdsFor(lists, async (operation) => {
    const list = await filledList(service, operation)
    const broken: string[] = []
    for (const name of freeFields(operation).filter((field) => field !== 'cursor' && field !== 'limit')) {
      if (`${operation.id} ${name}` in without_rows) continue
      await holds(operation, list, name).catch((error: Error) => broken.push(`${name}: ${error.message}`))
    }
    assert.deepEqual(broken, [])
  }))

/** Each value of a filter that some row has is tried; one keeps rows, and one leaves rows out. */
async function holds(operation: Operation, { t, path, token, rows }: FilledList, name: string): Promise<void> {
  const schema = (plain(operation.input).properties as Record<string, Schema>)[name] ?? {}
  const make =
    special[`${operation.id} ${name}`] ?? special[name] ?? ((all: readonly Row[]) => byValue(all, name, schema))
  const visible = (row: Row) => name === 'include_deleted' || !row.deleted_at
  const filters = make(rows)
  let keeps_some = false
  let leaves_some = false
  for (const { value, keeps } of filters) {
    const expected = rows.filter((row) => visible(row) && keeps(row))
    const { status, body } = await t.call('GET', path, { token, query: { limit: 100, [name]: value } })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.data.map(idOf), expected.map(idOf), `${name}=${value}`)
    assert.equal(body.total_count, expected.length, `${name}=${value}`)
    keeps_some ||= expected.length > 0
    leaves_some ||= expected.length < rows.length
  }
  assert.ok(keeps_some && leaves_some, 'some row must match and some must not: give it such rows in list-rows.ts')
}

/** The filter that compares with the time of each row. */
function splitAt(rows: readonly Row[], field: string, keeps: (own: string, value: string) => boolean): Filter[] {
  const times = rows.map((row) => text(row[field])).filter(Boolean)
  return times.map((value) => ({ value, keeps: (row) => keeps(text(row[field]), value) }))
}

/** The same with a number; a row without one matches nothing. */
function splitAtNumber(rows: readonly Row[], field: string, keeps: (own: number, value: number) => boolean): Filter[] {
  const numbers = rows.map((row) => row[field]).filter((value) => typeof value === 'number')
  return numbers.map((value) => ({
    value: String(value),
    keeps: ({ [field]: own }) => typeof own === 'number' && keeps(own, value),
  }))
}

function byValue(rows: readonly Row[], name: string, { type }: Schema): Filter[] {
  if (name.endsWith('_from')) return splitAt(rows, name.slice(0, -5), (own, value) => own >= value)
  if (name.endsWith('_to')) return splitAt(rows, name.slice(0, -3), (own, value) => own <= value)
  if (type === 'boolean')
    return ['true', 'false'].map((value) => ({ value, keeps: (row) => String(row[name]) === value }))
  const field = type === 'array' ? singular(name) : name
  const values = new Set(rows.flatMap((row) => valuesIn(row, field)))
  return [...values].map((value) => ({ value, keeps: (row) => valuesIn(row, field).includes(value) }))
}

const singular = (name: string) =>
  name.endsWith('statuses') ? name.slice(0, -2) : name.replace(/ies$/, 'y').replace(/s$/, '')

/** The values that a row has under a name: its own, that of a reference, or one inside an object of it. */
function valuesIn(row: Row, field: string): string[] {
  const own = row[field]
  if (typeof own === 'string') return [own]
  const reference = row[field.replace(/_id$/, '')] ?? row[field.replace(/_id$/, 's')]
  if (field.endsWith('_id') && reference) return [reference].flat().map((each) => text((each as Row).id))
  return Object.values(row).flatMap((inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? valuesIn(inner as Row, field) : [],
  )
}
