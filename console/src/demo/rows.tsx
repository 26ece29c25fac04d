import { List } from '../components/list.tsx'
import { Money } from '../components/money.tsx'
import { SchemaTree } from '../components/schema-tree.tsx'
import { Status } from '../components/status.tsx'
import { type Column, Table } from '../components/table.tsx'
import type { Listed } from '../lib/use-answer.ts'
import type { Demos } from './main.tsx'
import { refusal } from './words.tsx'

interface Row {
  id: string
  name: string
  status: string
  amount: string
}

const columns: readonly Column<Row>[] = [
  { ...{ head: 'Contract', look: 'main' }, cell: ({ name }) => <strong>{name}</strong> },
  { head: 'Status', cell: ({ status }) => <Status value={status} /> },
  { ...{ head: 'Rate', look: 'number' }, cell: ({ amount }) => <Money amount={amount} currency="EUR" /> },
]
const of = (count: number): Row[] =>
  Array.from({ length: count }, (_, place) => ({
    ...{ id: String(place), name: `Support desk ${place + 1}`, amount: '4200.00' },
    status: ['active', 'pending', 'terminated'][place % 3] ?? 'active',
  }))

const nothing = () => undefined
const list = (more: Partial<Listed<Row>>): Listed<Row> => ({
  ...{ rows: [], total: 0, has_more: false, cursor: null, error: null, isLoading: false },
  ...{ reload: nothing, more: async () => undefined, put: nothing, add: nothing },
  ...more,
})
const parts = { one: 'contract', columns, empty: <p>No contract yet.</p> }

export const rows: Demos = {
  list: (
    <div className="stack">
      <List {...parts} label="Waiting" list={list({ rows: null })} />
      <List {...parts} label="Failed" list={list({ rows: null, error: refusal(500, 'internal', 'It went wrong.') })} />
      <List {...parts} label="Empty" list={list({})} />
      <List {...parts} label="Filtered to nothing" list={list({})} clearFilters={nothing} />
      <List {...parts} label="Some of many" list={list({ rows: of(3), total: 120, has_more: true })} />
    </div>
  ),
  'schema-tree': (
    <SchemaTree
      label="fields"
      schema={{
        required: ['contract_id'],
        properties: {
          contract_id: { type: 'string', format: 'uuid', description: 'Id of the contract.' },
          status: { enum: ['pending', 'active'] },
          worker: { type: 'object', properties: { email: { type: 'string', 'x-sensitive': 'personal_identifiers' } } },
        },
      }}
    />
  ),
  table: <Table label="Contracts" columns={columns} rows={of(3)} isPale={({ status }) => status === 'terminated'} />,
}
