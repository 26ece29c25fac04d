import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { hrefOf, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import '../../styles/money.css'
import { PageTitle } from '../frame.tsx'
import { ExportDialog } from '../invoices/export-dialog.tsx'
import { AccountsTab } from './accounts-tab.tsx'
import { TransactionsTab } from './transactions-tab.tsx'
import { TrialBalanceTab } from './trial-balance-tab.tsx'

const tabs = [
  { name: 'balance', words: 'Trial balance' },
  { name: 'accounts', words: 'Accounts' },
  { name: 'transactions', words: 'Transactions' },
] as const

const panels = { balance: TrialBalanceTab, accounts: AccountsTab, transactions: TransactionsTab }

/** The books that the service keeps: every invoice and payment, in double entry. */
export function LedgerPage() {
  const [search, setSearch] = useSearch()
  const [isExporting, setExporting] = useState(false)
  const tab = tabs.find(({ name }) => name === search.get('tab'))?.name ?? 'balance'
  const Panel = panels[tab]
  return (
    <>
      <PageTitle
        title="Ledger"
        lead={<p>Every invoice and payment in double entry. What is booked is never changed, only reversed.</p>}
        actions={
          <Button look="secondary" onClick={() => setExporting(true)}>
            Export…
          </Button>
        }
      />
      <Tabs
        label="Views of the ledger"
        tabs={tabs}
        current={tab}
        hrefOf={(name) => hrefOf(`/ledger?tab=${name}`)}
        onChoose={(name) => setSearch({ ...nothing_chosen, tab: name === 'balance' ? null : name })}
      />
      <Panel />
      {isExporting ? (
        <ExportDialog
          title="Export the ledger"
          text="One row per entry of all that took effect in these days, in the order of booking."
          path="/ledger/export"
          read={stint.ledger.export}
          onClose={() => setExporting(false)}
        />
      ) : null}
    </>
  )
}

const nothing_chosen = Object.fromEntries(
  ['account', 'contract', 'source', 'kind', 'from', 'to', 'transaction', 'code', 'as-of'].map((name) => [name, null]),
)
