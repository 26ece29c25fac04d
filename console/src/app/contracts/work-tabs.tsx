import type { Contract, InvoiceAdjustment, PaymentCycle, Timesheet } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Day } from '../../components/date.tsx'
import { List } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'

interface TabProps {
  contract: Contract
}

/** An amount that a role may not see says so. */
function Amount({ amount, currency }: { amount: string | null; currency: string }) {
  const { sees } = useMe()
  return <Money amount={amount} currency={currency} isWithheld={!sees('compensation')} />
}

function Span({ start, end }: { start: string; end: string }) {
  return start === end ? (
    <Day value={start} />
  ) : (
    <>
      <Day value={start} /> – <Day value={end} />
    </>
  )
}

function InvoiceLink({ id }: { id: string | null }) {
  const { can } = useMe()
  if (id === null) return <span className="none">–</span>
  return can('accounting:read') ? <Link to={`/invoices/${id}`}>Invoice</Link> : <span>Invoiced</span>
}

export function TimesheetsTab({ contract: { id: contract_id, type } }: TabProps) {
  const list = useList(stint.timesheets.list, { contract_id })
  const isTaken = type === 'pay_as_you_go'
  return (
    <List
      list={list}
      label="Timesheets of the contract"
      one="timesheet"
      columns={timesheet_columns}
      empty={
        <>
          <h2>{isTaken ? 'No timesheet yet' : 'Only pay as you go contracts take timesheets'}</h2>
          <p>
            {isTaken
              ? 'Reported hours or days appear here; what is approved goes on the invoice of its period.'
              : 'This one is paid by its terms, and by adjustments.'}
          </p>
        </>
      }
    />
  )
}

const timesheet_columns: readonly Column<Timesheet>[] = [
  {
    ...{ head: 'Work', look: 'main' },
    cell: ({ id, description, start_date, end_date }) => (
      <>
        <Link to={`/timesheets?view=all&open=${id}`}>
          <Span start={start_date} end={end_date} />
        </Link>
        <span className="under">
          <bdi>{description}</bdi>
        </span>
      </>
    ),
  },
  { head: 'Status', cell: ({ status }) => <Status value={status} /> },
  {
    ...{ head: 'Quantity', look: 'number' },
    cell: ({ quantity, scale }) => `${quantity} ${scale === 'hourly' ? 'h' : 'd'}`,
  },
  {
    ...{ head: 'Amount', look: 'number' },
    cell: ({ total_amount, currency }) => <Amount amount={total_amount} currency={currency} />,
  },
  { head: 'Invoice', cell: ({ invoice_id }) => <InvoiceLink id={invoice_id} /> },
]

export function AdjustmentsTab({ contract: { id: contract_id, type } }: TabProps) {
  const list = useList(stint.invoice_adjustments.list, { contract_id })
  return (
    <List
      list={list}
      label="Adjustments of the contract"
      one="adjustment"
      columns={adjustment_columns}
      empty={
        <>
          <h2>{type === 'employee' ? 'Employee contracts take no adjustments' : 'No adjustment yet'}</h2>
          <p>
            {type === 'employee'
              ? 'Their payroll runs elsewhere.'
              : 'Bonuses, expenses and deductions appear here; what is approved goes on the next invoice.'}
          </p>
        </>
      }
    />
  )
}

const adjustment_columns: readonly Column<InvoiceAdjustment>[] = [
  {
    ...{ head: 'Adjustment', look: 'main' },
    cell: ({ id, type, description, is_recurring }) => (
      <>
        <Link to={`/adjustments?view=all&open=${id}`}>{wordsOf(type)}</Link>{' '}
        {is_recurring ? <Badge>recurring</Badge> : null}
        <span className="under">
          <bdi>{description}</bdi>
        </span>
      </>
    ),
  },
  { head: 'Status', cell: ({ status }) => <Status value={status} /> },
  { head: 'Date', cell: ({ date }) => <Day value={date} /> },
  {
    ...{ head: 'Amount', look: 'number' },
    cell: ({ amount, currency, type }) => (
      <>
        {type === 'deduction' && amount !== null ? '−' : ''}
        <Amount amount={amount} currency={currency} />
      </>
    ),
  },
  { head: 'Invoice', cell: ({ invoice_id }) => <InvoiceLink id={invoice_id} /> },
]

export function CyclesTab({ contract: { id: contract_id, type } }: TabProps) {
  const list = useList(stint.payment_cycles.list, { contract_id })
  return (
    <List
      list={list}
      label="Payment cycles of the contract"
      one="cycle"
      columns={cycle_columns}
      empty={
        <>
          <h2>{type === 'employee' ? 'Employee contracts have no payment cycles' : 'No payment cycle yet'}</h2>
          <p>
            {type === 'employee'
              ? 'Their payroll runs elsewhere.'
              : 'The first ones appear when both have signed. Each ends with an invoice over what was earned in it.'}
          </p>
        </>
      }
    />
  )
}

const cycle_columns: readonly Column<PaymentCycle>[] = [
  {
    ...{ head: 'Period', look: 'main' },
    cell: ({ start_date, end_date }) => <Span start={start_date} end={end_date} />,
  },
  { head: 'Status', cell: ({ status }) => <Status value={status} /> },
  { head: 'Invoiced on', cell: ({ issue_date }) => <Day value={issue_date} /> },
  { head: 'Due', cell: ({ due_date }) => <Day value={due_date} /> },
  { head: 'Invoice', cell: ({ invoice_id }) => <InvoiceLink id={invoice_id} /> },
]
