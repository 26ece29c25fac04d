import type { Caller } from '#core/caller.ts'
import { Problem, validationFailed } from '#core/problems.ts'
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

/** The key that a caller chose against repeats, from the header or the argument of this name. */
export function idempotencyKeyOf(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)) return value
  const message = 'must be 1 to 255 printable ASCII characters'
  throw validationFailed(`The ${name} ${message}.`, { errors: [{ pointer: `/${name}`, message }] })
}

/** The trace id of a W3C `traceparent`, for the events this call causes. */
export function traceIdOf(header: string | string[] | undefined): string | null {
  return (
    (typeof header === 'string' && /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(header)?.[1]) ||
    null
  )
}
