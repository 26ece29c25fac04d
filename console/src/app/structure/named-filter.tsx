import { SelectFilter } from '../../components/filters.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'

const rows_max = 100

const lists = {
  departments: stint.departments.list,
  teams: stint.teams.list,
  time_off_policies: stint.time_off_policies.list,
}

interface NamedFilterProps {
  name: string
  label: string
  of: keyof typeof lists
  /** Words for no choice, e.g. `Any team`. */
  any: string
}

/** A filter by a noun that has a name; an organization has tens of each, so all are offered. */
export function NamedFilter({ of, any, ...filter }: NamedFilterProps) {
  const { value } = useAnswer(namesOf, of)
  return <SelectFilter {...filter} options={[{ value: '', words: any }, ...(value ?? [])]} />
}

async function namesOf(of: keyof typeof lists): Promise<{ value: string; words: string }[]> {
  const { data } = await lists[of]({ limit: rows_max }).page()
  return data.map(({ id, name }) => ({ value: id, words: name })).sort((a, b) => a.words.localeCompare(b.words))
}
