import type { Timesheet } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Money } from '../../components/money.tsx'
import { countOf, dayOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { WorkPage } from '../work/work-page.tsx'
import { HoursForm } from './hours-form.tsx'

export function HoursPage() {
  return <WorkPage kind={hours} />
}

const unitWords = ({ quantity, scale }: Pick<Timesheet, 'quantity' | 'scale'>) =>
  countOf(Number(quantity), scale === 'daily' ? 'day' : 'hour')

const hours: Parameters<typeof WorkPage<Timesheet>>[0]['kind'] = {
  title: 'Hours',
  lead: 'What you have worked, by day or by period. Once it is approved it is on your next invoice.',
  action: 'Hand in hours',
  one: 'report',
  list: stint.worker.list_timesheets,
  remove: (timesheet_id) => stint.worker.delete_timesheet({ timesheet_id }),
  takes: ({ type }) => type === 'pay_as_you_go',
  none: 'None of your contracts is paid by the hour or day, so there is nothing to hand in here.',
  wordsOf: (item) => `${unitWords(item)} of ${dayOf(item.start_date)}`,
  Form: HoursForm,
  columns: [
    {
      ...{ head: 'Period', look: 'main' },
      cell: ({ start_date, end_date, description }) => (
        <>
          <span>
            <Day value={start_date} />
            {end_date === start_date ? null : (
              <>
                {' – '}
                <Day value={end_date} />
              </>
            )}
          </span>
          <span className="under">
            <bdi>{description}</bdi>
          </span>
        </>
      ),
    },
    { ...{ head: 'Worked', look: 'number' }, cell: unitWords },
    {
      ...{ head: 'Amount', look: 'number' },
      cell: ({ total_amount, currency }) => <Money amount={total_amount} currency={currency} />,
    },
  ],
}
