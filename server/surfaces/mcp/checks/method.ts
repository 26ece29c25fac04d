import type { Check } from '../exchange.ts'
import { Refusal } from '../refusal.ts'

/** No sessions and no streams: GET and DELETE of older revisions have nothing to do here. */
export const checkMethod: Check = ({ request }) => {
  if (request.method === 'POST') return
  throw new Refusal({
    status: 405,
    code: 405,
    message: 'Only POST is served here.',
    headers: { Allow: 'OPTIONS, POST' },
  })
}
