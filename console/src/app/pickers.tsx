import { type Choice, Combobox, type ComboboxProps } from '../components/combobox.tsx'
import { stint } from '../lib/service.ts'

type PickerProps = Omit<ComboboxProps, 'find'>

const found_max = 20

/** Nothing typed is no search. */
const searchOf = (search: string) => ({ limit: found_max, ...(search.trim() && { search: search.trim() }) })

/** Somebody of the organization, by name or e-mail. */
export function PersonPicker(props: PickerProps) {
  return <Combobox placeholder="Name or e-mail" {...props} find={findPeople} />
}

async function findPeople(search: string): Promise<Choice[]> {
  const { data } = await stint.people.list(searchOf(search)).page()
  return data.map(({ id, full_name, email }) => ({ id, name: full_name, hint: email ?? undefined }))
}

type ContractPickerProps = PickerProps & {
  /** Only those in one of these states, of one of these types, or of one worker. */
  only?: Pick<NonNullable<Parameters<typeof stint.contracts.list>[0]>, 'statuses' | 'types' | 'worker_id'>
}

/** A contract, by its title or its worker. */
export function ContractPicker({ only = {}, ...props }: ContractPickerProps) {
  const find = async (search: string): Promise<Choice[]> => {
    const { data } = await stint.contracts.list({ ...only, ...searchOf(search) }).page()
    return data.map(({ id, title, worker_name }) => ({ id, name: `${worker_name} · ${title}` }))
  }
  return <Combobox placeholder="Worker or title" {...props} find={find} />
}

const nouns = {
  departments: stint.departments.list,
  teams: stint.teams.list,
  legal_entities: stint.legal_entities.list,
  working_locations: stint.working_locations.list,
  time_off_policies: stint.time_off_policies.list,
}

/** One of a noun that has a name and little else. */
export function SimplePicker({ of, ...props }: PickerProps & { of: keyof typeof nouns }) {
  const find = async (search: string): Promise<Choice[]> => {
    const { data } = await nouns[of](searchOf(search)).page()
    return data.map(({ id, name }) => ({ id, name }))
  }
  return <Combobox {...props} find={find} />
}
