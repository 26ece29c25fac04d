import type { PeopleCreateInput, PeopleUpdateInput, Person } from '#sdk/index.ts'
import { changesOf, objectOf, valuesOf } from '../../lib/form-values.ts'
import { customChange } from '../custom-inputs.tsx'

const texts = [
  ...['first_name', 'last_name', 'preferred_name', 'email', 'personal_email', 'phone', 'external_id', 'country'],
  ...['timezone', 'date_of_birth', 'nationality', 'vat_id', 'job_title', 'seniority', 'start_date', 'worker_type'],
  ...['department_id', 'manager_id', 'working_location_id', 'legal_entity_id'],
] as const

/** The fields in which a refusal is shown; one about another field stands above the form. */
export const person_pointers = [
  ...texts.map((name) => `/${name}`),
  ...['/team_ids', '/home_address', '/emergency_contact', '/custom_fields'],
] as const

type Given = Partial<Record<(typeof texts)[number], string | null>> & {
  team_ids: string[]
  home_address?: object | null
  emergency_contact?: object | null
}

/** A person as the form has it. Fields that the own role does not see are not in the form, and stay as they are. */
function given(form: FormData): Given {
  const [home_address, emergency_contact] = [objectOf(form, 'home_address'), objectOf(form, 'emergency_contact')]
  return {
    ...valuesOf(form, texts),
    // The cast holds because a form without files has texts only.
    team_ids: form.getAll('team_ids') as string[],
    ...(home_address !== undefined && { home_address }),
    ...(emergency_contact !== undefined && { emergency_contact }),
  }
}

/** The casts hold as far as the form goes; the service names the field that is missing or wrong. */
export function newPerson(form: FormData): PeopleCreateInput {
  const values = { ...given(form), custom_fields: customChange(form, {}) }
  const filled = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(filled) as unknown as PeopleCreateInput
}

const idOf = (ref: { id: string } | null) => ref?.id ?? null

/** Only what differs, so that what another one changed meanwhile stays. */
export function changedPerson(form: FormData, person: Person): Omit<PeopleUpdateInput, 'person_id'> {
  const before = {
    ...person,
    department_id: idOf(person.department),
    manager_id: idOf(person.manager),
    working_location_id: idOf(person.working_location),
    legal_entity_id: idOf(person.legal_entity),
    team_ids: person.teams.map(({ id }) => id),
  }
  const custom_fields = customChange(form, person.custom_fields)
  const changes = { ...changesOf(given(form), before), ...(custom_fields && { custom_fields }) }
  return changes as Omit<PeopleUpdateInput, 'person_id'>
}
