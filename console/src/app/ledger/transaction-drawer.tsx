import type { LedgerTransaction } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { Amount } from '../invoices/amount.tsx'
import { wordsOfAccount } from './account-words.ts'
import { ContractName } from './contract-name.tsx'

/** One booking with its entries, and what was booked for. */
export function TransactionDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const { value, error, reload } = useAnswer(stint.ledger.get_transaction, { ledger_transaction_id: id })
  return (
    <Dialog title={value ? `${value.sequence}. ${value.description}` : 'Transaction'} look="drawer" onClose={onClose}>
      {value ? (
        <Content transaction={value} />
      ) : error ? (
        <Failed error={error} reload={reload} />
      ) : (
        <Skeleton rows={5} />
      )}
    </Dialog>
  )
}

function Content({ transaction }: { transaction: LedgerTransaction }) {
  const { id, source, effective_date, posted_at, entries } = transaction
  const { reverses_transaction_id, reversed_by_transaction_id } = transaction
  return (
    <>
      <Facts>
        <Fact name="Booked for">
          <Link to={`/${source.kind}s/${source.id}`}>{wordsOf(source.kind)}</Link>
        </Fact>
        <Fact name="Effective">
          <Day value={effective_date} />
        </Fact>
        <Fact name="Booked">
          <Moment at={posted_at} />
        </Fact>
        {reverses_transaction_id === null ? null : (
          <Fact name="Reverses">
            <OtherLink id={reverses_transaction_id} />
          </Fact>
        )}
        {reversed_by_transaction_id === null ? null : (
          <Fact name="Reversed by">
            <OtherLink id={reversed_by_transaction_id} />
          </Fact>
        )}
      </Facts>
      <Table label="Entries" columns={columns} rows={entries} />
      <p className="toolbar">
        <AsCurl method="GET" path={`/ledger/transactions/${id}`} />
      </p>
    </>
  )
}

const OtherLink = ({ id }: { id: string }) => (
  <Link to={`/ledger?tab=transactions&transaction=${id}`}>the other transaction</Link>
)

type Entry = LedgerTransaction['entries'][number]

const columns: readonly Column<Entry>[] = [
  {
    ...{ head: 'Account', look: 'main' },
    cell: ({ account_code, contract_id }) => (
      <>
        {wordsOfAccount(account_code)}
        {contract_id === null ? null : (
          <span className="under">
            <ContractName id={contract_id} />
          </span>
        )}
      </>
    ),
  },
  {
    ...{ head: 'Debit', look: 'number' },
    cell: ({ direction, amount, currency }) => (direction === 'debit' ? <Amount {...{ amount, currency }} /> : null),
  },
  {
    ...{ head: 'Credit', look: 'number' },
    cell: ({ direction, amount, currency }) => (direction === 'credit' ? <Amount {...{ amount, currency }} /> : null),
  },
  {
    ...{ head: 'Balance after', look: 'number' },
    cell: ({ balance_after, currency }) => <Amount amount={balance_after} currency={currency} />,
  },
]
