import { type FieldError, validationFailed } from '#core/problems.ts'
import { LabelledValues } from '#core/schema/labels.ts'
import { CalendarDate, Closed, MultilineText, type TSchema, Type } from '#core/schema/schema.ts'
import { compileInput, escapePointer } from '#core/schema/validate.ts'
import type { Transaction } from '#db/database.ts'
import { definitionsOf, type Entity, shownValues } from './custom-field.store.ts'
import type { CustomFieldRow } from './custom-field.ts'

type Values = Record<string, unknown>

/** The field and the hidden member by which a noun has custom fields; `checkCustomFields` gives both their values. */
export const customFieldsOf = (entity: Entity) => ({
  field: {
    type: Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: 100,
      description: 'Values by the keys of your custom fields; null clears one.',
    }),
    shown: LabelledValues,
    labelled: true,
    initial: {},
    example: {},
  } as const,
  shown: { type: LabelledValues, read_from: shownValues(entity), initial: {} } as const,
})

const checkedAs = (value: TSchema) => {
  const validate = compileInput(Closed({ value }))
  return (given: unknown) => validate({ value: given }, false)
}
const Option = Type.String({ maxLength: 100 })
const checks = {
  text: checkedAs(MultilineText(1, 2_000)),
  number: checkedAs(Type.Number()),
  date: checkedAs(CalendarDate),
  boolean: checkedAs(Type.Boolean()),
  select: checkedAs(Option),
  multi_select: checkedAs(Type.Array(Option, { maxItems: 200, set: true })),
}

/**
 * Checks values, by key, against the definitions of the organization, and answers the columns of the row that gets them,
 * whose values so far are `before`. Other keys keep theirs; null clears one. A new row without values may also take its
 * `shown_custom_fields` from `noValues` in a statement that it sends anyway.
 */
export async function checkCustomFields(
  tx: Transaction,
  organization_id: string,
  entity: Entity,
  values: Values = {},
  pointer = '/custom_fields',
  before: Values = {},
): Promise<{ custom_fields: Values; shown_custom_fields: Values }> {
  const keys = Object.keys(values)
  const definitions = await definitionsOf(tx, organization_id, entity, keys)
  const defined = new Map(definitions.map((definition) => [definition.key, definition]))
  const errors: FieldError[] = []
  const custom_fields = { ...before }
  for (const [key, given] of Object.entries(values)) {
    const definition = defined.get(key)
    const checked = definition ? checkValue(definition, given) : { errors: [at('is not a known field')] }
    errors.push(
      ...checked.errors.map((error) => ({ ...error, pointer: `${pointer}/${escapePointer(key)}${error.pointer}` })),
    )
    if (!definition || !('value' in checked)) continue
    if (checked.value === null) delete custom_fields[definition.id]
    else custom_fields[definition.id] = checked.value
  }
  if (errors.length > 0) throw validationFailed(undefined, { errors })
  const shown = definitions.map(({ key, id, category }) => {
    const value = custom_fields[id] ?? null
    return [key, category === null ? value : { category, value }]
  })
  return { custom_fields, shown_custom_fields: Object.fromEntries(shown) }
}

const at = (message: string, place = '') => ({ pointer: place, message })

function checkValue({ type, options }: CustomFieldRow, given: unknown): { errors: FieldError[]; value?: unknown } {
  if (given === null) return { errors: [], value: null }
  const checked = checks[type](given)
  if (!checked.ok) {
    return { errors: checked.errors.map(({ pointer, message }) => at(message, pointer.replace(/^\/value/, ''))) }
  }
  const { value } = checked.value
  if (type !== 'select' && type !== 'multi_select') return { errors: [], value }
  const chosen = [value].flat() as string[]
  const errors = chosen.flatMap((option, place) =>
    options.includes(option) ? [] : [at('is not one of the options', type === 'select' ? '' : `/${place}`)],
  )
  return { errors, value }
}
