import { validationFailed } from '#core/problems.ts'

/** The key that a caller chose against repeats, from the header or the argument of this name. */
export function idempotencyKeyOf(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)) return value
  const message = 'must be 1 to 255 printable ASCII characters'
  throw validationFailed(`The ${name} ${message}.`, { errors: [{ pointer: `/${name}`, message }] })
}
