import { isAddressedTo } from '#core/own-hosts.ts'
import type { Check } from '../exchange.ts'
import { Refusal } from '../refusal.ts'

/** A page that points its own name at us (DNS rebinding) names itself here: MCP transports, security warning. */
export function checkHost(names: ReadonlySet<string>): Check {
  return ({ request }) => {
    if (isAddressedTo(names, request.host)) return
    throw new Refusal({ status: 403, code: 403, message: 'This host is not served here.' })
  }
}
