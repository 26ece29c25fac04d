import { isDeepStrictEqual } from 'node:util'
import { canonicalLocale, isCountry, isEmail, isTimeZone, phone_pattern } from '#core/values.ts'
import type { PersonRow } from '#resources/people/index.ts'
import { named } from '#resources/people/index.ts'
import { refuse } from './errors.ts'
import { asResource, isAssigned, type Resource } from './match.ts'
import { enterprise_schema } from './schema.ts'
import { assigned } from './user.ts'

const enterprise = enterprise_schema.id
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

/** A representation by the names of its attributes, those of the extension and the parts of the name among them. */
export function flat(resource: Resource): Resource {
  const { [enterprise]: described, name, ...rest } = resource
  const parts = Object.entries(asResource(name) ?? {}).map(([part, value]) => [`name.${part}`, value])
  return { ...rest, ...Object.fromEntries(parts), ...asResource(described) }
}

/** The representation that a PUT asks for: what it leaves out goes only if its value came through SCIM (design 8.2). */
export function replaced(current: Resource, sent: Resource, { scim_written }: PersonRow): Resource {
  const keep = (name: string) => name === 'active' || !scim_written.includes(name)
  const { [enterprise]: sent_described, name: sent_name, ...sent_rest } = sent
  const { [enterprise]: described, name, ...rest } = current
  const merged = (now: Resource, next: Resource, prefix = '') => ({
    ...Object.fromEntries(Object.entries(now).filter(([key]) => keep(`${prefix}${key}`))),
    ...next,
  })
  return assigned({
    ...merged(rest, sent_rest),
    name: merged(asResource(name) ?? {}, asResource(sent_name) ?? {}, 'name.'),
    [enterprise]: merged(asResource(described) ?? {}, asResource(sent_described) ?? {}),
  })
}

/**
 * Brings a person from one representation to another. Attributes that are alike in both are left alone, also those that the
 * caller may not see. The e-mail address is chosen by the caller of this, since it depends on others.
 */
export function write(before: PersonRow, current: Resource, next: Resource): Written {
  const [was, is] = [flat(current), flat(next)]
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  const changed = [...names].filter((name) => !isDeepStrictEqual(was[name], is[name]))
  const touches = (name: string) => changed.includes(name)
  const text = (name: string) => (isAssigned(is[name]) ? String(is[name]) : null)
  const fields: Partial<PersonRow> = {
    ...(touches('externalId') && { scim_external_id: text('externalId') }),
    ...(changed.some((name) => /^name\.(given|family)Name$|^(displayName|userName)$/.test(name)) && namesOf(text)),
    ...(touches('nickName') && { preferred_name: text('nickName') }),
    ...(touches('title') && { job_title: text('title') }),
    ...(touches('locale') && localeOf(text('locale'))),
    ...(touches('timezone') && zoneOf(text('timezone'))),
    ...(touches('active') && { access: is.active === false ? 'disabled' : 'enabled' }),
    ...(touches('emails') && { personal_email: entryOf(is.emails, ['home'], isEmail) }),
    ...(touches('phoneNumbers') && { phone: entryOf(is.phoneNumbers, ['mobile', 'home'], isPhone) }),
    ...(touches('addresses') && { home_address: addressOf(is.addresses) }),
  }
  const manager = touches('manager') && { manager: textOf(asResource(is.manager)?.value) }
  const row = named({
    ...before,
    ...fields,
    ...(manager && { manager_ref: null }),
    scim_written: [...new Set([...before.scim_written, ...changed])].filter((name) => isAssigned(is[name])).sort(),
    scim_bag: bagOf(before, next, changed, fields),
  })
  return { row, changed, ...(touches('department') && { department: text('department') }), ...manager }
}

/** Attributes that no column holds, and those whose column holds less than was sent. */
const kept_whole = ['displayName', 'profileUrl', 'userType', 'preferredLanguage', 'locale', 'timezone'] as const
const kept_lists = ['emails', 'phoneNumbers', 'addresses', 'roles'] as const
const kept_described = ['employeeNumber', 'costCenter', 'organization', 'division'] as const
const kept_names = ['formatted', 'middleName', 'honorificPrefix', 'honorificSuffix'] as const

