import type { TSchema } from 'typebox'

type Order = (value: unknown) => unknown

const compiled = new WeakMap<TSchema, Order>()

/**
 * Puts the keys of a value into the order of its schema, at every depth, so that the same event has the same bytes
 * whether its entry comes from a handler or from jsonb, which keeps no order. Fields the schema does not name are left
 * out: what nobody declared is not sent.
 */
export function schemaOrder(schema: TSchema): Order {
  const known = compiled.get(schema)
  if (known) return known
  const order = compile(schema as Record<string, unknown>) ?? ((value: unknown) => value)
  compiled.set(schema, order)
  return order
}

/** Undefined for what has no keys to order. */
function compile(schema: Record<string, unknown>): Order | undefined {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(compile).find((order) => order !== undefined)
  if (schema.items) {
    const item = compile(schema.items as Record<string, unknown>)
    return item && ((value) => (Array.isArray(value) ? value.map(item) : value))
  }
  if (!schema.properties) return undefined
  const fields = Object.entries(schema.properties as Record<string, Record<string, unknown>>).map(
    ([name, property]) => [name, compile(property)] as const,
  )
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const ordered: Record<string, unknown> = {}
    for (const [name, order] of fields) {
      const member = (value as Record<string, unknown>)[name]
      if (member !== undefined) ordered[name] = order ? order(member) : member
    }
    return ordered
  }
}
