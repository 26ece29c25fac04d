import { OAuthError } from './oauth-error.ts'

/**
 * Parameters of a request to an OAuth endpoint, from query or form. Those without a value count as absent and unknown
 * ones are never looked at; one that is read must not have been sent twice (RFC 6749 §3.1).
 */
export class Parameters {
  readonly #values = new Map<string, string[]>()

  constructor(encoded: string) {
    for (const [name, value] of new URLSearchParams(encoded)) {
      if (value === '') continue
      const values = this.#values.get(name)
      if (values) values.push(value)
      else this.#values.set(name, [value])
    }
  }

  /** The value, or undefined when it is absent. */
  get(name: string): string | undefined {
    const [value, ...more] = this.all(name)
    if (more.length > 0) throw new OAuthError('invalid_request', `${name}: must be sent once`)
    return value
  }

  require(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw new OAuthError('invalid_request', `${name}: is missing`)
    return value
  }

  /** Every value, for the one parameter that may be repeated: `resource` (RFC 8707 §2). */
  all(name: string): readonly string[] {
    const values = this.#values.get(name) ?? []
    // No column of the database can hold a NUL; every other character of a decoded form can be stored.
    if (values.some((value) => value.includes('\0'))) {
      throw new OAuthError('invalid_request', `${name}: has characters that are not allowed`)
    }
    return values
  }
}
