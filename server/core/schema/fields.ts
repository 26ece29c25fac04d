import type { Static, TArray, TNull, TObject, TOptional, TSchema, TString, TUnion } from 'typebox'
import type { Sql } from '#db/database.ts'
import type { SensitiveCategory } from '../caller.ts'
import { isLabelled, type Labelled } from './labels.ts'
import { partOf } from './objects.ts'
import { Closed, Id, Nullable, Ref, Sensitive, Type } from './schema.ts'

/** The marks of a field, as the entity tables of the domain write them. */
interface Marks {
  /** `!`: always given on create. */
  readonly required?: true
  /** `?`: null where there is no value. */
  readonly nullable?: true
  /** Its absence follows from other fields: callers never write null. */
  readonly never_cleared?: true
  /** `=`: never accepted from a caller. */
  readonly set_by?: 'server'
  /** `~`: accepted on create only. */
  readonly fixed?: true
  /** Words for those who write it, where those of its type do not tell enough. */
  readonly about?: string
  /** A value for the reference and the examples of events; null where none is given. */
  readonly example?: unknown
}

/** The marks of a field that callers only read; `noted` ones are null until it has happened. */
export const server = { set_by: 'server' } as const
export const noted = { ...server, nullable: true } as const

/** A field that one column holds. */
export interface ColumnField extends Marks {
  /** As callers write it; answers show it without bounds and words. */
  readonly type: TSchema
  /** As answers show it, where that says more than the bare type. */
  readonly shown?: TSchema
  /** `@category`: null in answers to callers without the category. */
  readonly category?: SensitiveCategory
  /** Name of the column, and of the value in a row, where the field's own is another one. */
  readonly column?: string
  /** The database computes the column. */
  readonly generated?: true
  /** Read instead of a column: a column of a joined table, or a subquery. */
  readonly read_from?: string | Sql
  /** Each value may have a category of its own: answers show `shown_<column>`, where it is labelled with it. */
  readonly labelled?: true
  /** The row that an id names; a filter by it is refused where there is none. */
  readonly refers?: Referred
  /** The name under which that row is joined, for other fields to `read_from`. */
  readonly joined_as?: string
  /** Told to callers: what is taken where a create leaves the field out. */
  readonly default?: unknown
  /** The value of a new row where nothing is given. */
  readonly initial?: unknown
  /** Brings an accepted value into the form that is stored. */
  readonly stored?: (value: never) => unknown
}

/** `{id, name}` of another row, held in the column `<field>_id`, which is also what callers write. */
export interface RefField extends Marks {
  readonly refers: Referred
  /** As of a column: null in answers to callers without the category. */
  readonly category?: SensitiveCategory
  readonly type?: never
}

/** `{id, name}` of several other rows, held by a table of links; callers write the ids, as `team_ids` for `teams`. */
export interface RefsField extends Pick<Marks, 'about' | 'example'> {
  readonly refers_each: Referred
  readonly links: { readonly table: string; readonly own: string; readonly other: string }
  readonly items_max: number
  readonly type?: never
}

/** An object within the answer whose fields are columns of the same row. */
export interface GroupField extends Pick<Marks, 'required' | 'set_by' | 'about'> {
  readonly group: Fields
}

/** A field of the answer that `compute` of the resource gives. */
export interface ComputedField extends Pick<Marks, 'nullable' | 'example'> {
  readonly type: TSchema
  readonly category?: SensitiveCategory
  readonly computed: true
}

export type Field = ColumnField | RefField | RefsField | GroupField | ComputedField
export interface Fields {
  readonly [name: string]: Field
}

/** A table whose rows others name by id. */
export interface Referred {
  readonly table: string
  /** The column that tells what a row is called; default `name`. */
  readonly label?: string
  /** Rows with `deleted_at` count as missing. */
  readonly soft_delete?: true
}

type Name<Of> = Extract<keyof Of, string>
type OrNull<Of, Schema extends TSchema> = Of extends { nullable: true } | { category: string }
  ? TUnion<[Schema, TNull]>
  : Schema

/** The properties of the answer's schema. */
export type AnswerOf<Of extends Fields> = {
  -readonly [Key in Name<Of>]: Of[Key] extends { group: infer Inner extends Fields }
    ? TObject<AnswerOf<Inner>>
    : Of[Key] extends { shown: infer Shown extends TSchema }
      ? OrNull<Of[Key], Shown>
      : Of[Key] extends { type: infer Schema extends TSchema }
        ? OrNull<Of[Key], Schema>
        : Of[Key] extends RefsField
          ? TArray<typeof Ref>
          : OrNull<Of[Key], typeof Ref>
}

