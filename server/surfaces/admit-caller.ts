import type { Caller } from '#core/caller.ts'
import { Problem } from '#core/problems/problem.ts'
import type { RateLimit } from '#core/rate-limit.ts'
import { networkOf } from './https/address.ts'

export interface Admission {
  /** Turns the Authorization header into its caller, or throws `unauthenticated`. */
  authenticate(authorization: string | undefined, address: string | null): Promise<Caller>
  /** Requests of a credential or a grant; refused credentials of the network they come from. */
  limits: { requests: RateLimit; failures: RateLimit }
}

/** Who calls. A network that sent too many refused credentials is refused itself, before any look-up. */
export async function admitCaller(
  { authenticate, limits: { failures } }: Admission,
  authorization: string | undefined,
  address: string,
): Promise<Caller> {
  const network = networkOf(address)
  failures.check(network)
  try {
    return await authenticate(authorization, address)
  } catch (error) {
    // A database that is away says nothing about the credential, and must not be held against its sender.
    const isRefusal = error instanceof Problem && authorization !== undefined
    if (isRefusal) failures.take(network)
    throw error
  }
}

export function countRequest({ limits }: Admission, caller: Caller): ReturnType<RateLimit['take']> {
  return limits.requests.take(countedAs(caller))
}

/** The tokens of a grant count together: a client makes itself fresh ones as often as it likes. */
export const countedAs = ({ grant_id, credential_id }: Caller): string => grant_id ?? credential_id
