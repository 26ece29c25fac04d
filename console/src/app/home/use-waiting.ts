import type { Page } from '#sdk/index.ts'
import { countOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import type { Item } from './attention.tsx'

const asked_every_ms = 30_000
/** A page is read where its rows have to be looked at; else a count is enough. */
const looked_at_max = 100

type Asking<Input, Row> = (input: Input) => { page(): Promise<Page<Row>> }

/** Work that waits for somebody with the role of the reader, the money first; each with the list where it is done. */
export function useWaiting(): { items: Item[]; isLoading: boolean } {
  const { can, session } = useMe()
  function usePageFor<Input, Row>(scope: string, operation: Asking<Input, Row>, input: Input) {
    return useAnswer(firstPage(operation), can(scope) ? input : null, asked_every_ms)
  }
  const payments = usePageFor('accounting:write', stint.payments.list, {
    ...{ statuses: ['pending_approval'], limit: looked_at_max },
  })
  const paid_by_hand = usePageFor('accounting:write', stint.payments.list, { statuses: ['processing'], limit: 100 })
  const overdue = usePageFor('accounting:write', stint.invoices.list, {
    ...{ is_overdue: true, statuses: ['pending'], limit: 1 },
  })
  const timesheets = usePageFor('timesheets:write', stint.timesheets.list, { statuses: ['pending'], limit: 1 })
  const adjustments = usePageFor('invoice-adjustments:write', stint.invoice_adjustments.list, {
    ...{ statuses: ['pending'], limit: 1 },
  })
  const time_offs = usePageFor('time-off:write', stint.time_offs.list, { statuses: ['requested'], limit: 1 })
  const contracts = usePageFor('contracts:write', stint.contracts.list, {
    ...{ statuses: ['pending'], limit: looked_at_max },
  })
  // The one who made a payment cannot approve it.
  const approvable = payments.value?.data.filter(
    ({ created_by: { kind, id } }) => kind !== 'user' || id !== session.user_id,
  )
  const by_hand = paid_by_hand.value?.data.filter(({ provider }) => provider === 'manual')
  const unsigned = contracts.value?.data.filter(({ signatures }) => signatures.client_signed_at === null)
  const items = [
    itemOf(approvable?.length, 'Payment', '/payments?status=pending_approval', 'payment', 'to approve'),
    itemOf(by_hand?.length, 'Payment', '/payments?status=processing', 'payment', 'to carry out and record'),
    itemOf(overdue.value?.total_count, 'Invoice', '/invoices?show=overdue', 'overdue invoice', 'to pay'),
    itemOf(timesheets.value?.total_count, 'Timesheet', '/timesheets', 'timesheet', 'to review'),
    itemOf(adjustments.value?.total_count, 'Adjustment', '/adjustments', 'adjustment', 'to review'),
    itemOf(
      time_offs.value?.total_count,
      'Time off',
      '/time-off',
      'request for time off',
      'to review',
      'requests for time off',
    ),
    itemOf(unsigned?.length, 'Contract', '/contracts?statuses=pending', 'contract', 'to sign for the company'),
  ]
  const asked = [payments, paid_by_hand, overdue, timesheets, adjustments, time_offs, contracts]
  return {
    items: items.flatMap((item) => (item ? [item] : [])),
    isLoading: asked.some(({ value, isLoading }) => isLoading && value === null),
  }
}

function itemOf(
  ...[count, kind, to, one, todo, many]: [number | undefined, string, string, string, string, string?]
): Item | null {
  if (!count) return null
  return { id: to, to, tone: 'warning', kind, title: `${countOf(count, one, many)} ${todo}`, text: null }
}
