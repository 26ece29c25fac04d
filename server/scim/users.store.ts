import { isId } from '#core/values.ts'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import { type PersonRow, person } from '#resources/people/index.ts'
import type { Columns } from './filter-sql.ts'
import type { Listed } from './list.ts'
import { enterprise_schema, stint_schema, user_type } from './schema.ts'
import type { ShownContract } from './user.ts'

/** People who are users: named, not removed by a client, not deleted. */
export const visibleUsers = (organization_id: string): Sql => sql`
  people.organization_id = ${organization_id} and people.deleted_at is null and people.scim_removed_at is null
  and people.user_name_lower is not null`

const text = (expression: Sql) => ({ expression: sql`nullif(${expression}, '')` })
const bag = (...path: string[]): Sql => sql`people.scim_bag #>> ${path}::text[]`

/** Values that people entered here are seen with the category; those that came through SCIM are the client's own. */
function listOf(name: string, own: Sql, kinds: readonly string[], sees_home: boolean) {
  const all = sql`coalesce(people.scim_bag -> ${name}::text, ${own})`
  if (sees_home) return { expression: all }
  return {
    expression: sql`case when ${name}::text = any (people.scim_written) then ${all} else (
      select coalesce(jsonb_agg(e), '[]') from jsonb_array_elements(${all}) e
      where coalesce(e ->> 'type', '') <> all (${kinds}::text[])) end`,
  }
}

const emails = sql`(select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(e))), '[]') from (values
  (people.email, 'work', true), (people.personal_email, 'home', null)) e (value, type, "primary") where e.value is not null)`
const phones = sql`(select coalesce(jsonb_agg(to_jsonb(p)), '[]') from (values (people.phone, 'mobile')) p (value, type)
  where p.value is not null)`
const addresses = sql`(case when people.home_address is null then '[]'::jsonb else jsonb_build_array(jsonb_strip_nulls(
  jsonb_build_object('type', 'home',
    'streetAddress', concat_ws(E'\n', people.home_address ->> 'line_1', nullif(people.home_address ->> 'line_2', '')),
    'locality', people.home_address ->> 'city', 'region', people.home_address ->> 'region',
    'postalCode', people.home_address ->> 'postal_code', 'country', people.home_address ->> 'country'))) end)`
const groups = sql`(select coalesce(jsonb_agg(jsonb_build_object('value', t.id, 'display', t.name, 'type', 'direct')), '[]')
  from team_members m join teams t on t.organization_id = m.organization_id and t.id = m.team_id
  where m.organization_id = people.organization_id and m.person_id = people.id)`
const contracts = sql`(select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'type', c.type, 'status', c.status,
    'startDate', c.start_date, 'endDate', c.end_date)), '[]')
  from contracts c where c.organization_id = people.organization_id and c.worker_id = people.id)`
const has_parts = sql`not people.scim_bag ? 'nameless'`
const formatted = sql`coalesce(${bag('name', 'formatted')},
  case when ${has_parts} then btrim(people.first_name || ' ' || people.last_name) end)`

function columnsOf(sees_home: boolean): Columns {
  const e = (name: string) => `${enterprise_schema.id}:${name}`
  const s = (name: string) => `${stint_schema.id}:${name}`
  const described = (name: string) => text(bag(enterprise_schema.id, name))
  const manager = sql`coalesce(people.manager_id::text, people.manager_ref)`
  const time = (expression: Sql) => ({ expression })
  const bagged = Object.fromEntries(
    ['profileUrl', 'userType', 'preferredLanguage', 'locale', 'timezone'].map((name) => [name, text(bag(name))]),
  )
  const names = Object.fromEntries(
    ['middleName', 'honorificPrefix', 'honorificSuffix'].map((name) => [`name.${name}`, text(bag('name', name))]),
  )
  return {
    id: { expression: sql`people.id`, is_id: true },
    // As it stands, so that its index serves it; an empty one is never kept.
    externalId: { expression: sql`people.scim_external_id` },
    'meta.resourceType': { expression: sql`'User'::text` },
    'meta.created': time(sql`people.created_at`),
    'meta.lastModified': time(sql`people.updated_at`),
    userName: { expression: sql`coalesce(people.user_name, people.email)`, folded: sql`people.user_name_lower` },
    name: text(sql`coalesce(${formatted}, '')`),
    'name.formatted': text(formatted),
    'name.familyName': text(sql`case when ${has_parts} then people.last_name end`),
    'name.givenName': text(sql`case when ${has_parts} then people.first_name end`),
    ...names,
    displayName: text(sql`coalesce(${bag('displayName')}, people.full_name)`),
    nickName: text(sql`people.preferred_name`),
    title: text(sql`people.job_title`),
    ...bagged,
    active: { expression: sql`(people.access <> 'disabled')` },
    emails: listOf('emails', emails, ['home'], sees_home),
    phoneNumbers: listOf('phoneNumbers', phones, ['home', 'mobile'], sees_home),
    addresses: listOf('addresses', addresses, ['home'], sees_home),
    roles: { expression: sql`coalesce(people.scim_bag -> 'roles', '[]')` },
    groups: { expression: groups },
    [e('employeeNumber')]: described('employeeNumber'),
    [e('costCenter')]: described('costCenter'),
    [e('organization')]: described('organization'),
    [e('division')]: described('division'),
    [e('department')]: text(sql`department.name`),
    [e('manager')]: text(manager),
    [e('manager.value')]: text(manager),
    [e('manager.displayName')]: text(sql`manager.full_name`),
    [s('workerType')]: text(sql`people.worker_type`),
    [s('status')]: text(sql`people.status`),
    [s('startDate')]: text(sql`people.start_date::text`),
    [s('contracts')]: { expression: contracts },
  }
}

