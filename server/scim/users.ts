import type { Caller } from '#core/caller.ts'
import { emailsOf, type PersonRow, type Provision, person, provisionedPeople } from '#resources/people/index.ts'
import { isList, type Place } from './attribute.ts'
import type { Rules, Write } from './operations.ts'
import { columnsOf, differenceOf, writablePlaces } from './patch.ts'
import { isAssigned, pruned, type Resource, valueAt, withValue } from './resource.ts'
import { enterprise_schema, user_type } from './schema.ts'

/** A SCIM user is a person: a write becomes a `Provision`, which people make by their own rules. */
export const users: Rules<PersonRow> = {
  ...{ ...provisionedPeople, id: 'users', type: user_type, lock: person.lock },
  // A new user may sign in, unless the client says otherwise.
  initial: { active: true },
  // All but what came through SCIM (design 8.2).
  keeps: (current, { scim_written }) =>
    writablePlaces(user_type)
      .filter((place) => nameOf(place) !== 'active' && scim_written.includes(nameOf(place)))
      .reduce((kept, place) => withValue(kept, place.path, undefined), current),

  write: (context, before, write) =>
    provisionedPeople.write(context, before, provisionOf(write, before, context.caller)),
}

/** Names as `scim_written` holds them: `name.givenName`, `emails`, `department`. */
const nameOf = ({ path: [outer = '', inner = ''], key }: Place) => (outer.startsWith('urn:') ? inner : key)

/** The changes that a write makes to a person. Attributes that are alike before and after it are left alone. */
function provisionOf(
  { current, next, changes }: Write,
  before: PersonRow | null,
  { sensitive_data }: Caller,
): Provision {
  const places = differenceOf(user_type, current, next)
  let fields: Partial<PersonRow> = columnsOf(user_type, current, next)
  // The cast holds because the column holds an object.
  let bag = (before?.scim_bag ?? {}) as Resource
  for (const place of places) {
    const { is_kept, sets } = place.own.stored ?? {}
    const value = valueAt(next, place.path)
    if (is_kept) bag = withValue(bag, place.path, value)
    // A list that was not wholly shown clears nothing of what was hidden.
    const is_whole =
      sensitive_data.has('home_address') || !isList(place) || before?.scim_written.includes(nameOf(place))
    const set = sets?.(value) ?? {}
    fields = { ...fields, ...(is_whole ? set : pruned({ ...set })) }
  }
  const text = (...path: string[]) => {
    const value = valueAt(next, path)
    return typeof value === 'string' ? value : null
  }
  const user_name = String(next.userName)
  return {
    ...{ fields, bag, user_name, emails: emailsOf(next) },
    changed: [...new Set(places.map(nameOf))],
    assigned: writablePlaces(user_type)
      .filter(({ path }) => isAssigned(valueAt(next, path)))
      .map(nameOf),
    first_name: text('name', 'givenName'),
    last_name: text('name', 'familyName'),
    only_name: text('displayName') ?? user_name,
    department: text(enterprise_schema.id, 'department'),
    manager: text(enterprise_schema.id, 'manager', 'value'),
    // Written by the client: true then opens an access that nobody ever had, too.
    opens: next.active === true && changes.some(({ target }) => target.place.key === 'active'),
  }
}
