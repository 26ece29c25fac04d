/** The texts of a form as an operation takes them: fields that are not shown are not sent, empty ones are null. */
export function valuesOf<Name extends string>(
  form: FormData,
  names: readonly Name[],
): Partial<Record<Name, string | null>> {
  const values: Partial<Record<Name, string | null>> = {}
  for (const name of names) {
    const value = form.get(name)
    if (typeof value === 'string') values[name] = value.trim() || null
  }
  return values
}

/** The fields of an object, which are named `object.field`; null when all are empty, undefined when none is shown. */
export function objectOf(form: FormData, object: string): Record<string, string | null> | null | undefined {
  const fields = [...form.keys()].filter((name) => name.startsWith(`${object}.`))
  if (fields.length === 0) return undefined
  const entries = fields.map((name) => [name.slice(object.length + 1), valuesOf(form, [name])[name] ?? null] as const)
  return entries.every(([, value]) => value === null) ? null : Object.fromEntries(entries)
}

/** The part of the values that differs from what is there. */
export function changesOf<Values extends object>(values: Values, before: object): Partial<Values> {
  const known = new Map<string, unknown>(Object.entries(before))
  const kept = Object.entries(values).filter(([name, value]) => {
    return value !== undefined && textOf(value) !== textOf(known.get(name) ?? null)
  })
  // The cast holds because it is a part of the values.
  return Object.fromEntries(kept) as Partial<Values>
}

/** The same text for the same value, in whatever order its members stand. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
