import type { TSchema } from 'typebox'

type Plain = Record<string, unknown>

/** The places of the sensitive fields of a schema: a tree that follows only the branches that hold one. */
interface Plan {
  category?: string
  when?: { field: string; is: string }
  fields: [name: string, plan: Plan][]
  items?: Plan
}

export interface Withholding {
  /** Every category named in the schema. */
  readonly categories: readonly string[]
  /** The value with null in place of each field whose category is not granted; the given value is not changed. */
  withhold<Value>(value: Value, granted: ReadonlySet<string>): Value
  /** The categories of the schema that are not granted, for the header `Sensitive-Data-Withheld`. */
  withheld(granted: ReadonlySet<string>): string[]
  /** Returns true when a value of the same form, as an input is, names a field whose category is not granted. */
  names(value: unknown, granted: ReadonlySet<string>): boolean
  /** The places of the fields of these categories, such as `{compensation: ['data[].compensation.amount']}`. */
  fieldsOf(categories: readonly string[]): Record<string, string[]>
}

/** Compiles the rules of the marked fields of a schema: those made with `Sensitive`, or those made with `Observed`. */
export function compileWithholding(schema: TSchema, mark = 'x-sensitive'): Withholding {
  const categories = new Set<string>()
  const plan = planOf(schema as Plain, mark, categories)
  const names = [...categories].sort()
  const places = plan ? placesOf(plan) : []
  const withheld = (granted: ReadonlySet<string>) => names.filter((name) => !granted.has(name))
  return {
    categories: names,
    withheld,
    names: (value, granted) =>
      plan !== undefined && withheld(granted).length > 0 && namesWithheld(plan, value, granted),
    fieldsOf: (wanted) =>
      Object.fromEntries(
        wanted.map((category) => [category, places.filter((place) => place.category === category).map(({ at }) => at)]),
      ),
    withhold: <Value>(value: Value, granted: ReadonlySet<string>) =>
      // The cast holds because only fields that allow null are replaced.
      plan && withheld(granted).length > 0 ? (apply(plan, value, granted) as Value) : value,
  }
}

function planOf(schema: Plain, mark: string, categories: Set<string>): Plan | undefined {
  const category = schema[mark]
  if (typeof category === 'string') {
    categories.add(category)
    const when = schema['x-sensitive-when'] as Plan['when']
    return { category, fields: [], ...(when && { when }) }
  }
  if (Array.isArray(schema.anyOf)) {
    const plans = schema.anyOf
      .map((branch) => planOf(branch as Plain, mark, categories))
      .filter((plan) => plan !== undefined)
    // Finding the alternative that a value is would have to come first; until a schema needs that, none may go unseen.
    if (plans.length > 1) throw new Error('only one alternative of a schema may hold sensitive fields')
    return plans[0]
  }
  const items = schema.items ? planOf(schema.items as Plain, mark, categories) : undefined
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Plain>).flatMap(([name, property]) => {
    const plan = planOf(property, mark, categories)
    return plan ? [[name, plan] as [string, Plan]] : []
  })
  if (!items && fields.length === 0) return undefined
  return { fields, ...(items && { items }) }
}

function placesOf({ category, when, fields, items }: Plan, at = ''): { category: string; at: string }[] {
  if (category !== undefined) {
    const beside = at.slice(0, at.lastIndexOf('.') + 1)
    return [{ category, at: when ? `${at} where ${beside}${when.field} is ${when.is}` : at }]
  }
  const inside = fields.flatMap(([name, plan]) => placesOf(plan, at === '' ? name : `${at}.${name}`))
  return items ? [...inside, ...placesOf(items, `${at}[]`)] : inside
}

function apply(plan: Plan, value: unknown, granted: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return plan.items ? value.map((item) => apply(plan.items as Plan, item, granted)) : value
  const result: Plain = { ...value }
  for (const [name, field] of plan.fields) {
    if (!(name in result)) continue
    if (field.category === undefined) result[name] = apply(field, result[name], granted)
    else if (!granted.has(field.category) && (!field.when || result[field.when.field] === field.when.is))
      result[name] = null
  }
  return result
}

function namesWithheld(plan: Plan, value: unknown, granted: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value))
    return value.some((item) => plan.items !== undefined && namesWithheld(plan.items, item, granted))
  return plan.fields.some(([name, field]) => {
    const member = (value as Plain)[name]
    if (field.category !== undefined) return member !== undefined && !granted.has(field.category)
    return namesWithheld(field, member, granted)
  })
}
