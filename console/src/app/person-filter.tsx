import { useSearch } from '../lib/router.tsx'
import { stint } from '../lib/service.ts'
import { useAnswer } from '../lib/use-answer.ts'
import { PersonPicker } from './pickers.tsx'

/** A filter by a person, whose id stands in the address. */
export function PersonFilter({ name, label }: { name: string; label: string }) {
  const [search, setSearch] = useSearch()
  const id = search.get(name)
  const { value: person, error } = useAnswer(stint.people.get, id ? { person_id: id } : null)
  const isKnown = person !== null && person.id === id
  // The name of somebody who was set by the address comes a moment later.
  if (id && !isKnown && !error) return null
  return (
    <PersonPicker
      key={id ?? 'anybody'}
      name={name}
      label={label}
      placeholder="Anybody"
      defaultValue={id && isKnown ? { id, name: person.full_name } : null}
      onChoose={(choice) => setSearch({ [name]: choice?.id ?? null })}
    />
  )
}
