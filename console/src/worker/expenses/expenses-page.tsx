import type { InvoiceAdjustment } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Money } from '../../components/money.tsx'
import { amountOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { WorkPage } from '../work/work-page.tsx'
import { ExpenseForm, typeWords } from './expense-form.tsx'

export function ExpensesPage() {
  return <WorkPage kind={expenses} />
}

const expenses: Parameters<typeof WorkPage<InvoiceAdjustment>>[0]['kind'] = {
  title: 'Expenses and extras',
  lead: 'What you are owed beside your pay: expenses, milestones, overtime. Once it is approved it is on your next invoice.',
  action: 'Hand in',
  one: 'entry',
  list: stint.worker.list_invoice_adjustments,
  remove: (invoice_adjustment_id) => stint.worker.delete_invoice_adjustment({ invoice_adjustment_id }),
  takes: ({ type }) => type !== 'employee',
  none: 'You have no contract that pays expenses here.',
  wordsOf: ({ type, amount, currency }) => `${typeWords(type)} of ${amountOf(amount ?? '0')} ${currency}`,
  Form: ExpenseForm,
  columns: [
    {
      ...{ head: 'What', look: 'main' },
      cell: ({ type, description }) => (
        <>
          {typeWords(type)}
          <span className="under">
            <bdi>{description}</bdi>
          </span>
        </>
      ),
    },
    { head: 'Date', cell: ({ date }) => <Day value={date} /> },
    {
      ...{ head: 'Amount', look: 'number' },
      cell: ({ type, amount, currency }) => (
        <Money amount={type === 'deduction' && amount ? `-${amount}` : amount} currency={currency} />
      ),
    },
  ],
}