type Unwritable = { set_by: 'server' } | { computed: true } | { generated: true } | { read_from: string | Sql }
type InputName<Of extends Fields, Key extends Name<Of>, Refused> = Of[Key] extends Refused
  ? never
  : Of[Key] extends RefField
    ? `${Key}_id`
    : Of[Key] extends RefsField
      ? Key extends `${infer One}s`
        ? `${One}_ids`
        : never
      : Key
type InputNull<Of, Schema extends TSchema> = Of extends { never_cleared: true }
  ? Schema
  : Of extends { nullable: true }
    ? TUnion<[Schema, TNull]>
    : Schema
type WrittenOf<Of, Changes> = Of extends { group: infer Inner extends Fields }
  ? TObject<Changes extends true ? ChangeOf<Inner> : CreateOf<Inner>>
  : Of extends RefsField
    ? TArray<typeof Id>
    : InputNull<Of, Of extends { type: infer Schema extends TSchema } ? Schema : TString>

/** The properties of the input of a create. */
export type CreateOf<Of extends Fields> = {
  -readonly [Key in Name<Of> as InputName<Of, Key, Unwritable>]: Of[Key] extends
    | { required: true }
    | { default: unknown }
    ? WrittenOf<Of[Key], false>
    : TOptional<WrittenOf<Of[Key], false>>
}

/** The properties of the input of a change, each of them optional. */
export type ChangeOf<Of extends Fields> = {
  -readonly [Key in Name<Of> as InputName<Of, Key, Unwritable | { fixed: true }>]: TOptional<WrittenOf<Of[Key], true>>
}

/** Every value of a row with its field, those of groups and references included. */
type LeafOf<Of extends Fields> = {
  [Key in Name<Of>]: Of[Key] extends { group: infer Inner extends Fields }
    ? LeafOf<Inner>
    : Of[Key] extends { computed: true }
      ? never
      : Of[Key] extends RefField
        ? [`${Key}_id`, Of[Key] & { type: TString }] | [`${Key}_name`, Of[Key] & { type: TString; read_from: string }]
        : Of[Key] extends RefsField
          ? [Key, { type: TArray<typeof Ref>; initial: [] }]
          : [Of[Key] extends { column: infer Column extends string } ? Column : Key, Of[Key]]
}[Name<Of>]

type ValueOf<Of> = Of extends { type: infer Schema extends TSchema }
  ? Of extends { nullable: true }
    ? Static<Schema> | null
    : Static<Schema>
  : never

/** A row of the table with what is joined to it, by column. */
export type RowOf<Of extends Fields, Own extends Fields = Record<never, never>> = {
  [Leaf in LeafOf<Of> | LeafOf<Own> as Leaf[0]]: ValueOf<Leaf[1]>
}

type Begun = { nullable: true } | { initial: unknown }

/** A row to be written: what is nullable or has an initial value may be left out. */
export type NewRowOf<Of extends Fields, Own extends Fields = Record<never, never>> = {
  [Leaf in LeafOf<Of> | LeafOf<Own> as Leaf[1] extends Begun ? never : Leaf[0]]: ValueOf<Leaf[1]>
} & { [Leaf in LeafOf<Of> | LeafOf<Own> as Leaf[1] extends Begun ? Leaf[0] : never]?: ValueOf<Leaf[1]> }

/** The columns that a caller gives: of a create those required are there, of a change none need be. */
export type GivenOf<Of extends Fields, Refused = Unwritable> = {
  [Leaf in LeafOf<Of> as Leaf[1] extends Refused
    ? never
    : Leaf[1] extends { required: true }
      ? Leaf[0]
      : never]: ValueOf<Leaf[1]>
} & { [Leaf in LeafOf<Of> as Leaf[1] extends Unwritable | { required: true } ? never : Leaf[0]]?: ValueOf<Leaf[1]> }
export type ChangedOf<Of extends Fields> = {
  [Leaf in LeafOf<Of> as Leaf[1] extends Unwritable | { fixed: true } ? never : Leaf[0]]?: ValueOf<Leaf[1]>
}

/** The properties that `compute` gives. */
export type ComputedOf<Of extends Fields> = {
  [Key in Name<Of> as Of[Key] extends { computed: true } ? Key : never]: Of[Key] extends {
    type: infer Schema extends TSchema
  }
    ? Static<Schema> | (Of[Key] extends { nullable: true } ? null : never)
    : never
}

export const isGroup = (field: Field): field is GroupField => 'group' in field
export const isComputed = (field: Field): field is ComputedField => 'computed' in field
export const isRefs = (field: Field): field is RefsField => 'refers_each' in field
export const isRef = (field: Field): field is RefField => 'refers' in field && !('type' in field)

/** The input that gives a field: `manager_id` for `manager`, `team_ids` for `teams`. */
export function inputName(name: string, field: Field): string {
  if (isRefs(field)) return `${name.replace(/s$/, '')}_ids`
  return isRef(field) ? `${name}_id` : name
}

