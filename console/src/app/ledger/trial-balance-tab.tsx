import { useState } from 'react'
import type { LedgerGetTrialBalance } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { DateField } from '../../components/date-field.tsx'
import { Filters } from '../../components/filters.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { Amount } from '../amount.tsx'
import { account_codes, wordsOfAccount } from './account-words.ts'
import { ContractName } from './contract-name.tsx'

/** The sums of every account up to the end of one day. */
export function TrialBalanceTab() {
  const [search, setSearch] = useSearch()
  const as_of = search.get('as-of') ?? ''
  const asked = /^\d{4}-\d\d-\d\d$/.test(as_of) ? { as_of } : {}
  const { value, error, reload } = useAnswer(stint.ledger.get_trial_balance, asked)
  return (
    <section aria-label="Trial balance">
      <Filters count={as_of ? 1 : 0}>
        <DateField
          label="At the end of"
          value={as_of || (value?.as_of ?? '')}
          onChange={({ currentTarget }) => setSearch({ 'as-of': currentTarget.value })}
        />
      </Filters>
      {error ? <Failed error={error} reload={reload} /> : null}
      {!value && !error ? <Skeleton rows={5} /> : null}
      {value?.currencies.length === 0 ? (
        <div className="empty">
          <h2>Nothing was booked by then</h2>
          <p>
            No invoice and no payment had taken effect by <Day value={value.as_of} />.
          </p>
        </div>
      ) : null}
      {value?.currencies.map((one) => (
        <Balance key={one.currency} of={one} as_of={value.as_of} />
      ))}
    </section>
  )
}

type OfCurrency = LedgerGetTrialBalance['currencies'][number]

const shown_max = 50

function Balance({ of, as_of }: { of: OfCurrency; as_of: string }) {
  const { currency, debit_total, credit_total } = of
  const [isWhole, setWhole] = useState(false)
  const accounts = of.accounts.toSorted((a, b) => place(a.code) - place(b.code))
  const rows = isWhole ? accounts : accounts.slice(0, shown_max)
  return (
    <section className="trial-balance" aria-labelledby={`balance-${currency}`}>
      <h2 id={`balance-${currency}`}>
        {currency} <Balanced debit={debit_total} credit={credit_total} />
      </h2>
      <table className="table">
        <caption className="only-read">
          Trial balance in {currency}, <Day value={as_of} />
        </caption>
        <thead>
          <tr>
            <th scope="col" className="main">
              Account
            </th>
            {['Debit', 'Credit', 'Balance'].map((head) => (
              <th key={head} scope="col" className="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ code, contract_id, debit, credit, balance }) => (
            <tr key={`${code} ${contract_id}`}>
              <td className="main" data-head="Account">
                <div className="cell">
                  {wordsOfAccount(code)}
                  {contract_id === null ? null : (
                    <span className="under">
                      <ContractName id={contract_id} />
                    </span>
                  )}
                </div>
              </td>
              <Cell head="Debit" amount={debit} currency={currency} />
              <Cell head="Credit" amount={credit} currency={currency} />
              <Cell head="Balance" amount={balance} currency={currency} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" className="main">
              Total
            </th>
            <Cell head="Debit" amount={debit_total} currency={currency} />
            <Cell head="Credit" amount={credit_total} currency={currency} />
            <td className="number" />
          </tr>
        </tfoot>
      </table>
      {rows.length < accounts.length ? (
        <Button look="secondary" size="small" onClick={() => setWhole(true)}>
          Show all {accounts.length} accounts
        </Button>
      ) : null}
    </section>
  )
}

const order: readonly string[] = account_codes
const place = (code: string) => order.indexOf(code)

function Cell({ head, amount, currency }: { head: string; amount: string | null; currency: string }) {
  return (
    <td className="number" data-head={head}>
      <div className="cell">
        <Amount amount={amount} currency={currency} />
      </div>
    </td>
  )
}

/** The books hold where both sides are equal; the service refuses to book anything else. */
function Balanced({ debit, credit }: { debit: string | null; credit: string | null }) {
  if (debit === null) return null
  return debit === credit ? <Badge tone="good">Balanced</Badge> : <Badge tone="danger">Not balanced</Badge>
}
