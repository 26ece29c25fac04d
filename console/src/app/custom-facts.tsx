import type { CustomField, CustomFieldsListInput } from '#sdk/index.ts'
import { Fact } from '../components/facts.tsx'
import { Withheld } from '../components/withheld.tsx'
import { stint } from '../lib/service.ts'
import { firstPage, useAnswer } from '../lib/use-answer.ts'
import { useMe } from './me.tsx'

interface CustomFactsProps {
  entity: NonNullable<CustomFieldsListInput['entity']>
  /** By the keys of the fields. */
  values: Readonly<Record<string, unknown>>
}

/** The values of the fields that the organization has added, by their names. */
export function CustomFacts({ entity, values }: CustomFactsProps) {
  const { can, sees } = useMe()
  const hasAny = Object.keys(values).length > 0 && can('organizations:read')
  const { value } = useAnswer(firstPage(stint.custom_fields.list), hasAny ? { entity, limit: 100 } : null)
  const shown = ({ key, category }: CustomField) => {
    if (category !== null && !sees(category)) return <Withheld />
    const words = wordsOf(values[key])
    return words ? <bdi>{words}</bdi> : <span className="none">–</span>
  }
  return value?.data.map((field) => (
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
