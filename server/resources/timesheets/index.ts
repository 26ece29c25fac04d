import { collecting, defineWorkItemOperations, eraseItems } from '#resources/work-items/index.ts'
import { frozen, quantityExceedsPeriod, type Reported, rated } from './rate.ts'
import { type TimesheetRow, timesheet, timesheetEvents } from './timesheet.ts'

export const timesheetOperations = defineWorkItemOperations<TimesheetRow, Reported>({
  noun: timesheet,
  name: 'timesheet',
  names: 'timesheets',
  one: 'a timesheet',
  many: 'timesheets',
  scope: 'timesheets',
  events: timesheetEvents,
  problems: [quantityExceedsPeriod],
  derive: rated,
  freeze: frozen,
  tools: {
    list: {
      name: 'list_timesheets',
      text: 'List timesheets by contract, worker, status or date.',
      yields: { timesheet_id: 'id', invoice_id: 'invoice_id', payment_cycle_id: 'payment_cycle_id' },
    },
    create: {
      name: 'create_timesheet',
      text: 'Record work on a pay-as-you-go contract; pass auto_approve false to leave it for review.',
      example: {
        contract_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62',
        start_date: '2026-03-02',
        end_date: '2026-03-06',
        quantity: '38.5',
        description: 'Week 10',
      },
    },
    get: { name: 'get_timesheet', text: 'Get one timesheet.' },
    review: { name: 'review_timesheet', text: 'Approve or decline a pending timesheet.' },
    submit: { name: 'submit_my_timesheet', text: 'Submit a timesheet of the calling worker for review.' },
  },
})

eraseItems(timesheet, { refusal: 2, erasure: 7 })

/** For invoicing: `approved`, `open`, `byIds`, `onInvoices`, `invoice`, `pay`, `free`, `leaveOver` (see `collecting`). */
export const timesheetsToPay = collecting(timesheet, 'end_date', timesheetEvents)
export { type TimesheetRow, timesheet } from './timesheet.ts'
/** Operations and timers that mark rows name it among their events. */
export const timesheetStatusUpdated = timesheetEvents.status_updated
