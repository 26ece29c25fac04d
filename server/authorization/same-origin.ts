import type { IncomingHttpHeaders } from 'node:http'
import { defineProblem } from '#core/problems/problem.ts'

export const foreignOrigin = defineProblem({
  code: 'foreign_origin',
  status: 403,
  title: 'The request does not come from a page of the console',
  advice: 'Use the console in a browser; programs use the REST API with a token.',
})

/**
 * Refuses what another site made a browser send. A page elsewhere cannot set `Stint-Console` without a preflight, which
 * nobody answers; `Sec-Fetch-Site` no page can set at all, and older browsers send `Origin` instead.
 */
export function refuseForeignRequest(headers: IncomingHttpHeaders, auth_url: string): void {
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? headers.origin === auth_url : site === 'same-origin'
  if (headers['stint-console'] !== '1' || !isOwn) throw foreignOrigin()
}
