import { anyOf, equals } from '#core/filters.ts'
import { defineResource } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { CurrencyCode, Id, MoneyAmount, Timestamp, Type } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { AccountCodes, accounts, Direction } from './accounts.ts'

/** An account of the ledger, made when something is booked on it first. */
export const ledgerAccount = defineResource({
  name: 'ledger_account',
  title: 'LedgerAccount',
  table: 'ledger_accounts',
  label: 'code',
  fields: {
    id: { type: Id, ...server, example: '019ca2f3-6c00-7d1e-8a45-2b9f7c3e6d10' },
    code: { type: AccountCodes, ...server, example: 'worker_payable' },
    type: { type: Type.Enum(['asset', 'liability', 'expense']), computed: true, example: 'liability' },
    normal_side: { type: Direction, computed: true, example: 'credit' },
    currency: { type: CurrencyCode, ...server },
    contract_id: {
      // The cast holds because only its words are others.
      type: { ...Id, description: 'Of worker_payable: the contract whose worker is owed.' } as typeof Id,
      nullable: true,
      refers: contract,
      ...server,
    },
    balance: {
      // The cast holds because only its words are others.
      type: { ...MoneyAmount, description: 'On the normal side of the account.' } as typeof MoneyAmount,
      category: 'compensation',
      ...server,
      example: '5744.40',
    },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
  },
  compute: ({ code }) => accounts[code],
  filters: {
    codes: anyOf('code', 'Any of these accounts.'),
    currencies: anyOf('currency', 'In any of these currencies.'),
    contract_id: equals('contract_id'),
  },
})
