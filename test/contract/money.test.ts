import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { events } from '#boot/operations.ts'
import { sql } from '#db/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { everyOperation, plain, type Schema } from './derived/every-operation.ts'

// No amount passes through binary floating point between the wire and the database.

let own: TestDatabase
before(async () => {
  own = await createTestDatabase()
})
after(() => own.drop())

const root = new URL('../../', import.meta.url).pathname
const rooms = [
  'resources/**',
  'core/values.ts',
  'core/csv.ts',
  'core/table.ts',
  'core/resource.ts',
  'core/json.ts',
  'db/rows.ts',
]
const floating =
  /parseFloat|toFixed|toPrecision|\bNumber\b|Math\.|Type\.Number|::(float|real|double)|\bdouble precision\b|to_number/

/** Files that reckon with something else than money too, each with the lines that do. */
const of_no_money: Record<string, { why: string; lines: RegExp }> = {
  'amendments/draft-amendment.ts': { why: 'counts versions', lines: /Number\(proposes\)/ },
  'contracts/cycle-calendar.ts': { why: 'counts days', lines: /daysBetween|weekdayOf|\bday\b/ },
  'invoices/compose.ts': { why: 'counts days, compares texts', lines: /days|Number\(a > b\)/ },
  'invoices/issue-invoice.ts': { why: 'reads the year of a date', lines: /slice\(0, 4\)/ },
  'invoices/pdf.ts': { why: 'places words on a page', lines: /ends|heights/ },
  'core/values.ts': { why: 'reads times and IBANs, cuts e-mail addresses', lines: /at_ms|email|parseInt\(sign, 36\)/ },
  'time-offs/days.ts': { why: 'reads the year of a date', lines: /slice\(0, 4\)/ },
  'request-logs/keep-requests.ts': {
    why: 'reads times and lengths',
    lines: /at_ms|duration_ms|content-length|POSITIVE_INFINITY/,
  },
  'audit/audit-batch.ts': { why: 'counts entries', lines: /entries_total/ },
  'audit/check-chain.ts': { why: 'compares times', lines: /at_ms/ },
  'audit/seal-entries.ts': { why: 'compares times', lines: /at_ms/ },
  'audit/seal.store.ts': { why: 'counts entries and seconds', lines: /entries_total|lag_s/ },
  'custom-fields/check-values.ts': { why: 'custom numbers are no money', lines: /Type\.Number/ },
}
const isOfNoMoney = (path: string, line: string) =>
  Object.entries(of_no_money).some(([name, { lines }]) => path.endsWith(name) && lines.test(line))

test('no source that amounts pass through reckons with floating point', async () => {
  const faults: string[] = []
  for (const room of rooms) {
    for await (const path of glob(`server/${room.endsWith('**') ? `${room}/*.ts` : room}`, { cwd: root })) {
      if (path.endsWith('.test.ts')) continue
      const lines = (await readFile(`${root}${path}`, 'utf8')).split('\n')
      const found = lines.filter((line) => floating.test(line) && !isOfNoMoney(path, line))
      faults.push(...found.map((line) => `${path}: ${line.trim()}`))
    }
  }
  assert.deepEqual(faults, [])
})

test('no column of the database holds floating point, but for durations', async () => {
  const columns = await own.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ name: string }>(sql`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type in ('real', 'double precision', 'money')
        and column_name not like '%_ms' order by 1`),
  )
  assert.deepEqual(columns, [])
})

test('no input, answer or event takes or shows a number that is not whole', () => {
  const schemas: [string, Schema][] = [
    ...everyOperation.flatMap(({ id, input, output }): [string, Schema][] => [
      [`${id} input`, plain(input)],
      [`${id} output`, plain(output)],
    ]),
    ...events.map(({ type, entry }): [string, Schema] => [type, plain(entry)]),
  ]
  // A delivery tells durations.
  const of_money = schemas.filter(([name]) => !name.startsWith('webhooks.get_delivery'))
  const faults = of_money.filter(([, schema]) => JSON.stringify(schema).includes('"type":"number"'))
  assert.deepEqual(
    faults.map(([name]) => name),
    [],
  )
})
