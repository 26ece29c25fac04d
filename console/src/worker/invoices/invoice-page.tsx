import type { Invoice } from '#sdk/index.ts'
import { PageTitle } from '../../app/frame.tsx'
import { Period } from '../../app/work-items/period.tsx'
import { Day } from '../../components/date.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Money } from '../../components/money.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'

const back = { to: '/worker/invoices', words: 'Invoices' }

export function InvoicePage({ id }: { id: string }) {
  const { value, error, reload } = useAnswer(stint.worker.get_invoice, { invoice_id: id })
  if (value) return <OneInvoice invoice={value} />
  if (!error) return <Skeleton rows={6} />
  const isNone = error.status === 404
  return (
    <>
      <PageTitle title={isNone ? 'There is no such invoice' : 'Invoice'} back={back} />
      {isNone ? <p>You see your own invoices only.</p> : <Failed error={error} reload={reload} />}
    </>
  )
}

function OneInvoice({ invoice }: { invoice: Invoice }) {
  const { number, status, is_overdue, currency, lines, cancel_reason, contract_id } = invoice
  const hasHours = lines.some(({ type }) => type === 'timesheet')
  const { value: contract } = useAnswer(stint.worker.get_contract, hasHours ? { contract_id } : null)
  return (
    <>
      <PageTitle
        title={number}
        back={back}
        beside={<Status value={is_overdue ? 'overdue' : status} />}
        actions={
          <DownloadButton read={() => stint.worker.get_invoice_pdf({ invoice_id: invoice.id })}>
            Download PDF
          </DownloadButton>
        }
      />
      <Facts>
        <Fact name="Billed to">
          <bdi>{invoice.customer.name}</bdi>
        </Fact>
        {invoice.period_start && invoice.period_end ? (
          <Fact name="Period">
            <span>
              <Day value={invoice.period_start} /> – <Day value={invoice.period_end} />
            </span>
          </Fact>
        ) : null}
        <Fact name="Issued">
          <Day value={invoice.issue_date} />
        </Fact>
        <Fact name={invoice.paid_at ? 'Paid' : 'Due'}>
          {invoice.paid_at ? <Moment at={invoice.paid_at} /> : <Day value={invoice.due_date} />}
        </Fact>
        {cancel_reason ? (
          <Fact name="Cancelled because">
            <bdi>{cancel_reason}</bdi>
          </Fact>
        ) : null}
      </Facts>
      <Table label="Lines" columns={columnsIn(currency, contract?.compensation.scale ?? null)} rows={lines} />
      <div className="totals">
        <Facts>
          <Fact name="Subtotal">
            <Money amount={invoice.subtotal} currency={currency} />
          </Fact>
          <Fact name={invoice.vat_rate === null ? 'VAT' : `VAT ${invoice.vat_rate} %`}>
            {invoice.reverse_charge ? 'reverse charge' : <Money amount={invoice.vat_total} currency={currency} />}
          </Fact>
          <Fact name="Total">
            <strong>
              <Money amount={invoice.total} currency={currency} />
            </strong>
          </Fact>
        </Facts>
      </div>
    </>
  )
}

type Line = Invoice['lines'][number]

/** `scale`: whether timesheets count hours or days. */
const columnsIn = (currency: string, scale: string | null): readonly Column<Line>[] => [
  {
    ...{ head: 'What', look: 'main' },
    cell: ({ description, type, period_start, period_end }) => (
      <>
        <bdi>{description}</bdi>
        <span className="under">
          {wordsOf(type)}
          {period_start ? (
            <>
              {' · '}
              <Period start={period_start} end={period_end ?? period_start} />
            </>
          ) : null}
        </span>
      </>
    ),
  },
  {
    ...{ head: 'Quantity', look: 'number' },
    cell: ({ quantity, type }) => (type === 'timesheet' && scale ? `${quantity} ${unitOf(scale, quantity)}` : quantity),
  },
  {
    ...{ head: 'Price', look: 'number' },
    cell: ({ unit_price }) => <Money amount={unit_price} currency={currency} />,
  },
  { ...{ head: 'Amount', look: 'number' }, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
]

function unitOf(scale: string, quantity: string): string {
  if (scale === 'hourly') return 'h'
  return quantity === '1' ? 'day' : 'days'
}
