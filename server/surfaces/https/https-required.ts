import { randomUUIDv7 } from 'node:crypto'
import { normaliseAddress } from './trusted-proxies.ts'

/** What a plain-HTTP request is told (RFC 9457). */
export interface HttpsRequiredProblem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  request_id: string
}

export interface HttpsRequiredAnswer {
  status: 403
  headers: Record<string, string>
  body: string
}

export function httpsRequired(request_id: string): HttpsRequiredProblem {
  return {
    type: '/docs/problems/https_required',
    title: 'HTTPS is required',
    status: 403,
    detail:
      'This service answers over HTTPS only. If a credential was sent over plain HTTP, revoke it and create another.',
    code: 'https_required',
    request_id,
  }
}

export interface PlainHttpRefusal {
  /** The connected address, never a forwarded one. */
  peer: string
  request_id: string
}

export interface HttpsRequiredOptions {
  /** The problem document, for a rendering other than `httpsRequired`. */
  problem?: (request_id: string) => object
  /** Told of each refusal. */
  onPlainHttp?: (refusal: PlainHttpRefusal) => void
}

/** Makes the answers to the refused peers, each with a request id of its own. */
export function httpsRequiredAnswers({ problem = httpsRequired, onPlainHttp }: HttpsRequiredOptions) {
  return (peer: string | undefined): HttpsRequiredAnswer => {
    const request_id = randomUUIDv7()
    onPlainHttp?.({ peer: normaliseAddress(peer ?? 'unknown'), request_id })
    const body = JSON.stringify(problem(request_id))
    return {
      status: 403,
      headers: {
        'Content-Type': 'application/problem+json',
        'Content-Length': String(Buffer.byteLength(body)),
        'Cache-Control': 'no-store',
        'Request-Id': request_id,
        Date: new Date().toUTCString(),
      },
      body,
    }
  }
}
