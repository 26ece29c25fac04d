import { useState } from 'react'
import type { InvoicesListInput, InvoiceWithoutLines } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { Filters, RangeFilter, SearchFilter, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { ContractFilter } from '../contract-filter.tsx'
import '../../styles/money.css'
import { Amount } from '../amount.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { PayDialog } from '../payments/pay-dialog.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { InvoiceBadges } from './invoice-badges.tsx'
import { PayBar } from './pay-bar.tsx'

/** The views of the list, by their words in the address. */
const views: Record<string, { words: string; query: InvoicesListInput }> = {
  pending: { words: 'Pending', query: { statuses: ['pending'] } },
  overdue: { words: 'Overdue', query: { is_overdue: true } },
  processing: { words: 'Processing', query: { statuses: ['processing'] } },
  paid: { words: 'Paid', query: { statuses: ['paid'] } },
  cancelled: { words: 'Cancelled', query: { statuses: ['cancelled'] } },
  off_cycle: { words: 'Off-cycle', query: { is_off_cycle: true } },
}
const options = [
  { value: '', words: 'All invoices' },
  ...Object.entries(views).map(([value, { words }]) => ({ value, words })),
]

/** Every demand for payment; those that are pending are chosen here and paid together. */
export function InvoicesPage() {
  const { can } = useMe()
  const filters = useFilters(['show', 'contract', 'number', 'from', 'to'])
  const list = useList(stint.invoices.list, {
    ...views[filters.one('show') ?? '']?.query,
    contract_id: filters.one('contract'),
    number: filters.one('number'),
    issue_date_from: filters.one('from'),
    issue_date_to: filters.one('to'),
  })
  const [chosen, setChosen] = useState<readonly InvoiceWithoutLines[]>([])
  const [open, setOpen] = useState<'pay' | 'export' | null>(null)
  const mayWrite = can('accounting:write')
  const isChosen = ({ id }: InvoiceWithoutLines) => chosen.some((one) => one.id === id)
  const choice: Column<InvoiceWithoutLines> = {
    ...{ head: 'Choose', look: 'choice' },
    cell: (row) =>
      row.status === 'pending' ? (
        <input
          type="checkbox"
          aria-label={`Choose ${row.number}`}
          checked={isChosen(row)}
          onChange={({ currentTarget }) =>
            setChosen(currentTarget.checked ? [...chosen, row] : chosen.filter(({ id }) => id !== row.id))
          }
        />
      ) : null,
  }
  return (
    <>
      <PageTitle
        title="Invoices"
        lead={<p>What is owed to workers. A payment cycle issues its invoice by itself when it closes.</p>}
        actions={
          <>
            <Button look="secondary" onClick={() => setOpen('export')}>
              Export…
            </Button>
            <Link className="button secondary" to="/invoices/cycles">
              Payment cycles
            </Link>
            {mayWrite ? (
              <Link className="button primary" to="/invoices/new" aria-keyshortcuts="c">
                New invoice
              </Link>
            ) : null}
          </>
        }
      />
      <Filters count={filters.count}>
        <SelectFilter name="show" label="Show" options={options} />
        <SearchFilter name="number" label="Number" placeholder="INV-2026-000001" />
        <ContractFilter />
        <RangeFilter label="Issued" from="from" to="to" />
      </Filters>
      {mayWrite ? (
        <PayBar chosen={chosen} shown={list.rows ?? []} onChange={setChosen} onPay={() => setOpen('pay')} />
      ) : null}
      <List
        list={list}
        label="Invoices"
        one="invoice"
        columns={mayWrite ? [choice, ...columns] : columns}
        isPale={({ status }) => status === 'cancelled'}
        clearFilters={filters.clear}
        empty={<NoInvoice />}
      />
      {open === 'pay' ? (
        <PayDialog invoice_ids={chosen.map(({ id }) => id)} onClose={() => setOpen(null)} />
      ) : open === 'export' ? (
        <ExportDialog
          title="Export invoices"
          text="One row per line of every invoice that was issued in these days, cancelled ones included."
          path="/invoices/export"
          read={stint.invoices.export}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </>
  )
}

const columns: readonly Column<InvoiceWithoutLines>[] = [
  {
    ...{ head: 'Invoice', look: 'main' },
    cell: ({ id, number, supplier, worker_email }) => (
      <>
        <Link to={`/invoices/${id}`}>{number}</Link>
        <span className="under">
          <bdi>{supplier.name}</bdi> · <bdi>{worker_email}</bdi>
        </span>
      </>
    ),
  },
  { head: 'Status', cell: (invoice) => <InvoiceBadges invoice={invoice} /> },
  { head: 'Issued', cell: ({ issue_date }) => <Day value={issue_date} /> },
  { head: 'Due', cell: ({ due_date }) => <Day value={due_date} /> },
  {
    ...{ head: 'Total', look: 'number' },
    cell: ({ total, currency }) => <Amount amount={total} currency={currency} />,
  },
]

function NoInvoice() {
  return (
    <>
      <h2>No invoice yet</h2>
      <p>
        Each active contract has payment cycles. When one closes, its pay, approved timesheets and adjustments become an
        invoice here.
      </p>
      <p className="actions">
        <Link className="button primary" to="/invoices/cycles">
          Look at the payment cycles
        </Link>
      </p>
    </>
  )
}
