import { useState } from 'react'
import type { CustomField } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { TextField } from '../../components/text-field.tsx'
import { wordsOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { textOf } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import { type FieldOf, kindOf } from './kind.ts'

const entities = [
  { value: 'person', words: 'People' },
  { value: 'contract', words: 'Contracts' },
]
const types = [
  { value: 'text', words: 'Text' },
  { value: 'number', words: 'Number' },
  { value: 'date', words: 'Date' },
  { value: 'boolean', words: 'Yes or no' },
  { value: 'select', words: 'One of some' },
  { value: 'multi_select', words: 'Several of some' },
]
const wordsIn = (table: typeof types, value: string) => table.find((one) => one.value === value)?.words ?? value

/** Fields that the organization adds to its people or contracts. */
export const custom_fields = kindOf<CustomField>({
  name: 'fields',
  words: 'Own fields',
  one: 'field',
  about: 'What you keep of people or contracts beside what is there already, such as a badge number.',
  has_search: false,
  list: () => stint.custom_fields.list(),
  create: (values, idempotency_key) =>
    stint.custom_fields.create(values as Parameters<typeof stint.custom_fields.create>[0], { idempotency_key }),
  update: (custom_field_id, values) => stint.custom_fields.update({ custom_field_id, ...values }),
  remove: (custom_field_id) => stint.custom_fields.delete({ custom_field_id }),
  removal: 'Its values are shown no more, also if a new field takes its key.',
  code: { words: 'Key', of: ({ key }) => key },
  under: ({ entity, type, options, category }) => (
    <span className="badges">
      {[wordsIn(entities, entity), wordsIn(types, type), options.join(', ')].filter(Boolean).join(' · ')}
      {category ? <Badge>{wordsOf(category)}</Badge> : null}
    </span>
  ),
  fields: ['key', 'entity', 'type', 'category'],
  Fields: DefinitionFields,
  values: (form) => (form.has('options') ? { options: linesOf(textOf(form, 'options')) } : {}),
})

const linesOf = (text: string) => [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean)

/** Of a field that is there its name and its options can change: values are kept by the rest. */
function DefinitionFields({ row, field }: { row: CustomField | undefined; field: FieldOf }) {
  const { sensitive_data } = useMe().membership
  const [type, setType] = useState<string>(row?.type ?? 'text')
  const categories = sensitive_data.map(({ name, words }) => ({ value: name, words }))
  return (
    <>
      {row ? null : (
        <>
          <TextField
            {...field('key', 'Key')}
            required
            maxLength={40}
            spellCheck={false}
            autoComplete="off"
            placeholder="badge_number"
            hint="Names the value in the API: small letters, digits and _, a letter first. It stays as it is."
          />
          <div className="pair">
            <SelectField {...field('entity', 'Of')} options={entities} />
            <SelectField
              {...field('type', 'Holds')}
              options={types}
              value={type}
              onChange={({ currentTarget }) => setType(currentTarget.value)}
            />
          </div>
          <SelectField
            {...field('category', 'Who sees its values')}
            options={[{ value: '', words: 'Whoever sees the rest' }, ...categories]}
          />
        </>
      )}
      {type === 'select' || type === 'multi_select' ? (
        <TextArea
          {...field('options', 'Options')}
          required
          rows={4}
          defaultValue={row?.options.join('\n')}
          hint="One on each line. One that is still used cannot be taken away."
        />
      ) : null}
    </>
  )
}
