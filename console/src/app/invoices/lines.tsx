import type { PaymentCyclesPreview } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import '../../styles/money.css'
import { Amount } from '../amount.tsx'

type InvoiceLine = PaymentCyclesPreview['lines'][number]

interface LinesProps {
  contract_id: string
  currency: string
  lines: readonly InvoiceLine[]
  subtotal: string | null
  taxable_base: string | null
  vat_rate: string | null
  vat_total: string | null
  total: string | null
  reverse_charge?: boolean
  /** Not issued yet: without links that would lead away from it. */
  isDraft?: boolean
}

/** The demand of an invoice, issued or to come: its lines with their sources, and the sums that the service made. */
export function Lines({ contract_id, currency, lines, isDraft = false, ...sums }: LinesProps) {
  return (
    <div className="invoice-lines">
      <Table
        label="Lines"
        columns={isDraft ? [main, ...amountsOf(currency)] : [main, sourceOf(contract_id), ...amountsOf(currency)]}
        rows={lines}
        idOf={({ position }) => String(position)}
      />
      <Sums currency={currency} {...sums} />
    </div>
  )
}

function Sums({ currency, subtotal, taxable_base, vat_rate, vat_total, total, reverse_charge = false }: SumsProps) {
  const money = (amount: string | null) => <Amount amount={amount} currency={currency} />
  return (
    <dl className="sums" aria-label="Sums">
      <div>
        <dt>Subtotal</dt>
        <dd>{money(subtotal)}</dd>
      </div>
      <div>
        <dt>
          {reverse_charge ? 'VAT, reverse charge' : vat_rate === null ? 'VAT' : `VAT ${vat_rate} %`}
          {vat_rate !== null && taxable_base !== null && taxable_base !== subtotal ? (
            <span className="under">of {money(taxable_base)}</span>
          ) : null}
        </dt>
        <dd>{money(vat_total)}</dd>
      </div>
      <div className="total">
        <dt>Total</dt>
        <dd>{money(total)}</dd>
      </div>
    </dl>
  )
}

type SumsProps = Omit<LinesProps, 'contract_id' | 'lines' | 'isDraft'>

const main: Column<InvoiceLine> = {
  ...{ head: 'Description', look: 'main' },
  cell: ({ type, description, is_taxable, period_start, period_end }) => (
    <>
      <bdi>{description}</bdi>
      <span className="under">
        {wordsOf(type)}
        {period_start !== null ? <Period {...{ period_start, period_end }} /> : null}
        {is_taxable ? '' : ' · no VAT'}
      </span>
    </>
  ),
}

const sourceOf = (contract_id: string): Column<InvoiceLine> => ({
  head: 'From',
  cell: ({ source }) => <SourceLink source={source} contract_id={contract_id} />,
})

const amountsOf = (currency: string): readonly Column<InvoiceLine>[] => [
  { ...{ head: 'Quantity', look: 'number' }, cell: ({ quantity }) => quantity },
  {
    ...{ head: 'Unit price', look: 'number' },
    cell: ({ unit_price }) => <Amount amount={unit_price} currency={currency} />,
  },
  { ...{ head: 'Amount', look: 'number' }, cell: ({ amount }) => <Amount amount={amount} currency={currency} /> },
]

function Period({ period_start, period_end }: Pick<InvoiceLine, 'period_start' | 'period_end'>) {
  return (
    <>
      {' · '}
      <Day value={period_start} />
      {period_end !== null && period_end !== period_start ? (
        <>
          {' to '}
          <Day value={period_end} />
        </>
      ) : null}
    </>
  )
}

function SourceLink({ source: { kind, id }, contract_id }: Pick<InvoiceLine, 'source'> & { contract_id: string }) {
  if (kind === 'timesheet') return <Link to={`/timesheets?view=all&open=${id}`}>Timesheet</Link>
  if (kind === 'invoice_adjustment') return <Link to={`/adjustments?view=all&open=${id}`}>Adjustment</Link>
  if (kind === 'payment_cycle') return <Link to={`/invoices/cycles/${id}?contract=${contract_id}`}>Payment cycle</Link>
  return wordsOf(kind)
}
