import type { Payment, PaymentShare } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Withheld } from '../../components/withheld.tsx'
import { accountWords } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { Amount } from '../amount.tsx'

const kinds = {
  fixed_rate: 'Fixed rate',
  timesheets: 'Timesheets',
  bonus: 'Bonus',
  commission: 'Commission',
  overtime: 'Overtime',
  milestone: 'Milestone',
  expense: 'Expenses',
  deduction: 'Deductions',
  other: 'Other',
  vat_total: 'VAT',
} as const
type Kind = keyof typeof kinds
// The cast holds because the keys of a literal are its own.
const all_kinds = Object.keys(kinds) as Kind[]

/** The share of each worker, by invoice and kind of amount; kinds that nobody has are left out. */
export function Breakdown({ payment: { id, status } }: { payment: Payment }) {
  const list = useList(stint.payments.get_breakdown, { payment_id: id }, ({ invoice_id }) => invoice_id)
  const shown = all_kinds.filter((kind) => list.rows?.some((row) => isSome(row[kind])))
  return (
    <section className="breakdown" aria-labelledby="breakdown">
      <h2 id="breakdown">Who gets what</h2>
      <div className="wide-table">
        <List
          list={list}
          label="Breakdown"
          one="invoice"
          idOf={({ invoice_id }) => invoice_id}
          columns={[worker, ...(isToBePaid(status) ? [account] : []), invoice, ...shown.map(columnOf), total]}
          empty={<p>The payment has no invoice.</p>}
        />
      </div>
    </section>
  )
}

const isSome = (amount: string | null) => amount !== null && /[1-9]/.test(amount)

const worker: Column<PaymentShare> = {
  ...{ head: 'Worker', look: 'main' },
  cell: ({ worker_name, worker_id, worker_email }) => (
    <>
      <Link to={`/people/${worker_id}`}>
        <bdi>{worker_name}</bdi>
      </Link>
      <span className="under">
        <bdi>{worker_email}</bdi>
      </span>
    </>
  ),
}

/** Once the money has gone, the account of today says nothing of where it went. */
const isToBePaid = (status: Payment['status']) => status === 'pending_approval' || status === 'processing'

const account: Column<PaymentShare> = {
  head: 'Account',
  cell: ({ has_bank_account, bank_account, worker_id }) => {
    if (has_bank_account === null) return <Withheld />
    if (bank_account === null) {
      return (
        <>
          <Badge tone="danger">No bank account</Badge>
          <span className="under">
            <Link to={`/people/${worker_id}`}>Open the person</Link>
          </span>
        </>
      )
    }
    const { holder_name, bic, bank_name, currency } = bank_account
    return (
      <>
        <span className="account">{accountWords(bank_account)}</span>
        <span className="under">
          <bdi>{[holder_name, bic, bank_name, currency].filter(Boolean).join(' · ')}</bdi>
        </span>
      </>
    )
  },
}

const invoice: Column<PaymentShare> = {
  head: 'Invoice',
  cell: ({ invoice_id, number }) => <Link to={`/invoices/${invoice_id}`}>{number}</Link>,
}

const columnOf = (kind: Kind): Column<PaymentShare> => ({
  ...{ head: kinds[kind], look: 'number' },
  cell: (row) => (isSome(row[kind]) ? <Amount amount={row[kind]} currency={row.currency} /> : <None />),
})

const None = () => <span className="none">–</span>

const total: Column<PaymentShare> = {
  ...{ head: 'Total', look: 'number' },
  cell: ({ total, currency }) => (
    <strong>
      <Amount amount={total} currency={currency} />
    </strong>
  ),
}
