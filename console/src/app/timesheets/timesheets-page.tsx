import type { Timesheet } from '#sdk/index.ts'
import { Fact } from '../../components/facts.tsx'
import { Money } from '../../components/money.tsx'
import type { Column } from '../../components/table.tsx'
import { amountOf, dayOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import type { WorkKind } from '../work-items/kind.ts'
import { Period } from '../work-items/period.tsx'
import { WorkPage } from '../work-items/work-page.tsx'
import { TimesheetForm } from './timesheet-form.tsx'

export const TimesheetsPage = () => <WorkPage kind={timesheets} />

/** `38.5 h`, `4 days`. */
function quantityWords({ quantity, scale }: Timesheet): string {
  if (scale === 'hourly') return `${quantity} h`
  return quantity === '1' ? '1 day' : `${quantity} days`
}

const periodWords = ({ start_date, end_date }: Timesheet) =>
  start_date === end_date ? dayOf(end_date) : `${dayOf(start_date)} – ${dayOf(end_date)}`

const timesheets: WorkKind<Timesheet> = {
  title: 'Timesheets',
  lead: 'Hours and days that workers report on pay as you go contracts. Each invoice collects the approved ones.',
  one: 'timesheet',
  path: '/timesheets',
  api_path: '/timesheets',
  write: 'timesheets:write',
  list: stint.timesheets.list,
  get: (timesheet_id) => stint.timesheets.get({ timesheet_id }),
  reviewMany: (verdict) => stint.timesheets.review_many(verdict),
  remove: (timesheet_id, reason) => stint.timesheets.delete({ timesheet_id, reason }),
  filters: { names: [], input: () => ({}), fields: null },
  columns: (seesAmounts): readonly Column<Timesheet>[] => [
    { head: 'Worked', cell: ({ start_date, end_date }) => <Period start={start_date} end={end_date} /> },
    { ...{ head: 'Quantity', look: 'number' }, cell: quantityWords },
    {
      ...{ head: 'Amount', look: 'number' },
      cell: ({ total_amount, currency }) => (
        <Money amount={total_amount} currency={currency} isWithheld={!seesAmounts} />
      ),
    },
  ],
  wordsOf: (item) =>
    [
      `${quantityWords(item)} of ${item.worker_name}`,
      periodWords(item),
      item.total_amount && `${amountOf(item.total_amount)} ${item.currency}`,
    ]
      .filter(Boolean)
      .join(', '),
  facts: (item, seesAmounts) => (
    <>
      <Fact name="Worked">
        <Period start={item.start_date} end={item.end_date} />
      </Fact>
      <Fact name="Quantity">{quantityWords(item)}</Fact>
      <Fact name="Rate">
        <Money amount={item.rate} currency={item.currency} isWithheld={!seesAmounts} />{' '}
        <span className="hint">{item.scale === 'hourly' ? 'an hour' : 'a day'}</span>
      </Fact>
      <Fact name="Amount">
        <Money amount={item.total_amount} currency={item.currency} isWithheld={!seesAmounts} />
      </Fact>
    </>
  ),
  Form: TimesheetForm,
  empty: 'Workers hand them in from their own pages; owners, admins and finance can add them too.',
}