/** Users as lists, filters and sorting read them. */
export function listedUsers(organization_id: string, sees_home: boolean): Listed {
  return {
    type: user_type,
    columns: person.columns,
    from: person.tables,
    table: 'people',
    visible: visibleUsers(organization_id),
    places: columnsOf(sees_home),
  }
}

/** The contracts of people, by person. */
export async function contractsOf(tx: Transaction, organization_id: string, people: readonly PersonRow[]) {
  const rows = await tx.rows<ShownContract & { worker_id: string }>(sql`
    select worker_id, id, type, status, start_date, end_date from contracts
    where organization_id = ${organization_id} and worker_id = any (${people.map(({ id }) => id)})
    order by created_at, id`)
  return Map.groupBy(rows, ({ worker_id }) => worker_id)
}

/** People who could be the user that a client makes, locked: by user name first, then by a work e-mail address. */
export function matchUser(
  tx: Transaction,
  organization_id: string,
  { user_name, emails: sent }: { user_name: string; emails: readonly string[] },
): Promise<{ id: string; is_by_name: boolean }[]> {
  return tx.rows(sql`
    select id, user_name_lower = lower(${user_name}) as is_by_name from people
    where organization_id = ${organization_id} and deleted_at is null
      and (user_name_lower = lower(${user_name})
        or (scim_linked_at is null and email_lower = any (${sent.map((email) => email.toLowerCase())})))
    order by is_by_name desc, id for no key update`)
}

/** The first of these addresses that no other person has. */
export async function freeEmail(
  tx: Transaction,
  { organization_id, id }: PersonRow,
  candidates: readonly string[],
): Promise<string | null> {
  const taken = await tx.rows<{ email_lower: string }>(sql`
    select email_lower from people where organization_id = ${organization_id} and id <> ${id} and deleted_at is null
      and email_lower = any (${candidates.map((email) => email.toLowerCase())})`)
  return candidates.find((email) => !taken.some(({ email_lower }) => email_lower === email.toLowerCase())) ?? null
}

/** The user that a manager's value means: by id, external id or user name. */
export async function findManager(tx: Transaction, organization_id: string, value: string): Promise<string | null> {
  const row = await tx.row<{ id: string }>(sql`
    select id from people where ${visibleUsers(organization_id)}
      and (id = ${isId(value) ? value : null}::uuid or scim_external_id = ${value} or user_name_lower = lower(${value}))
    order by id::text = ${value} desc, id limit 1`)
  return row?.id ?? null
}

/** People who wait for a manager whom this user is. */
export function waitingFor(tx: Transaction, row: PersonRow): Promise<{ id: string }[]> {
  const { organization_id, id, scim_external_id, user_name, email } = row
  const names = [id, scim_external_id, user_name ?? email].filter((name) => name !== null)
  return tx.rows(sql`
    select id from people where organization_id = ${organization_id} and deleted_at is null and id <> ${id}
      and manager_ref_lower = any (${names.map((name) => name.toLowerCase())})
    order by id for no key update`)
}

/** True when something refers to the person, so that a removal only hides it. */
export async function isReferredTo(tx: Transaction, { organization_id, id }: PersonRow): Promise<boolean> {
  const row = await tx.row(sql`
    select 1 from contracts where organization_id = ${organization_id} and worker_id = ${id}
    union all select 1 from people where organization_id = ${organization_id} and manager_id = ${id} and deleted_at is null
    union all select 1 from time_offs where organization_id = ${organization_id} and person_id = ${id} limit 1`)
  return row !== undefined
}
