import type { CustomField, CustomFieldsListInput } from '#sdk/index.ts'
import { Fact } from '../components/facts.tsx'
import { Withheld } from '../components/withheld.tsx'
import { useCustomFields } from './custom-inputs.tsx'
import { useMe } from './me.tsx'

interface CustomFactsProps {
  entity: NonNullable<CustomFieldsListInput['entity']>
  /** By the keys of the fields. */
  values: Readonly<Record<string, unknown>>
}

/** The values of the fields that the organization has added, by their names. */
export function CustomFacts({ entity, values }: CustomFactsProps) {
  const { sees } = useMe()
  const fields = useCustomFields(entity, Object.keys(values).length > 0)
  const shown = ({ key, category }: CustomField) => {
    if (category !== null && !sees(category)) return <Withheld />
    const words = wordsOf(values[key])
    return words ? <bdi>{words}</bdi> : <span className="none">–</span>
  }
  return fields?.map((field) => (
    <Fact key={field.id} name={field.name}>
      {shown(field)}
    </Fact>
  ))
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return [value].flat().join(', ')
}