function isWritable(field: Field, changes: boolean): field is Exclude<Field, ComputedField> {
  if ('set_by' in field || 'computed' in field || 'generated' in field || 'read_from' in field) return false
  return !(changes && 'fixed' in field)
}

const examples = new WeakMap<object, unknown>()

/** The example that the definition of a field gives to its schema; undefined where it gives none. */
export function exampleOfField(schema: object): unknown {
  return examples.get(schema)
}

function withExample<Schema extends TSchema>(schema: Schema, field: Field): Schema {
  if ('example' in field) examples.set(schema, field.example)
  return schema
}

/** Properties of the answer's schema, in the order of the definition. */
export function answerProperties<Of extends Fields>(fields: Of): AnswerOf<Of> {
  const properties = Object.entries(fields).map(([name, field]) => [name, answerSchema(field)])
  // The cast holds because the type follows the same cases as `answerSchema`.
  return Object.fromEntries(properties) as AnswerOf<Of>
}

function answerSchema(field: Field): TSchema {
  if (isGroup(field)) return Type.Object(answerProperties(field.group))
  if (isRefs(field)) return withExample(Type.Array(Ref), field)
  const schema = isRef(field) ? Ref : shownSchema(field)
  const { category } = field as ColumnField
  if (category) return withExample(Sensitive(category, schema), field)
  return withExample(field.nullable ? Nullable(schema) : { ...schema }, field)
}

/** Leaves out bounds and words of writable fields, which an answer need not repeat; named types stay as they are. */
function shownSchema(field: ColumnField | ComputedField): TSchema {
  if ('shown' in field && field.shown) return field.shown
  const { title, type, enum: values } = field.type as { title?: string; type?: string; enum?: string[] }
  if (title !== undefined || !isWritable(field, false)) return field.type
  if (values) return Type.Enum(values)
  return type === 'string' || type === 'integer' || type === 'boolean' ? ({ type } as TSchema) : field.type
}

/** Properties of the input of a create; an object of them is closed. */
export function createProperties<Of extends Fields>(fields: Of): CreateOf<Of> {
  // The cast holds because the type follows the same cases as `inputProperties`.
  return inputProperties(fields, false) as CreateOf<Of>
}

/** Properties of the input of a change. */
export function changeProperties<Of extends Fields>(fields: Of): ChangeOf<Of> {
  // The cast holds because the type follows the same cases as `inputProperties`.
  return inputProperties(fields, true) as ChangeOf<Of>
}

function inputProperties(fields: Fields, changes: boolean): Record<string, TSchema> {
  const properties = Object.entries(fields).flatMap(([name, field]) => {
    if (!isWritable(field, changes)) return []
    const schema = inputSchema(field, changes)
    const needed = !changes && (('required' in field && field.required) || 'default' in field)
    const property = needed ? schema : Type.Optional(schema)
    const input = inputName(name, field)
    // The example of a reference is what answers show, not an id.
    return [[input, input === name ? withExample(property, field) : property] as const]
  })
  return Object.fromEntries(properties)
}

function inputSchema(field: Exclude<Field, ComputedField>, changes: boolean): TSchema {
  const words = 'about' in field && field.about !== undefined ? { description: field.about } : {}
  if (isGroup(field)) return Closed(inputProperties(field.group, changes), words)
  if (isRefs(field)) return Type.Array(Id, { maxItems: field.items_max, set: true, ...words })
  if (isRef(field)) return field.nullable ? Nullable(Id) : { ...Id, ...words }
  const schema = { ...(changes ? partOf(field.type) : field.type), ...words }
  if (field.nullable && !field.never_cleared) return Nullable(schema)
  return !changes && 'default' in field ? { ...schema, default: field.default } : schema
}

/** The values with the initial ones where none, or null, is given. Fields of groups and references are not looked into. */
export function withInitialValues<Of extends Readonly<Record<string, ColumnField>>>(
  fields: Of,
  values: { readonly [Key in keyof RowOf<Of>]?: RowOf<Of>[Key] | null },
): RowOf<Of> {
  const filled = Object.entries(fields).map(([name, { initial = null }]) => [
    name,
    (values as Record<string, unknown>)[name] ?? initial,
  ])
  // The casts hold for every object, and because each field is there.
  return Object.fromEntries(filled) as RowOf<Of>
}

type Plain = Record<string, unknown>

/** The places of the sensitive fields of a schema: a tree that follows only the branches that hold one. */
interface Plan {
  category?: string
  when?: { field: string; is: string }
  fields: [name: string, plan: Plan][]
  items?: Plan
  /** Its values carry their categories themselves. */
  is_labelled?: true
}