function bagOf(
  before: PersonRow,
  next: Resource,
  changed: readonly string[],
  { last_name }: Partial<PersonRow>,
): object {
  const bag = before.scim_bag as Resource
  const is = flat(next)
  const keep = (names: readonly string[], old: Resource, prefix = ''): Resource =>
    Object.fromEntries(
      names.map((name) => [name, changed.includes(`${prefix}${name}`) ? is[`${prefix}${name}`] : old[name]]),
    )
  const isNameless = !isAssigned(is['name.givenName']) && !isAssigned(is['name.familyName'])
  const kept = assigned({
    ...keep([...kept_whole, ...kept_lists], bag),
    name: assigned(keep(kept_names, asResource(bag.name) ?? {}, 'name.')),
    [enterprise]: assigned(keep(kept_described, asResource(bag[enterprise]) ?? {})),
    nameless: last_name === undefined ? bag.nameless : isNameless || undefined,
  })
  if (Buffer.byteLength(JSON.stringify(kept)) > bag_bytes_max) {
    throw refuse('invalidValue', `The descriptive attributes of a user hold ${bag_bytes_max} bytes at most.`)
  }
  return kept
}

/** Somebody without parts of a name is called by the name that is shown, and by the user name where there is none. */
function namesOf(text: (name: string) => string | null): Partial<PersonRow> {
  const [first_name, last_name] = [text('name.givenName'), text('name.familyName')]
  if (first_name ?? last_name) return { first_name: first_name ?? '', last_name: last_name ?? '' }
  return { first_name: '', last_name: text('displayName') ?? text('userName') ?? '' }
}

const localeOf = (text: string | null): Partial<PersonRow> => {
  const locale = text === null ? null : canonicalLocale(text.replaceAll('_', '-'))
  return locale ? { locale } : {}
}

const zoneOf = (timezone: string | null): Partial<PersonRow> =>
  timezone !== null && isTimeZone(timezone) ? { timezone } : {}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const isPhone = (text: string) => new RegExp(phone_pattern).test(text)

/** The value of the first entry of one of these kinds, in the order of the kinds; null where it has another form. */
function entryOf(entries: unknown, kinds: readonly string[], fits: (text: string) => boolean): string | null {
  const found = kinds.flatMap((kind) => entriesOf(entries).filter(({ type }) => type === kind))
  const value = textOf(found[0]?.value)
  return value !== null && fits(value) ? value : null
}

function entriesOf(entries: unknown): Resource[] {
  return Array.isArray(entries) ? entries.map((entry) => asResource(entry) ?? {}) : []
}

function addressOf(entries: unknown): PersonRow['home_address'] {
  const { streetAddress, locality, region, postalCode, country } =
    entriesOf(entries).find(({ type }) => type === 'home') ?? {}
  const [line_1, line_2] = (textOf(streetAddress) ?? '').split('\n')
  const [city, land] = [textOf(locality), textOf(country)]
  if (!line_1 || !city || !land || !isCountry(land)) return null
  return {
    line_1,
    line_2: line_2 ?? null,
    city,
    region: textOf(region),
    postal_code: textOf(postalCode),
    country: land,
  }
}

/** E-mail addresses in the order in which they are taken where they are free: the primary work entry, else the user name. */
export function emailsOf(next: Resource): string[] {
  const work = entriesOf(next.emails).filter(({ type }) => type === 'work')
  const first = work.find(({ primary }) => primary === true) ?? work[0]
  return [first?.value, next.userName].flatMap((value) => {
    const text = textOf(value)
    return text !== null && isEmail(text) ? [text] : []
  })
}

/** The user name is kept beside the e-mail address only where it differs. */
export function withEmail(row: PersonRow, email: string | null, next: Resource): PersonRow {
  const user_name = String(next.userName)
  return { ...row, email, user_name: user_name === email ? null : user_name }
}
