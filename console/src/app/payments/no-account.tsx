import type { Payment } from '#sdk/index.ts'
import { countOf } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'

const named_max = 5

/** Warns of workers whose money has nowhere to go. Nothing for those who may not know. */
export function NoAccount({ payment: { invoices } }: { payment: Payment }) {
  const workers = [
    ...new Map(
      invoices.flatMap(({ has_bank_account, worker_id, worker_email }) =>
        has_bank_account === false ? [[worker_id, worker_email] as const] : [],
      ),
    ),
  ]
  if (workers.length === 0) return null
  return (
    <div className="banner warning">
      <p className="banner-title">{countOf(workers.length, 'worker has', 'workers have')} no bank account</p>
      <p>
        {workers.slice(0, named_max).map(([id, email], at) => (
          <span key={id}>
            {at > 0 ? ', ' : ''}
            <Link to={`/people/${id}`}>
              <bdi>{email}</bdi>
            </Link>
          </span>
        ))}
        {workers.length > named_max ? ` and ${workers.length - named_max} more` : ''}: the worker, an owner or an admin
        adds it, before the money is sent.
      </p>
    </div>
  )
}

/** The way of the money once nobody has to approve it any more. */
export const releasedWords = ({ provider }: Payment) =>
  provider === 'manual'
    ? 'Stint moves no money here: it is then to be paid through your bank, and recorded here.'
    : 'Once released it is on its way at once.'
