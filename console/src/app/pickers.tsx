import { type Choice, Combobox, type ComboboxProps } from '../components/combobox.tsx'
import { stint } from '../lib/service.ts'

type PickerProps = Omit<ComboboxProps, 'find'>

const found_max = 20
const rows_max = 100

/** Nothing typed is no search. */
const searchOf = (search: string) => ({ limit: found_max, ...(search.trim() && { search: search.trim() }) })

/** Somebody of the organization, by name or e-mail. */
export function PersonPicker(props: PickerProps) {
  return <Combobox placeholder="Name or e-mail" {...props} find={findPeople} />
}

export async function findPeople(search: string): Promise<Choice[]> {
  const { data } = await stint.people.list(searchOf(search)).page()
  return data.map(({ id, full_name, email }) => ({ id, name: full_name, hint: email ?? undefined }))
}

type Only = Pick<NonNullable<Parameters<typeof stint.contracts.list>[0]>, 'statuses' | 'types' | 'worker_id'>

/** A contract, by its title or its worker; only those in one of these states, of one of these types, or of one worker. */
export function ContractPicker({ only = {}, ...props }: PickerProps & { only?: Only }) {
  return <Combobox placeholder="Worker or title" {...props} find={(search) => findContracts(search, only)} />
}

export async function findContracts(search: string, only: Only = {}): Promise<Choice[]> {
  const { data } = await stint.contracts.list({ ...only, ...searchOf(search) }).page()
  return data.map(({ id, title, worker_name }) => ({ id, name: `${worker_name} · ${title}` }))
}

const nouns = {
  departments: stint.departments.list,
  teams: stint.teams.list,
  legal_entities: looked(() => stint.legal_entities.list({ limit: rows_max })),
  working_locations: looked(() => stint.working_locations.list({ limit: rows_max })),
  time_off_policies: looked(() => stint.time_off_policies.list({ limit: rows_max })),
}

/** A list that cannot be searched, of which an organization has few: what is typed is looked for here. */
function looked<Row extends { name: string }>(list: () => { page(): Promise<{ data: Row[] }> }) {
  return ({ search = '' }: { search?: string }) => ({
    async page() {
      const { data } = await list().page()
      return { data: data.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())) }
    },
  })
}

/** One of a noun that has a name and little else. */
export function SimplePicker({ of, ...props }: PickerProps & { of: keyof typeof nouns }) {
  const find = async (search: string): Promise<Choice[]> => {
    const { data } = await nouns[of](searchOf(search)).page()
    return data.map(({ id, name }) => ({ id, name }))
  }
  return <Combobox {...props} find={find} />
}
