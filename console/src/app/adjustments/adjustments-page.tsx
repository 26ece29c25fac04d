import type { InvoiceAdjustment } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Day } from '../../components/date.tsx'
import { Fact } from '../../components/facts.tsx'
import { SelectFilter } from '../../components/filters.tsx'
import { Money } from '../../components/money.tsx'
import type { Column } from '../../components/table.tsx'
import { dayOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import type { WorkKind } from '../work-items/kind.ts'
import { WorkPage } from '../work-items/work-page.tsx'
import { AdjustmentForm } from './adjustment-form.tsx'
import { adjustment_types, typeWords } from './types.ts'

export const AdjustmentsPage = () => <WorkPage kind={adjustments} />

/** A deduction counts negative on the invoice, and so it stands here; the API has its amount without a sign. */
function Amount({ item, seesAmounts }: { item: InvoiceAdjustment; seesAmounts: boolean }) {
  const isTakenOff = item.type === 'deduction' && item.amount !== null
  return (
    <Money amount={isTakenOff ? `-${item.amount}` : item.amount} currency={item.currency} isWithheld={!seesAmounts} />
  )
}

const Recurring = ({ item }: { item: InvoiceAdjustment }) => (item.is_recurring ? <Badge>every cycle</Badge> : null)

const adjustments: WorkKind<InvoiceAdjustment> = {
  title: 'Adjustments',
  lead: 'Single amounts beside the pay of a contract: bonuses, expenses, deductions. The next invoice collects the approved ones.',
  one: 'adjustment',
  path: '/adjustments',
  api_path: '/invoice-adjustments',
  write: 'invoice-adjustments:write',
  list: stint.invoice_adjustments.list,
  get: (invoice_adjustment_id) => stint.invoice_adjustments.get({ invoice_adjustment_id }),
  reviewMany: (verdict) => stint.invoice_adjustments.review_many(verdict),
  remove: (invoice_adjustment_id, reason) => stint.invoice_adjustments.delete({ invoice_adjustment_id, reason }),
  filters: {
    names: ['type', 'recurring'],
    input: (one) => {
      const type = adjustment_types.find(({ value }) => value === one('type'))?.value
      return { types: type && [type], is_recurring: one('recurring') === 'yes' ? true : undefined }
    },
    fields: (
      <>
        <SelectFilter name="type" label="Type" options={[{ value: '', words: 'Any type' }, ...adjustment_types]} />
        <SelectFilter
          name="recurring"
          label="Repeats"
          options={[
            { value: '', words: 'Once or every cycle' },
            { value: 'yes', words: 'Every cycle' },
          ]}
        />
      </>
    ),
  },
  columns: (seesAmounts): readonly Column<InvoiceAdjustment>[] => [
    {
      head: 'Type',
      cell: (item) => (
        <span className="badges">
          {typeWords(item.type)} <Recurring item={item} />
        </span>
      ),
    },
    { head: 'Date', cell: ({ date }) => <Day value={date} /> },
    { ...{ head: 'Amount', look: 'number' }, cell: (item) => <Amount item={item} seesAmounts={seesAmounts} /> },
  ],
  wordsOf: ({ type, worker_name, date, amount, currency }) =>
    `${typeWords(type)} of ${worker_name}${amount === null ? '' : `, ${amount} ${currency}`}, ${dayOf(date)}`,
  facts: (item, seesAmounts) => (
    <>
      <Fact name="Type">
        {typeWords(item.type)} <Recurring item={item} />
      </Fact>
      <Fact name="Amount">
        <Amount item={item} seesAmounts={seesAmounts} />
      </Fact>
      <Fact name="Date">
        <Day value={item.date} />
      </Fact>
      <Fact name="VAT">{item.is_taxable ? 'is added' : 'is not added'}</Fact>
      {item.is_recurring ? (
        <Fact name="Repeats until">
          <Day value={item.recurring_until} none="the contract ends" />
        </Fact>
      ) : null}
    </>
  ),
  Form: AdjustmentForm,
  empty: 'A bonus, an expense or a deduction is added here; workers hand in expenses from their own pages.',
}
