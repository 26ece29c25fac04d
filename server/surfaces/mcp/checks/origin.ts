import { isLoopbackOrigin } from '#core/own-hosts.ts'
import type { Check } from '../exchange.ts'
import { Refusal } from '../refusal.ts'

/** Pages of other origins are refused before anything is looked at; programs send no `Origin`. `null` is never allowed. */
export function checkOrigin(allowed: ReadonlySet<string>): Check {
  return ({ request }) => {
    const { origin } = request.headers
    if (origin === undefined || allowed.has(origin) || isLoopbackOrigin(origin)) return
    throw new Refusal({ status: 403, code: 403, message: 'Pages of this origin may not call the tool server.' })
  }
}
