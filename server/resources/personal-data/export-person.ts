import type { TObject } from 'typebox'
import { defineOperation } from '#core/operation.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { amendment } from '#resources/amendments/index.ts'
import { contract } from '#resources/contracts/index.ts'
import { invoiceAdjustment } from '#resources/invoice-adjustments/index.ts'
import { invoice } from '#resources/invoices/index.ts'
import { person } from '#resources/people/index.ts'
import { timeOff } from '#resources/time-offs/index.ts'
import { timesheet } from '#resources/timesheets/index.ts'

/** Forty years of weekly timesheets. Nobody's own work is more; what somebody else enters must not fill the memory. */
const rows_max = 2_000

interface Noun<Answer extends TObject, Row> {
  readonly table: string
  readonly columns: Sql
  readonly tables: Sql
  readonly answer: Answer
  show(row: Row): object
}

/** The rows of a noun that are about a person; `whose` is the column that says so. */
const about = <Answer extends TObject, Row>(noun: Noun<Answer, Row>, whose: string) => ({
  schema: Type.Array(noun.answer),
  async read(tx: Transaction, organization_id: string, id: string) {
    const { table, tables, columns, show } = noun
    const rows = await tx.rows<Row & object>(sql`
      select ${columns} from ${tables} where ${raw(`${table}.organization_id`)} = ${organization_id} and ${raw(whose)} = ${id}
      order by ${raw(`${table}.created_at, ${table}.id`)} limit ${rows_max + 1}`)
    return rows.map(show)
  },
})

const kinds = {
  contracts: about(contract, 'contracts.worker_id'),
  amendments: about(amendment, 'contract.worker_id'),
  timesheets: about(timesheet, 'timesheets.worker_id'),
  invoice_adjustments: about(invoiceAdjustment, 'invoice_adjustments.worker_id'),
  invoices: about(invoice, 'invoices.worker_id'),
  time_offs: about(timeOff, 'time_offs.person_id'),
}
type Kind = keyof typeof kinds
// The cast gives the keys their names back.
const names = Object.keys(kinds) as Kind[]

export const exportPerson = defineOperation({
  id: 'people.export',
  summary: 'Export the personal data of a person',
  description: `All that is kept about one person in one document, oldest first, also of somebody who was removed. Fields whose category you have not are null: a copy for the person needs all of them. Of each kind the first ${rows_max} rows are in it; \`incomplete\` names the kinds that have more, to be read by their lists.`,
  method: 'GET',
  path: '/people/:person_id/personal-data',
  scopes: [
    ...(['people:read', 'contracts:read', 'timesheets:read', 'invoice-adjustments:read'] as const),
    ...(['accounting:read', 'time-off:read'] as const),
  ],
  input: Closed(person.path),
  output: Type.Object({
    person: person.answer,
    ...(Object.fromEntries(names.map((name) => [name, kinds[name].schema])) as {
      [Name in Kind]: (typeof kinds)[Name]['schema']
    }),
    incomplete: Type.Array(Type.Enum(names)),
  }),

  async handle({ person_id: id }, { caller: { organization_id }, tx }) {
    const row = await person.getRemovedToo(tx, { organization_id, id })
    const read = await Promise.all(names.map((name) => kinds[name].read(tx, organization_id, id)))
    const found = names.map((name, place) => [name, read[place] ?? []] as const)
    return {
      person: person.show(row),
      // The cast holds because each kind is read as its own noun shows it.
      ...(Object.fromEntries(found.map(([name, rows]) => [name, rows.slice(0, rows_max)])) as Record<Kind, never[]>),
      incomplete: found.filter(([, rows]) => rows.length > rows_max).map(([name]) => name),
    }
  },
})
