import type { InvoiceWithoutLines } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { countOf } from '../../lib/format.ts'

interface PayBarProps {
  chosen: readonly InvoiceWithoutLines[]
  /** Rows of the list as far as it is loaded. */
  shown: readonly InvoiceWithoutLines[]
  onChange(chosen: readonly InvoiceWithoutLines[]): void
  onPay(): void
}

const invoices_max = 500

/** Tells what is chosen to be paid, and why it cannot be paid together. */
export function PayBar({ chosen, shown, onChange, onPay }: PayBarProps) {
  const payable = shown.filter(({ status }) => status === 'pending')
  const by_currency = [...Map.groupBy(chosen, ({ currency }) => currency)]
  const unchosen = payable.filter(({ id }) => !chosen.some((one) => one.id === id))
  if (payable.length === 0 && chosen.length === 0) return null
  const problem =
    by_currency.length > 1
      ? 'A payment has one currency.'
      : chosen.length > invoices_max
        ? `A payment has at most ${invoices_max} invoices.`
        : null
  return (
    <section className="toolbar pay-bar" aria-label="Pay invoices">
      <Button disabled={chosen.length === 0 || problem !== null} size="small" onClick={onPay}>
        {chosen.length === 0 ? 'Pay…' : `Pay ${countOf(chosen.length, 'invoice')}…`}
      </Button>
      {payable.length > 1 && unchosen.length > 0 ? (
        <Button look="secondary" size="small" onClick={() => onChange([...chosen, ...unchosen])}>
          Choose all {payable.length} pending
        </Button>
      ) : null}
      {chosen.length > 0 ? (
        <Button look="secondary" size="small" onClick={() => onChange([])}>
          Choose none
        </Button>
      ) : null}
      <span role="status" className={problem ? 'problem' : 'none'}>
        {chosen.length === 0 ? 'Choose pending invoices to pay them together.' : problem}
      </span>
      {by_currency.length > 1
        ? by_currency.map(([currency, rows]) => (
            <Button key={currency} look="secondary" size="small" onClick={() => onChange(rows)}>
              Only {rows.length} in {currency}
            </Button>
          ))
        : null}
    </section>
  )
}
