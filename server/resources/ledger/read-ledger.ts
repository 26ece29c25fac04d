import { defineOperation } from '#core/operation.ts'
import { referenceNotFound } from '#core/problems.ts'
import {
  CalendarDate,
  Closed,
  CurrencyCode,
  Id,
  MoneyAmount,
  Nullable,
  PageInput,
  PageOf,
  Sensitive,
  Type,
} from '#core/schema/schema.ts'
import { businessDate } from '#core/values.ts'
import { organization } from '#resources/organizations/index.ts'
import { AccountCodes, credit_normal } from './accounts.ts'
import { sumsUpTo } from './ledger.store.ts'
import { ledgerAccount } from './ledger-account.ts'
import { ledgerTransaction } from './ledger-transaction.ts'

/** Pay can be read out of the ledger. */
export const reading = { method: 'GET', scopes: ['accounting:read'], roles: ['owner', 'admin', 'finance'] } as const

export const listLedgerAccounts = defineOperation({
  ...reading,
  id: 'ledger.list_accounts',
  summary: 'List the accounts of the ledger',
  path: '/ledger/accounts',
  input: Closed({ ...PageInput, ...ledgerAccount.filters }),
  output: PageOf(ledgerAccount.answer),
  problems: [referenceNotFound],
  handle: (filter, context) => ledgerAccount.page(context, filter),
})

export const listLedgerTransactions = defineOperation({
  ...reading,
  id: 'ledger.list_transactions',
  summary: 'List the transactions of the ledger, the newest first',
  path: '/ledger/transactions',
  input: Closed({ ...PageInput, ...ledgerTransaction.filters }),
  output: PageOf(ledgerTransaction.answer),
  problems: [referenceNotFound],
  handle: (filter, context) => ledgerTransaction.page(context, filter),
})

export const getLedgerTransaction = defineOperation({
  ...reading,
  id: 'ledger.get_transaction',
  summary: 'Get a transaction of the ledger',
  path: '/ledger/transactions/:ledger_transaction_id',
  input: Closed(ledgerTransaction.path),
  output: ledgerTransaction.answer,
  handle: async ({ ledger_transaction_id: id }, { tx, caller: { organization_id } }) =>
    ledgerTransaction.show(await ledgerTransaction.get(tx, { organization_id, id })),
})

const Amount = Sensitive('compensation', MoneyAmount)
const Sums = Type.Object({
  code: AccountCodes,
  contract_id: Nullable(Id),
  debit: Amount,
  credit: Amount,
  balance: Amount,
})

export const getTrialBalance = defineOperation({
  ...reading,
  id: 'ledger.get_trial_balance',
  summary: 'Get the trial balance of a day',
  description: 'The sums of each account of all that took effect up to that day, its balance on its normal side.',
  path: '/ledger/trial-balance',
  input: Closed({
    as_of: Type.Optional({ ...CalendarDate, description: 'Default: today.' } as typeof CalendarDate),
  }),
  output: Type.Object({
    as_of: CalendarDate,
    currencies: Type.Array(
      Type.Object({ currency: CurrencyCode, accounts: Type.Array(Sums), debit_total: Amount, credit_total: Amount }),
    ),
  }),

  async handle(input, { tx, caller: { organization_id }, now }) {
    const { timezone } = await organization.get(tx, { organization_id, id: organization_id })
    const as_of = input.as_of ?? businessDate(now, timezone)
    const sums = await sumsUpTo(tx, organization_id, as_of, credit_normal)
    const currencies = sums.flatMap(({ currency, code, debit: debit_total, credit: credit_total }) => {
      if (code !== null) return []
      const accounts = sums.flatMap(({ code, currency: own, ...rest }) =>
        code && own === currency ? [{ code, ...rest }] : [],
      )
      return [{ currency, accounts, debit_total, credit_total }]
    })
    return { as_of, currencies }
  },
})
