import type { Caller } from '#core/caller.ts'
import type { PersonRow } from '#resources/people/index.ts'
import { named } from '#resources/people/index.ts'
import { isList, type Place, writablePlaces } from './attribute.ts'
import { refuse } from './refusals.ts'
import { isAssigned, pruned, type Resource, valueAt, withValue } from './resource.ts'
import { enterprise_schema, user_type } from './schema.ts'
import { columnsOf, differenceOf } from './write.ts'

const bag_bytes_max = 16_384

/** A person as a client's write leaves it, and the attributes that it really changed. */
export interface Written {
  readonly row: PersonRow
  /** Names as `scim_written` holds them: `name.givenName`, `emails`, `department`. */
  readonly changed: readonly string[]
  /** Present where the department is another: its name, or null for none. */
  readonly department?: string | null
  /** The same for the manager: what the client sent. */
  readonly manager?: string | null
}

const nameOf = ({ path: [outer = '', inner = ''], key }: Place) => (outer.startsWith('urn:') ? inner : key)

/** The part of a user that a PUT leaves alone where it does not name it: all but what came through SCIM (design 8.2). */
export function keptByPut(current: Resource, { scim_written }: PersonRow): Resource {
  return writablePlaces(user_type)
    .filter((place) => nameOf(place) !== 'active' && scim_written.includes(nameOf(place)))
    .reduce((kept, place) => withValue(kept, place.path, undefined), current)
}

/**
 * Brings a person from one representation to another. Attributes that are alike in both are left alone. The e-mail address
 * is chosen by the caller of this, since it depends on others.
 */
export function writeUser(before: PersonRow, current: Resource, next: Resource, { sensitive_data }: Caller): Written {
  const places = differenceOf(user_type, current, next)
  const changed = [...new Set(places.map(nameOf))]
  const text = (...path: string[]) => {
    const value = valueAt(next, path)
    return typeof value === 'string' ? value : null
  }
  let fields: Partial<PersonRow> = columnsOf(user_type, current, next)
  // The cast holds because the column holds an object.
  let bag = before.scim_bag as Resource
  for (const place of places) {
    const { is_kept, sets } = place.own.stored ?? {}
    const value = valueAt(next, place.path)
    if (is_kept) bag = withValue(bag, place.path, value)
    // A list that was not wholly shown clears nothing of what was hidden.
    const is_whole = sensitive_data.has('home_address') || !isList(place) || before.scim_written.includes(nameOf(place))
    const set = sets?.(value) ?? {}
    fields = { ...fields, ...(is_whole ? set : pruned({ ...set })) }
  }
  if (changed.some((name) => /^name\.(given|family)Name$|^(displayName|userName)$/.test(name))) {
    const [first_name, last_name] = [text('name', 'givenName'), text('name', 'familyName')]
    const is_nameless = first_name === null && last_name === null
    bag = withValue(bag, ['nameless'], is_nameless || undefined)
    // Somebody without parts of a name is called by the name that is shown, and by the user name where there is none.
    const only = is_nameless ? (text('displayName') ?? text('userName')) : last_name
    fields = { ...fields, first_name: first_name ?? '', last_name: only ?? '' }
  }
  if (Buffer.byteLength(JSON.stringify(bag)) > bag_bytes_max) {
    throw refuse('invalidValue', `The descriptive attributes of a user hold ${bag_bytes_max} bytes at most.`)
  }
  const came = (name: string) => changed.includes(name) || before.scim_written.includes(name)
  const written = writablePlaces(user_type)
    .filter((place) => isAssigned(valueAt(next, place.path)))
    .map(nameOf)
  const { id: urn } = enterprise_schema
  return {
    row: named({ ...before, ...fields, scim_written: written.filter(came).sort(), scim_bag: bag }),
    changed,
    ...(changed.includes('department') && { department: text(urn, 'department') }),
    ...(changed.includes('manager') && { manager: text(urn, 'manager', 'value') }),
  }
}

/** The user name is kept beside the e-mail address only where it differs. */
export function withEmail(row: PersonRow, email: string | null, { userName }: Resource): PersonRow {
  return { ...row, email, user_name: userName === email ? null : String(userName) }
}
