import type { LedgerTransaction } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { Filters, RangeFilter, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { Amount } from '../amount.tsx'
import { ContractFilter } from '../contract-filter.tsx'
import { wordsOfAccount } from './account-words.ts'
import { TransactionDrawer } from './transaction-drawer.tsx'

const kinds = {
  invoice_issued: 'Invoice issued',
  payment_initiated: 'Payment on its way',
  payment_completed: 'Payment arrived',
  reversal: 'Reversal',
} as const
type Kind = keyof typeof kinds
const options = [
  { value: '', words: 'All transactions' },
  ...Object.entries(kinds).map(([value, words]) => ({ value, words })),
]

/** All bookings, the newest first. */
export function TransactionsTab() {
  const [search, setSearch] = useSearch()
  const filters = useFilters(['kind', 'account', 'contract', 'source', 'from', 'to'])
  const kind = filters.several<Kind>('kind', Object.keys(kinds) as Kind[])
  const list = useList(stint.ledger.list_transactions, {
    kinds: kind,
    account_id: filters.one('account'),
    contract_id: filters.one('contract'),
    source_id: filters.one('source'),
    effective_date_from: filters.one('from'),
    effective_date_to: filters.one('to'),
  })
  const open_id = search.get('transaction')
  const isNarrowed = filters.one('account') ?? filters.one('source')
  return (
    <section aria-label="Transactions">
      <Filters count={filters.count}>
        <SelectFilter name="kind" label="Show" options={options} />
        <ContractFilter />
        <RangeFilter label="Effective" from="from" to="to" />
      </Filters>
      {isNarrowed ? (
        <p className="toolbar">
          <span>
            {filters.one('account') ? 'Transactions on one account' : 'Transactions of one invoice or payment'}
          </span>
          <Button look="secondary" size="small" onClick={() => setSearch({ account: null, source: null })}>
            Show all
          </Button>
        </p>
      ) : null}
      <List
        list={list}
        label="Transactions"
        one="transaction"
        columns={columns}
        clearFilters={filters.clear}
        empty={
          <>
            <h2>Nothing is booked yet</h2>
            <p>The first invoice is the first transaction.</p>
          </>
        }
      />
      {open_id ? <TransactionDrawer id={open_id} onClose={() => setSearch({ transaction: null })} /> : null}
    </section>
  )
}

const columns: readonly Column<LedgerTransaction>[] = [
  {
    ...{ head: 'Transaction', look: 'main' },
    cell: ({ id, sequence, description, reversed_by_transaction_id }) => (
      <>
        <OpenLink id={id} words={`${sequence}. ${description}`} />{' '}
        {reversed_by_transaction_id === null ? null : <Badge>Reversed</Badge>}
      </>
    ),
  },
  { head: 'Kind', cell: ({ kind }) => kinds[kind as Kind] ?? kind },
  { head: 'Effective', cell: ({ effective_date }) => <Day value={effective_date} /> },
  {
    head: 'Lines',
    cell: ({ entries }) => (
      <ul className="entries">
        {entries.map(({ id, direction, account_code, amount, currency }) => (
          <li key={id} className={direction}>
            <span>{wordsOfAccount(account_code)}</span>
            <span className="number">
              <span className="only-read">{direction} </span>
              <Amount amount={amount} currency={currency} />
            </span>
          </li>
        ))}
      </ul>
    ),
  },
]

function OpenLink({ id, words }: { id: string; words: string }) {
  const [search] = useSearch()
  search.set('transaction', id)
  return (
    <Link to={`/ledger?${search}`}>
      <bdi>{words}</bdi>
    </Link>
  )
}
