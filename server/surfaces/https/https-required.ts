import { randomUUIDv7 } from 'node:crypto'
import { peerAddress } from './address.ts'

/** What a request over plain HTTP is told. */
export interface HttpsRequiredAnswer {
  status: 403
  headers: Record<string, string>
  body: string
}

export interface PlainHttpRefusal {
  /** The connected address, never a forwarded one. */
  peer: string
  request_id: string
}

export interface HttpsRequiredOptions {
  /** The problem document `https_required` (RFC 9457). */
  problem: (request_id: string) => object
  /** Told of each refusal. */
  onPlainHttp?: (refusal: PlainHttpRefusal) => void
}

/** Makes the answers to the refused peers, each with a request id of its own. */
export function httpsRequiredAnswers({ problem, onPlainHttp }: HttpsRequiredOptions) {
  return (peer: string | undefined): HttpsRequiredAnswer => {
    const request_id = randomUUIDv7()
    onPlainHttp?.({ peer: peerAddress(peer), request_id })
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
