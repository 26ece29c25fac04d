import { Money } from '../../components/money.tsx'
import { useMe } from '../me.tsx'

/** Pay, which not every role sees. */
export function Amount({ amount, currency }: { amount: string | null; currency: string }) {
  return <Money amount={amount} currency={currency} isWithheld={!useMe().sees('compensation')} />
}