/** Compiles the rules of the marked fields of a schema: those made with `Sensitive`, or those made with `Observed`. */
export function compileWithholding(schema: TSchema, mark = 'x-sensitive') {
  const plan = planOf(schema as Plain, mark)
  const places = plan ? placesOf(plan) : []
  const is_labelled = plan !== undefined && holdsLabelled(plan)
  const categories = [...new Set(places.map(({ category }) => category))].sort()
  const withheld = (granted: ReadonlySet<string>) => categories.filter((name) => !granted.has(name))
  return {
    /** Every category named in the schema. */
    categories,
    /** The categories of the schema that are not granted, for the header `Sensitive-Data-Withheld`. */
    withheld,
    /** Returns true when a value of the same form, as an input is, names a field whose category is not granted. */
    names: (value: unknown, granted: ReadonlySet<string>): boolean =>
      plan !== undefined && withheld(granted).length > 0 && namesWithheld(plan, value, granted),
    /** The places of the fields of these categories, such as `{compensation: ['data[].compensation.amount']}`. */
    fieldsOf: (wanted: readonly string[]): Record<string, string[]> =>
      Object.fromEntries(
        wanted.map((category) => [category, places.filter((place) => place.category === category).map(({ at }) => at)]),
      ),
    /** The value with null in place of each field whose category is not granted; the given value is not changed. */
    withhold: <Value>(value: Value, granted: ReadonlySet<string>): Value =>
      // The cast holds because only fields that allow null are replaced.
      plan && (is_labelled || withheld(granted).length > 0) ? (apply(plan, value, granted, hidden) as Value) : value,
    /** True when a value of the same form, as an input is, gives values that may have categories of their own. */
    namesLabelled: (value: unknown): boolean => is_labelled && givesLabelled(plan, value),
    /** The value with labelled ones as themselves, and the categories not granted among them. */
    open(value: unknown, granted: ReadonlySet<string>): { value: unknown; withheld: string[] } {
      if (!plan || !is_labelled) return { value, withheld: [] }
      const labels = new Set<string>()
      const bare = (label: Labelled) => {
        if (!granted.has(label.category)) labels.add(label.category)
        return label.value
      }
      return { value: apply(plan, value, { has: () => true }, bare), withheld: [...labels] }
    },
  }
}

const holdsLabelled = ({ is_labelled, items, fields }: Plan): boolean =>
  is_labelled === true ||
  (items !== undefined && holdsLabelled(items)) ||
  fields.some(([, inner]) => holdsLabelled(inner))

const hidden = (label: Labelled, granted: Granted): Labelled =>
  granted.has(label.category) ? label : { ...label, value: null }

function planOf(schema: Plain, mark: string): Plan | undefined {
  if (schema['x-labelled'] && mark === 'x-sensitive') return { fields: [], is_labelled: true }
  const category = schema[mark]
  if (typeof category === 'string') {
    const when = schema['x-sensitive-when'] as Plan['when']
    return { category, fields: [], ...(when && { when }) }
  }
  if (Array.isArray(schema.anyOf)) {
    const plans = schema.anyOf.map((branch) => planOf(branch as Plain, mark)).filter((plan) => plan !== undefined)
    // Finding the alternative that a value is would have to come first; until a schema needs that, none may go unseen.
    if (plans.length > 1) throw new Error('only one alternative of a schema may hold sensitive fields')
    return plans[0]
  }
  const items = schema.items ? planOf(schema.items as Plain, mark) : undefined
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Plain>).flatMap(([name, property]) => {
    const plan = planOf(property, mark)
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

type Granted = Pick<ReadonlySet<string>, 'has'>
type AtLabel = (label: Labelled, granted: Granted) => unknown

/** Copies only what changes: a list whose fields are all granted stays the one that was read. */
function apply(plan: Plan, value: unknown, granted: Granted, atLabel: AtLabel): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { items, is_labelled } = plan
  if (Array.isArray(value)) {
    if (!items) return value
    const applied = value.map((item) => apply(items, item, granted, atLabel))
    return applied.some((item, at) => item !== value[at]) ? applied : value
  }
  // The cast holds for every object that is no array.
  const before = value as Plain
  let result = before
  const put = (name: string, next: unknown) => {
    if (next === before[name]) return
    if (result === before) result = { ...before }
    result[name] = next
  }
  if (is_labelled) {
    for (const [name, one] of Object.entries(before)) if (isLabelled(one)) put(name, atLabel(one, granted))
  }
  for (const [name, field] of plan.fields) {
    if (!(name in before)) continue
    if (field.category === undefined) put(name, apply(field, before[name], granted, atLabel))
    else if (!granted.has(field.category) && (!field.when || before[field.when.field] === field.when.is))
      put(name, null)
  }
  return result
}

function givesLabelled({ is_labelled, fields }: Plan, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (is_labelled) return Object.keys(value).length > 0
  return fields.some(([name, field]) => givesLabelled(field, (value as Plain)[name]))
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
