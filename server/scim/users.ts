import type { Caller } from '#core/caller.ts'
import type { Context } from '#core/operation.ts'
import {
  emailsOf,
  type PersonRow,
  type Provision,
  peopleNamed,
  person,
  provisioningEvents,
  provisioningProblems,
  provisionPerson,
  removeProvisioned,
} from '#resources/people/index.ts'
import { isList, type Place } from './attribute.ts'
import { requireWhole } from './body.ts'
import { type Rules, type Write, writableOf } from './operations.ts'
import { applyChanges, columnsOf, differenceOf, readWhole, writablePlaces } from './patch.ts'
import { refuse } from './refusals.ts'
import { isAssigned, pruned, type Resource, valueAt, withValue } from './resource.ts'
import { enterprise_schema, user_type } from './schema.ts'

const bag_bytes_max = 16_384

/** A SCIM user is a person: a write becomes a `Provision`, which people make by their own rules. */
export const users: Rules<PersonRow> = {
  id: 'users',
  type: user_type,
  emits: () => provisioningEvents,
  problems: provisioningProblems,
  lock: person.lock,
  change: store,
  remove: removeProvisioned,

  // All but what came through SCIM (design 8.2).
  keeps: (current, { scim_written }) =>
    writablePlaces(user_type)
      .filter((place) => nameOf(place) !== 'active' && scim_written.includes(nameOf(place)))
      .reduce((kept, place) => withValue(kept, place.path, undefined), current),

  async create(context, sent) {
    // A new user may sign in, unless the client says otherwise.
    const changes = [...readWhole(user_type, { active: true }), ...sent]
    const next = applyChanges({}, changes)
    requireWhole(user_type, next)
    const known = await knownAs(next, context)
    if (!known) return (await store(context, null, { current: {}, next, changes })).id
    refuseTaken(known, next)
    const current = await writableOf(context, user_type, known.id)
    return (await store(context, known, { current, next: applyChanges(current, changes), changes })).id
  },
}

/** The person that a new user is: by the user name, else the only one with the e-mail address (design 8.1). */
async function knownAs(sent: Resource, { tx, caller: { organization_id } }: Context): Promise<PersonRow | null> {
  const user_name = String(sent.userName)
  const matches = await peopleNamed(tx, organization_id, { user_name, emails: emailsOf(sent) })
  const by_email = matches.filter(({ is_by_name }) => !is_by_name)
  const found = matches.find(({ is_by_name }) => is_by_name) ?? (by_email.length === 1 ? by_email[0] : undefined)
  return found ? person.get(tx, { organization_id, id: found.id }) : null
}

function refuseTaken({ scim_linked_at, scim_removed_at, scim_external_id }: PersonRow, sent: Resource): void {
  if (scim_linked_at !== null && scim_removed_at === null) {
    throw refuse('uniqueness', `A user with the userName ${sent.userName} exists.`)
  }
  const is_other = scim_external_id !== null && sent.externalId !== undefined && scim_external_id !== sent.externalId
  if (scim_removed_at === null || !is_other) return
  const other = `A removed user had the userName ${sent.userName} and another externalId`
  throw refuse('conflict', `${other}: somebody has to decide whether it is the same person.`)
}

function store(context: Context, before: PersonRow | null, write: Write): Promise<PersonRow> {
  return provisionPerson(context, before, provisionOf(write, before, context.caller))
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
  if (Buffer.byteLength(JSON.stringify(bag)) > bag_bytes_max) {
    throw refuse('invalidValue', `The descriptive attributes of a user hold ${bag_bytes_max} bytes at most.`)
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
