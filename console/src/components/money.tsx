import { amountOf } from '../lib/format.ts'
import { Withheld } from './withheld.tsx'

interface MoneyProps {
  /** The decimal text of the API; null where there is none, or where it is withheld. */
  amount: string | null
  currency: string
  /** The own role does not see amounts: `!sees('compensation')`. */
  isWithheld?: boolean
}

/** An amount with its digits in groups; the text never becomes a number of the browser. */
export function Money({ amount, currency, isWithheld = false }: MoneyProps) {
  if (amount === null) return isWithheld ? <Withheld /> : <span className="none">–</span>
  return (
    <span className="money">
      {amountOf(amount)} <span className="currency">{currency}</span>
    </span>
  )
}
