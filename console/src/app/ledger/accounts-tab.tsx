import type { LedgerAccount } from '#sdk/index.ts'
import { Filters, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { Amount } from '../amount.tsx'
import { ContractFilter } from '../contract-filter.tsx'
import { account_codes, wordsOfAccount } from './account-words.ts'
import { ContractName } from './contract-name.tsx'

const options = [
  { value: '', words: 'All accounts' },
  ...account_codes.map((value) => ({ value, words: wordsOfAccount(value) })),
]

/** The accounts with their balances of now. */
export function AccountsTab() {
  const filters = useFilters(['code', 'contract'])
  const code = account_codes.find((one) => one === filters.one('code'))
  const list = useList(stint.ledger.list_accounts, {
    codes: code && [code],
    contract_id: filters.one('contract'),
  })
  return (
    <section aria-label="Accounts">
      <Filters count={filters.count}>
        <SelectFilter name="code" label="Show" options={options} />
        <ContractFilter />
      </Filters>
      <List
        list={list}
        label="Accounts"
        one="account"
        columns={columns}
        clearFilters={filters.clear}
        empty={
          <>
            <h2>No account yet</h2>
            <p>An account is opened when something is booked on it: the first invoice opens the first ones.</p>
          </>
        }
      />
    </section>
  )
}

const columns: readonly Column<LedgerAccount>[] = [
  {
    ...{ head: 'Account', look: 'main' },
    cell: ({ id, code }) => <Link to={`/ledger?tab=transactions&account=${id}`}>{wordsOfAccount(code)}</Link>,
  },
  {
    head: 'Contract',
    cell: ({ contract_id }) =>
      contract_id === null ? <span className="none">–</span> : <ContractName id={contract_id} />,
  },
  { head: 'Type', cell: ({ type }) => wordsOf(type) },
  { head: 'Grows by', cell: ({ normal_side }) => wordsOf(normal_side) },
  {
    ...{ head: 'Balance', look: 'number' },
    cell: ({ balance, currency }) => <Amount amount={balance} currency={currency} />,
  },
]
