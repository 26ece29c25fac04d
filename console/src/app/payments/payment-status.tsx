import type { Payment } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Status } from '../../components/status.tsx'

/** Nobody processes a payment by hand but the people who read this. */
export const PaymentStatus = ({ payment: { status, provider } }: { payment: Payment }) =>
  status === 'processing' && provider === 'manual' ? (
    <Badge tone="warning">To be paid</Badge>
  ) : (
    <Status value={status} />
  )
