import type { PersonRow } from './person.ts'

/** The fields of a person that provisioning writes too, each with the SCIM attribute that it is part of. */
const attributes = {
  first_name: 'name.givenName',
  last_name: 'name.familyName',
  preferred_name: 'nickName',
  job_title: 'title',
  email: 'emails',
  personal_email: 'emails',
  phone: 'phoneNumbers',
  home_address: 'addresses',
  locale: 'locale',
  timezone: 'timezone',
  department_id: 'department',
  manager_id: 'manager',
} as const satisfies Partial<Record<keyof PersonRow, string>>

/** Attributes that are kept as they were sent, until somebody else changes the field they belong to. */
interface Bag {
  emails?: Entry[]
  phoneNumbers?: Entry[]
  addresses?: Entry[]
  locale?: string
  timezone?: string
}
type Entry = { value?: string; type?: string; primary?: boolean }

/**
 * A person after a change that did not come through SCIM: what was changed belongs to the client no more, so a later PUT
 * without it leaves it alone, and an entry that held the old value holds the new one.
 */
export function withoutProvisioned(before: PersonRow, after: PersonRow): PersonRow {
  const changed = Object.entries(attributes).filter(([field]) => {
    const name = field as keyof PersonRow
    return JSON.stringify(before[name]) !== JSON.stringify(after[name])
  })
  if (changed.length === 0 || before.scim_linked_at === null) return after
  const gone = new Set<string>(changed.map(([, attribute]) => attribute))
  const { emails, phoneNumbers, addresses, locale, timezone, ...rest } = before.scim_bag as Bag
  const replaced = (entries: Entry[] | undefined, [from, to]: [string | null, string | null], type: string) =>
    from === to || !entries
      ? entries
      : entries.flatMap((entry) => {
          const isIt = from !== null ? entry.value === from : entry.type === type
          return isIt ? (to === null ? [] : [{ ...entry, value: to }]) : [entry]
        })
  const bag = {
    ...rest,
    emails: replaced(
      replaced(emails, [before.email, after.email], 'work'),
      [before.personal_email, after.personal_email],
      'home',
    ),
    phoneNumbers: replaced(phoneNumbers, [before.phone, after.phone], 'mobile'),
    addresses: gone.has('addresses') ? addresses?.filter(({ type }) => type !== 'home') : addresses,
    locale: gone.has('locale') ? undefined : locale,
    timezone: gone.has('timezone') ? undefined : timezone,
  }
  return {
    ...after,
    // A manager that was chosen here replaces the one that the client named.
    manager_ref: gone.has('manager') ? null : after.manager_ref,
    scim_written: before.scim_written.filter((attribute) => !gone.has(attribute)),
    scim_bag: Object.fromEntries(Object.entries(bag).filter(([, value]) => value !== undefined)),
  }
}
