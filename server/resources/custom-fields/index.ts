import { hasDependents, invalidState, sensitiveDataRequired, validationFailed } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { countFields, usedOption } from './custom-field.store.ts'
import { type CustomFieldRow, customField, customFieldEvents } from './custom-field.ts'

export { checkCustomFields, customFieldsOf } from './check-values.ts'
export { noValues } from './custom-field.store.ts'

const fields_max = 100

export const customFieldOperations = defineStandardOperations(customField, {
  id: 'custom_fields',
  one: 'a custom field',
  read: 'organizations:read',
  write: 'organizations:write',
  roles: ['owner', 'admin'],
  events: customFieldEvents,
  problems: { create: [invalidState], update: [hasDependents, sensitiveDataRequired] },
  description: {
    create: `A field of people or of contracts; at most ${fields_max} of each.`,
    update: 'An option that a person or contract still has cannot be taken away.',
    delete: 'Its values are shown no more, also if a new field takes its key.',
  },
  async complete(after, before, { tx, caller }) {
    requireOptions(after)
    if (!before && (await countFields(tx, after)) >= fields_max) {
      throw invalidState(`There are ${fields_max} custom fields already, which is the most.`)
    }
    const removed = before?.options.filter((option) => !after.options.includes(option)) ?? []
    // A refusal because one is used would tell the values to a caller who may not see them.
    const { category } = after
    if (removed.length > 0 && category !== null && !caller.sensitive_data.has(category)) {
      throw sensitiveDataRequired(`Taking an option away needs the category ${category}.`)
    }
    const used = removed.length > 0 ? await usedOption(tx, after, removed) : undefined
    if (used !== undefined) throw hasDependents(`The option ${used} is still used.`)
    return after
  },
})

/** Selects have options, others none. */
function requireOptions({ type, options }: CustomFieldRow): void {
  const is_select = type === 'select' || type === 'multi_select'
  if (is_select === options.length > 0) return
  const message = is_select ? 'has at least one option for a select' : `is for selects only, not for a ${type}`
  throw validationFailed(undefined, { errors: [{ pointer: '/options', message }] })
}
