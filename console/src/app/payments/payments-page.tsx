import type { Payment, PaymentsListInput } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Filters, RangeFilter, SearchFilter, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { statusWords } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { countOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { Amount } from '../amount.tsx'
import { ContractFilter } from '../contract-filter.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { PaymentStatus } from './payment-status.tsx'

const statuses = ['pending_approval', 'processing', 'completed', 'failed', 'cancelled'] as const
const options = [
  { value: '', words: 'All payments' },
  ...statuses.map((value) => ({ value, words: statusWords(value) })),
]

/** Money on its way to workers, and what became of it. */
export function PaymentsPage() {
  const filters = useFilters(['status', 'contract', 'own-id', 'from', 'to'])
  const status = statuses.find((one) => one === filters.one('status'))
  const query: PaymentsListInput = {
    statuses: status && [status],
    contract_id: filters.one('contract'),
    external_id: filters.one('own-id'),
    created_from: filters.one('from'),
    created_to: filters.one('to'),
  }
  const list = useList(stint.payments.list, query)
  const { can } = useMe()
  return (
    <>
      <PageTitle
        title="Payments"
        lead={<p>Each pays one or more invoices of one currency.</p>}
        actions={
          can('accounting:write') ? (
            <Link className="button primary" to="/invoices?show=pending">
              Choose invoices to pay
            </Link>
          ) : null
        }
      />
      <Filters count={filters.count}>
        <SelectFilter name="status" label="Show" options={options} />
        <SearchFilter name="own-id" label="Own id" />
        <ContractFilter />
        <RangeFilter label="Made" from="from" to="to" />
      </Filters>
      <List
        list={list}
        label="Payments"
        one="payment"
        columns={columns}
        isPale={({ status }) => status === 'cancelled'}
        clearFilters={filters.clear}
        empty={
          <>
            <h2>No payment yet</h2>
            <p>Choose pending invoices and pay them together; what became of each payment is seen here.</p>
          </>
        }
      />
    </>
  )
}

const columns: readonly Column<Payment>[] = [
  {
    ...{ head: 'Payment', look: 'main' },
    cell: ({ id, number, reference, external_id }) => (
      <>
        <Link to={`/payments/${id}`}>{number}</Link>
        <span className="under">
          <bdi>{[external_id, reference].filter(Boolean).join(' · ')}</bdi>
        </span>
      </>
    ),
  },
  {
    head: 'Status',
    cell: (payment) => (
      <>
        <PaymentStatus payment={payment} />
        {payment.failure_reason !== null ? (
          <span className="under">
            <bdi>{payment.failure_reason}</bdi>
          </span>
        ) : null}
      </>
    ),
  },
  { head: 'Pays', cell: ({ invoices }) => countOf(invoices.length, 'invoice') },
  {
    head: 'Made',
    cell: ({ created_at, created_by }) => (
      <>
        <Moment at={created_at} />
        <span className="under">
          <bdi>{created_by.name}</bdi>
        </span>
      </>
    ),
  },
  { head: 'Value date', cell: ({ value_date }) => <Day value={value_date} /> },
  {
    ...{ head: 'Total', look: 'number' },
    cell: ({ total, currency }) => <Amount amount={total} currency={currency} />,
  },
]
