import type { Caller } from '#core/caller.ts'
import { canonicalLocale, isCountry, isEmail, isTimeZone, phone_pattern } from '#core/values.ts'
import { raw, type Sql, sql } from '#db/database.ts'
import type { PersonRow } from './person.ts'

/**
 * The fields of a person as entries of an address book, of the kinds work, home and mobile, and back: identity providers
 * know a person so.
 */
type Entry = Record<string, unknown>
type Fields = Partial<PersonRow>

/**
 * The lists of entries: those that a person's own fields make, as `jsonb`, the kinds that are seen with the category
 * `home_address` only, and the fields that follow from a list.
 */
export const addressBook = {
  emails: {
    own: sql`(select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(e))), '[]') from (values
  (people.email, 'work', true), (people.personal_email, 'home', null)) e (value, type, "primary") where e.value <> '')`,
    hidden: ['home'],
    fieldsFrom: (value: unknown): Fields => ({ personal_email: firstOf(value, ['home'], isEmail) }),
  },
  phoneNumbers: {
    own: sql`case when people.phone <> '' then
  jsonb_build_array(jsonb_build_object('value', people.phone, 'type', 'mobile')) else '[]' end`,
    hidden: ['home', 'mobile'],
    fieldsFrom: (value: unknown): Fields => ({ phone: firstOf(value, ['mobile', 'home'], isPhone) }),
  },
  addresses: {
    own: sql`case when people.home_address is null then '[]' else jsonb_build_array(jsonb_strip_nulls(
  jsonb_build_object('type', 'home',
    'streetAddress', concat_ws(E'\n', people.home_address ->> 'line_1', nullif(people.home_address ->> 'line_2', '')),
    'locality', people.home_address ->> 'city', 'region', people.home_address ->> 'region',
    'postalCode', people.home_address ->> 'postal_code', 'country', people.home_address ->> 'country'))) end`,
    hidden: ['home'],
    fieldsFrom: homeAddressFrom,
  },
} as const

/** A text of the document beside the person, at a path of our own making; another value until something is sent there. */
export const keptText = (path: readonly string[], other: Sql = raw('null')): Sql =>
  sql`nullif(coalesce(${raw(`people.scim_bag #>> '{${path.join(',')}}'`)}, ${other}), '')`

/**
 * A list of the address book, which is kept whole. Values that people entered here are seen with the category only; those that
 * a provider sent are its own.
 */
export function keptEntries(
  name: string,
  { own, hidden }: (typeof addressBook)[keyof typeof addressBook],
  { sensitive_data }: Pick<Caller, 'sensitive_data'>,
): Sql {
  const all = sql`coalesce(people.scim_bag -> ${name}::text, ${own})`
  if (sensitive_data.has('home_address')) return all
  return sql`case when ${name}::text = any (people.scim_written) then ${all} else (
    select coalesce(jsonb_agg(e), '[]') from jsonb_array_elements(${all}) e
    where coalesce(e ->> 'type', '') <> all (${hidden}::text[])) end`
}

/** The contracts of a person as its provider is told of them. */
export const contracts_of_person = sql`(select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', c.id,
    'type', c.type, 'status', c.status, 'startDate', c.start_date, 'endDate', c.end_date)) order by c.created_at, c.id), '[]')
  from contracts c where c.organization_id = people.organization_id and c.worker_id = people.id)`

/** The person's own language and time zone, where a text is one. */
export const ownFieldsFrom = {
  locale(value: unknown): Fields {
    const locale = canonicalLocale(String(value ?? '').replaceAll('_', '-'))
    return locale ? { locale } : {}
  },
  timezone: (value: unknown): Fields => (typeof value === 'string' && isTimeZone(value) ? { timezone: value } : {}),
}

function homeAddressFrom(value: unknown): Fields {
  const home = entriesIn(value).find(({ type }) => type === 'home') ?? {}
  const [line_1, line_2 = null] = (textOf(home.streetAddress) ?? '').split('\n')
  const [city, country] = [textOf(home.locality), textOf(home.country)]
  if (!line_1 || !city || !country || !isCountry(country)) return { home_address: null }
  const [region, postal_code] = [textOf(home.region), textOf(home.postalCode)]
  return { home_address: { line_1, line_2, city, region, postal_code, country } }
}

/** E-mail addresses in the order in which they are taken where they are free: the primary work entry, else the user name. */
export function emailsOf({ emails, userName }: Entry): string[] {
  const work = entriesIn(emails).filter(({ type }) => type === 'work')
  const first = work.find(({ primary }) => primary === true) ?? work[0]
  return [first?.value, userName].filter((value) => typeof value === 'string').filter(isEmail)
}

const isPhone = (text: string) => new RegExp(phone_pattern).test(text)
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

const entriesIn = (value: unknown): Entry[] => (Array.isArray(value) ? value.map((entry) => Object(entry)) : [])

/** The value of the first entry of one of these kinds, in the order of the kinds; null where it has another form. */
function firstOf(value: unknown, kinds: readonly string[], fits: (text: string) => boolean): string | null {
  const [found] = kinds.flatMap((kind) => entriesIn(value).filter(({ type }) => type === kind))
  const text = textOf(found?.value)
  return text !== null && fits(text) ? text : null
}
