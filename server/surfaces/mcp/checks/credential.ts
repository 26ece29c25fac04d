import type { RateLimit } from '#core/rate-limit.ts'
import { type Admission, admitCaller, countRequest } from '../../admit-caller.ts'
import { networkOf } from '../../https/address.ts'
import type { Check } from '../exchange.ts'
import { refusalOver } from '../refusal.ts'

export interface CredentialParts extends Admission {
  limits: Admission['limits'] & { open: RateLimit }
  /** False for what opens nothing here by its form alone, whatever the database holds. */
  canOpen(authorization: string): boolean
  /** Begins every challenge: `Bearer resource_metadata="…"`. */
  challenge: string
}

/** Ends in a refusal what can be refused without the database and without the body. */
export function refuseImpossible(parts: CredentialParts): Check {
  const resolve = resolveCredential(parts)
  return async (exchange) => {
    const { authorization } = exchange.request.headers
    if (authorization !== undefined && !parts.canOpen(authorization)) await resolve(exchange)
  }
}

/** A credential that is there must be good, whatever the method; without one a caller may ask so often. */
export function resolveCredential({ challenge, ...admission }: CredentialParts): Check {
  return async (exchange) => {
    const { request } = exchange
    const { authorization } = request.headers
    try {
      if (authorization === undefined) {
        admission.limits.open.take(networkOf(request.client_address))
        return
      }
      exchange.caller = await admitCaller(admission, authorization, request.client_address)
      request.caller = exchange.caller
      countRequest(admission, exchange.caller)
    } catch (error) {
      throw refusalOver(error, challenge, true) ?? error
    }
  }
}
