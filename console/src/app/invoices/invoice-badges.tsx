import type { InvoiceWithoutLines } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Status } from '../../components/status.tsx'

/** The state of an invoice, and what else one has to know at a glance. */
export function InvoiceBadges({
  invoice: { status, is_overdue, is_off_cycle },
}: {
  invoice: Pick<InvoiceWithoutLines, 'status' | 'is_overdue' | 'is_off_cycle'>
}) {
  return (
    <span className="badges">
      <Status value={status} />
      {is_overdue ? <Status value="overdue" /> : null}
      {is_off_cycle ? <Badge>Off-cycle</Badge> : null}
    </span>
  )
}
