import type { Caller } from '#core/caller.ts'
import { Problem } from '#core/problems.ts'
import type { RateLimit } from '#core/rate-limit.ts'
import { networkOf } from './https/address.ts'

export interface Admission {
  /** Turns the Authorization header into its caller, or throws `unauthenticated`. */
  authenticate(authorization: string | undefined, address: string | null): Promise<Caller>
  /** Requests of a credential with all that it made; refused credentials of the network they come from. */
  limits: { requests: RateLimit; failures: RateLimit }
}

/**
 * Identifies the caller. Refused credentials are counted by network, after they were looked up: beyond the limit they
 * are answered 429, while a good one behind the same address is served.
 */
export async function admitCaller(
  { authenticate, limits: { failures } }: Admission,
  authorization: string | undefined,
  address: string,
): Promise<Caller> {
  try {
    return await authenticate(authorization, address)
  } catch (error) {
    // A database that is away says nothing about the credential, and must not be held against its sender.
    const isRefusal = error instanceof Problem && error.definition.status === 401 && authorization !== undefined
    if (isRefusal) failures.take(networkOf(address))
    throw error
  }
}

export function countRequest({ limits }: Admission, caller: Caller): ReturnType<RateLimit['take']> {
  return limits.requests.take(countedAs(caller))
}

/** A credential counts together with those that it made: otherwise it would make itself fresh limits as it likes. */
export const countedAs = ({ root_id, credential_id }: Caller): string => root_id ?? credential_id
