import { useState } from 'react'
import type { Invoice } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Withheld } from '../../components/withheld.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { PageTitle } from '../frame.tsx'
import { ContractName } from '../ledger/contract-name.tsx'
import { countryName } from '../lookup-field.tsx'
import { useMe } from '../me.tsx'
import { ObjectEvents } from '../object-events.tsx'
import { PayDialog } from '../payments/pay-dialog.tsx'
import { CancelInvoiceDialog } from './cancel-invoice-dialog.tsx'
import { InvoiceBadges } from './invoice-badges.tsx'
import { Lines } from './lines.tsx'

const back = { to: '/invoices', words: 'Invoices' }
const refreshed_every_ms = 10_000

export function InvoicePage({ id }: { id: string }) {
  const { value: invoice, error, reload, set } = useAnswer(stint.invoices.get, { invoice_id: id }, refreshed_every_ms)
  const { can } = useMe()
  const [open, setOpen] = useState<'pay' | 'cancel' | null>(null)
  if (!invoice) {
    return (
      <>
        <PageTitle title="Invoice" back={back} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
      </>
    )
  }
  const { number, status, supplier } = invoice
  const mayPay = can('accounting:write') && status === 'pending'
  return (
    <>
      <PageTitle
        title={number}
        back={back}
        beside={<InvoiceBadges invoice={invoice} />}
        actions={
          <>
            <DownloadButton read={() => stint.invoices.get_pdf({ invoice_id: id })}>Download PDF</DownloadButton>
            {mayPay ? <Button onClick={() => setOpen('pay')}>Pay…</Button> : null}
          </>
        }
        lead={
          <p>
            <bdi>{supplier.name}</bdi>, <DueWords invoice={invoice} />
          </p>
        }
      />
      {status === 'cancelled' ? (
        <Banner tone="info" title="This invoice was taken back">
          <p>
            <Moment at={invoice.cancelled_at} />: <bdi>{invoice.cancel_reason}</bdi>
          </p>
          <p>What it collected is approved again and can be invoiced anew.</p>
        </Banner>
      ) : null}
      <section className="panel" aria-label="Lines and sums">
        <Lines {...invoice} />
      </section>
      <Details invoice={invoice} />
      <ObjectEvents id={id} />
      {mayPay ? (
        <section className="danger-zone" aria-labelledby="take-back">
          <div>
            <h2 id="take-back">Take it back</h2>
            <p>A wrong invoice is cancelled, never changed. Its work is approved again, for another invoice.</p>
            <Button look="secondary" onClick={() => setOpen('cancel')}>
              Cancel invoice…
            </Button>
          </div>
        </section>
      ) : null}
      {open === 'pay' ? (
        <PayDialog invoice_ids={[id]} onClose={() => setOpen(null)} />
      ) : open === 'cancel' ? (
        <CancelInvoiceDialog invoice={invoice} onCancelled={set} onClose={() => setOpen(null)} />
      ) : null}
    </>
  )
}

function DueWords({ invoice: { status, due_date, paid_at, is_overdue } }: { invoice: Invoice }) {
  if (status === 'paid') {
    return (
      <>
        paid <Moment at={paid_at} />
      </>
    )
  }
  if (status === 'cancelled') return 'cancelled'
  return (
    <>
      {is_overdue ? 'was due on ' : 'due on '}
      <Day value={due_date} />
    </>
  )
}

function Details({ invoice }: { invoice: Invoice }) {
  const { id, contract_id, worker_id, worker_email, issue_date, due_date, period_start, period_end } = invoice
  const { payment_id, payment_cycle_id, supplier, customer } = invoice
  const { sees } = useMe()
  return (
    <section className="panel" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts>
        <Fact name="Contract">
          <ContractName id={contract_id} />
        </Fact>
        <Fact name="Worker">
          <Link to={`/people/${worker_id}`}>
            <bdi>{worker_email}</bdi>
          </Link>
        </Fact>
        {period_start !== null ? (
          <Fact name="Period">
            <Day value={period_start} /> to <Day value={period_end} />
            {payment_cycle_id !== null ? (
              <Link to={`/invoices/cycles/${payment_cycle_id}?contract=${contract_id}`}>Payment cycle</Link>
            ) : null}
          </Fact>
        ) : null}
        <Fact name="Issued">
          <Day value={issue_date} />
        </Fact>
        <Fact name="Due">
          <Day value={due_date} />
        </Fact>
        {payment_id !== null ? (
          <Fact name="Payment">
            <Link to={`/payments/${payment_id}`}>
              {invoice.status === 'paid' ? 'Paid by this payment' : 'Under way'}
            </Link>
          </Fact>
        ) : null}
        <Fact name="From">
          <Party
            party={supplier}
            address={
              sees('home_address') ? (
                addressWords(supplier.address)
              ) : (
                <>
                  Address <Withheld />
                </>
              )
            }
            vat={sees('personal_identifiers') ? supplier.vat_id : <Withheld />}
          />
        </Fact>
        <Fact name="To">
          <Party party={customer} address={addressWords(customer.address)} vat={customer.vat_id} />
        </Fact>
      </Facts>
      <p className="toolbar">
        <AsCurl method="GET" path={`/invoices/${id}`} />
        <Link to={`/ledger?tab=transactions&source=${id}`}>Its postings in the ledger</Link>
        <Link to={`/invoices?contract=${contract_id}`}>All invoices of the contract</Link>
      </p>
    </section>
  )
}

interface PartyProps {
  party: { name: string; country: string | null }
  address: React.ReactNode
  vat: React.ReactNode
}

function Party({ party: { name, country }, address, vat }: PartyProps) {
  return (
    <div>
      <bdi>{name}</bdi>
      <span className="under">{address ?? (country && countryName(country))}</span>
      {vat !== null ? <span className="under">VAT id {vat}</span> : null}
    </div>
  )
}

function addressWords(address: Invoice['customer']['address']): string | null {
  if (address === null) return null
  const { line_1, line_2, postal_code, city, region, country } = address
  const place = [postal_code, city].filter(Boolean).join(' ')
  return [line_1, line_2, place, region, countryName(country)].filter(Boolean).join(', ')
}
