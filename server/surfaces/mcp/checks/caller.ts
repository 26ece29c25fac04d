import { unauthenticated } from '#core/problems/problems.ts'
import type { Check } from '../exchange.ts'
import { refusalOver } from '../refusal.ts'

/** Invoking a tool needs an access token (interface specification 4.6, 7); everything else answers anybody. */
export function requireCaller(challenge: string): Check {
  return (exchange) => {
    const { message, caller } = exchange
    if (caller !== null || !('id' in message) || message.method !== 'tools/call') return
    const problem = unauthenticated('This tool needs an access token.')
    throw refusalOver(problem, challenge, false) ?? problem
  }
}
