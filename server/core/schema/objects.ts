import type { TSchema } from 'typebox'
import type { SensitiveCategory } from '../caller.ts'
import { sensitiveDataRequired, validationFailed } from '../problems.ts'
import { compileInput } from './validate.ts'

/**
 * Objects that one column holds, such as an address. A create gives one whole; a change gives some of its members, which
 * are merged into those that are there (domain design 1.1). Kept and shown is every member, null where it has no value.
 */
type Value = Record<string, unknown>

const validators = new WeakMap<object, ReturnType<typeof compileInput>>()

/** The members of such an object; undefined for any other type, and where nothing is required: a mere set of changes. */
function membersOf(type: TSchema): string[] | undefined {
  // The cast holds because a schema of this type has these keywords.
  const { properties, required } = type as { properties?: object; required?: readonly string[] }
  return properties && required ? Object.keys(properties) : undefined
}

/** The type of what a change gives of an object. */
export function partOf<Schema extends TSchema>(type: Schema): Schema {
  if (!membersOf(type)) return type
  const { required, oneOf, ...part } = type as Schema & { required?: unknown; oneOf?: unknown }
  // The cast holds because whatever the type accepts is accepted still.
  return part as unknown as Schema
}

/** An object as it is kept. */
export function wholeObject(type: TSchema, value: unknown): unknown {
  const members = membersOf(type)
  if (!members || value === null) return value
  // The cast holds because the value has passed the schema.
  return { ...Object.fromEntries(members.map((name) => [name, null])), ...(value as Value) }
}

/**
 * A given part merged into the stored object, valid as a whole. Whoever may not see the object is not told by a refusal
 * what there is: that caller gives one that is whole by itself, or holds the category.
 */
export function mergedObject(
  { type, category }: { type: TSchema; category?: SensitiveCategory },
  [stored, part]: readonly [unknown, unknown],
  { pointer, sensitive_data }: { pointer: string; sensitive_data: ReadonlySet<string> },
): unknown {
  if (!membersOf(type) || part === null) return part
  const validate = validators.get(type) ?? compileInput(type)
  validators.set(type, validate)
  if (category && !sensitive_data.has(category) && !validate(part, false).ok) {
    const detail = `Give all of ${pointer}, or use a credential with ${category}: a part is merged into what is there.`
    throw sensitiveDataRequired(detail)
  }
  // The cast holds because both are objects or null.
  const merged = validate({ ...(stored as Value | null), ...(part as Value) }, false)
  if (merged.ok) return wholeObject(type, merged.value)
  const errors = merged.errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }))
  throw validationFailed(undefined, { errors })
}
