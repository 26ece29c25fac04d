import { Badge } from '../../components/badge.tsx'
import type { LoggedRequest } from '../../lib/nouns.ts'

type Ended = Pick<LoggedRequest, 'status' | 'error_code'>

/** How a request ended: its status, and the code of a refusal. */
export function RequestBadge({ request: { status, error_code } }: { request: Ended }) {
  return (
    <Badge tone={status >= 500 ? 'danger' : status >= 400 ? 'warning' : 'good'}>
      {status}
      {error_code ? ` ${error_code}` : ''}
    </Badge>
  )
}
