import type { ReactNode } from 'react'
import type { CustomField, CustomFieldsListInput } from '#sdk/index.ts'
import { DateField } from '../components/date-field.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextArea } from '../components/text-area.tsx'
import { TextField } from '../components/text-field.tsx'
import type { ApiError } from '../lib/api.ts'
import { faultAt } from '../lib/faults.ts'
import { changesOf } from '../lib/form-values.ts'
import { stint } from '../lib/service.ts'
import { firstPage, useAnswer } from '../lib/use-answer.ts'
import { useMe } from './me.tsx'

type Values = Readonly<Record<string, unknown>>

const fields_max = 100

/** The fields that the organization has added to people or contracts; null while nobody knows. */
export function useCustomFields(entity: NonNullable<CustomFieldsListInput['entity']>, isWanted = true) {
  const { can } = useMe()
  const asked = isWanted && can('organizations:read') ? { entity, limit: fields_max } : null
  return useAnswer(firstPage(stint.custom_fields.list), asked).value?.data ?? null
}

interface CustomInputsProps {
  fields: readonly CustomField[]
  /** By the keys of the fields. */
  values: Values
  error: ApiError | null
}

/** An input for each of these fields, by its type. Those of a category that the own role does not see stay as they are. */
export function CustomInputs({ fields, values, error }: CustomInputsProps) {
  const { sees } = useMe()
  return fields
    .filter(({ category }) => category === null || sees(category))
    .map((field) => (
      <CustomInput
        key={field.id}
        field={field}
        value={values[field.key] ?? null}
        fault={faultAt(error, `/custom_fields/${field.key}`)}
      />
    ))
}

interface CustomInputProps {
  field: CustomField
  value: unknown
  fault: string | undefined
}

const none = { value: '', words: 'Not set' }
const yes_or_no = [none, { value: 'true', words: 'Yes' }, { value: 'false', words: 'No' }]

function CustomInput({ field: { key, name, type, options }, value, fault }: CustomInputProps): ReactNode {
  // The type stands in the name: a form alone tells how its texts are to be read.
  const common = { name: `custom.${type}.${key}`, label: `${name} (optional)`, fault }
  const text = value === null ? '' : String(value)
  if (type === 'date') return <DateField {...common} defaultValue={text} />
  if (type === 'number') return <TextField {...common} inputMode="decimal" autoComplete="off" defaultValue={text} />
  if (type === 'text') return <TextArea {...common} rows={2} maxLength={2_000} defaultValue={text} />
  if (type === 'boolean') return <SelectField {...common} options={yes_or_no} defaultValue={text} />
  if (type === 'select') {
    const choices = options.map((option) => ({ value: option, words: option }))
    return <SelectField {...common} options={[none, ...choices]} defaultValue={text} />
  }
  const chosen = Array.isArray(value) ? value : []
  return (
    <fieldset aria-describedby={fault ? `${key}-fault` : undefined}>
      <legend>{common.label}</legend>
      {/* Present also where nothing is ticked. */}
      <input type="hidden" name={common.name} value="" />
      {options.map((option) => (
        <label key={option} className="choice">
          <input type="checkbox" name={common.name} value={option} defaultChecked={chosen.includes(option)} />
          <span className="choice-words">
            <bdi>{option}</bdi>
          </span>
        </label>
      ))}
      {fault ? (
        <p className="fault" id={`${key}-fault`}>
          {fault}
        </p>
      ) : null}
    </fieldset>
  )
}

/** Readers of the texts of a field by its type; a text that is no number is sent as it is, and the service says so at its field. */
const readers: Readonly<Record<string, (texts: readonly string[]) => unknown>> = {
  number: ([text = '']) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text || null),
  boolean: ([text]) => (text ? text === 'true' : null),
  multi_select: (texts) => (texts.some(Boolean) ? texts.filter(Boolean) : null),
}

/** The change of such values that a form describes, by their keys; null clears one. Undefined where nothing changes. */
export function customChange(form: FormData, before: Values): Record<string, unknown> | undefined {
  const named = [...new Set(form.keys())].flatMap((name) => {
    const [, type = '', key = ''] = /^custom\.([a-z_]+)\.([a-z0-9_]+)$/.exec(name) ?? []
    if (!key) return []
    const texts = form.getAll(name).map((text) => String(text).trim())
    const read = readers[type] ?? (([text]: readonly string[]) => text || null)
    return [[key, read(texts)] as const]
  })
  const changes = changesOf(Object.fromEntries(named), before)
  return Object.keys(changes).length > 0 ? changes : undefined
}
