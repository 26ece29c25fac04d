import type { ListQuery } from '#core/lists/list.ts'
import { addWords, searchedWords, wordsBeginning, wordsOf } from '#core/lists/search.ts'
import { externalIdInUse, refuseDuplicate } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { raw, type Sql, sql } from '#db/sql.ts'
import type { PersonRow, PersonStatus, Worker } from './person.ts'

refuseDuplicate('people_external_id', externalIdInUse, 'Another person has this external_id.')

const columns = sql`
  p.id, p.first_name, p.last_name, p.preferred_name, p.full_name, p.email, p.personal_email, p.phone, p.locale,
  p.external_id, p.country, p.region, p.timezone, p.home_address, p.emergency_contact, p.date_of_birth, p.nationality,
  p.government_ids, p.vat_id, p.bank_account, p.worker_type, p.job_title, p.seniority, p.start_date,
  p.department_id, d.name as department_name, p.manager_id, m.full_name as manager_name,
  p.working_location_id, l.name as working_location_name, p.legal_entity_id, e.name as legal_entity_name,
  (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by t.name), '[]')
   from team_members x join teams t on t.organization_id = x.organization_id and t.id = x.team_id
   where x.organization_id = p.organization_id and x.person_id = p.id) as teams,
  (select count(*)::int from people r
   where r.organization_id = p.organization_id and r.manager_id = p.id and r.deleted_at is null) as direct_reports_count,
  p.custom_fields, p.status, p.access, p.created_at, p.updated_at, p.deleted_at`

// Left joins by primary key, so that counting a list leaves them out altogether.
const from = sql`
  people p
  left join departments d on d.organization_id = p.organization_id and d.id = p.department_id
  left join people m on m.organization_id = p.organization_id and m.id = p.manager_id
  left join working_locations l on l.organization_id = p.organization_id and l.id = p.working_location_id
  left join legal_entities e on e.organization_id = p.organization_id and e.id = p.legal_entity_id`

/** Each filter by its name on the wire; an absent one restricts nothing. */
export interface PersonFilter {
  search?: string
  statuses?: string[]
  worker_types?: string[]
  department_id?: string
  team_id?: string
  manager_id?: string
  legal_entity_id?: string
  working_location_id?: string
  countries?: string[]
  email?: string
  external_id?: string
  include_deleted?: boolean
}

export function personList(organization_id: string, filter: PersonFilter): ListQuery {
  const where: Sql[] = [sql`p.organization_id = ${organization_id}`]
  if (!filter.include_deleted) where.push(sql`p.deleted_at is null`)
  if (filter.statuses) where.push(sql`p.status = any (${filter.statuses})`)
  if (filter.worker_types) where.push(sql`p.worker_type = any (${filter.worker_types})`)
  if (filter.department_id) where.push(sql`p.department_id = ${filter.department_id}`)
  if (filter.manager_id) where.push(sql`p.manager_id = ${filter.manager_id}`)
  if (filter.legal_entity_id) where.push(sql`p.legal_entity_id = ${filter.legal_entity_id}`)
  if (filter.working_location_id) where.push(sql`p.working_location_id = ${filter.working_location_id}`)
  if (filter.countries) where.push(sql`p.country = any (${filter.countries})`)
  if (filter.email) where.push(sql`p.email_lower = ${filter.email.toLowerCase()}`)
  if (filter.external_id) where.push(sql`p.external_id = ${filter.external_id}`)
  if (filter.team_id) {
    where.push(sql`p.id in (
      select x.person_id from team_members x where x.organization_id = ${organization_id} and x.team_id = ${filter.team_id})`)
  }
  if (filter.search) where.push(...peopleFoundBy(organization_id, filter.search, sql`p.id`))
  return { columns, from, where, order: ['p.created_at', 'p.id'], updated_at: 'p.updated_at' }
}

/** Conditions that each word of a search begins a word of the person's names, e-mail or external id. */
function peopleFoundBy(organization_id: string, search: string, id: Sql): Sql[] {
  const words = searchedWords(search)
  if (words.length === 0) return [sql`false`]
  return words.map(
    (word) => sql`${id} in (
      select w.subject_id from search_words w where ${wordsBeginning(organization_id, 'person', word)}
      union all
      select w.subject_id from search_words w where ${wordsBeginning(organization_id, 'person_external_id', word)})`,
  )
}

export function findPerson(tx: Transaction, organization_id: string, id: string): Promise<PersonRow | undefined> {
  return tx.row<PersonRow>(
    sql`select ${columns} from ${from} where p.organization_id = ${organization_id} and p.id = ${id} and p.deleted_at is null`,
  )
}

/** The person that is linked to a user of the organization. */
export function findPersonOfUser(
  tx: Transaction,
  organization_id: string,
  user_id: string,
): Promise<PersonRow | undefined> {
  return tx.row<PersonRow>(
    sql`select ${columns} from ${from}
        where p.organization_id = ${organization_id} and p.user_id = ${user_id} and p.deleted_at is null`,
  )
}

export const personExists = existsIn('people')
export const departmentExists = existsIn('departments')
export const workingLocationExists = existsIn('working_locations')

function existsIn(table: 'people' | 'departments' | 'working_locations') {
  return async (tx: Transaction, organization_id: string, id: string): Promise<boolean> => {
    const row = await tx.row(sql`
      select id from ${raw(table)} where organization_id = ${organization_id} and id = ${id} and deleted_at is null`)
    return row !== undefined
  }
}

const workerColumns = sql`id, external_id, email, full_name, worker_type, status, access, country, locale, created_at`

/**
 * A person by id or e-mail, locked until the transaction ends: its status follows from its contracts, so changes of
 * two contracts of one person have to pass here one after the other.
 */
export function lockWorker(
  tx: Transaction,
  organization_id: string,
  by: { id: string } | { email: string },
): Promise<Worker | undefined> {
  const wanted = 'id' in by ? sql`id = ${by.id}` : sql`email_lower = ${by.email.toLowerCase()}`
  return tx.row<Worker>(sql`
    select ${workerColumns} from people
    where organization_id = ${organization_id} and ${wanted} and deleted_at is null for no key update`)
}

export interface NewWorker {
  id: string
  first_name: string
  last_name: string
  email: string
  country: string
  region: string | null
  external_id: string | null
  worker_type: Worker['worker_type']
  status: PersonStatus
}

/** Stores a person; undefined when one with this e-mail came into being meanwhile. */
export async function insertWorker(
  tx: Transaction,
  organization_id: string,
  person: NewWorker,
): Promise<Worker | undefined> {
  const { id, first_name, last_name, email, country, region, external_id, worker_type, status } = person
  const row = await tx.row<Worker>(sql`
    insert into people (organization_id, id, first_name, last_name, email, locale, country, region, external_id,
                        worker_type, status, created_at, updated_at)
    values (${organization_id}, ${id}, ${first_name}, ${last_name}, ${email}, 'en', ${country}, ${region},
            ${external_id}, ${worker_type}, ${status}, ${tx.now}, ${tx.now})
    on conflict (organization_id, email_lower) where deleted_at is null do nothing
    returning ${workerColumns}`)
  if (row) await addWordsOf(tx, organization_id, person)
  return row
}

/** External ids are of a kind of their own: contracts are found by the other words of their worker only. */
async function addWordsOf(
  tx: Transaction,
  organization_id: string,
  { id, first_name, last_name, email, external_id }: NewWorker,
): Promise<void> {
  await Promise.all([
    addWords(tx, organization_id, 'person', id, wordsOf(first_name, last_name, email)),
    external_id !== null && addWords(tx, organization_id, 'person_external_id', id, wordsOf(external_id)),
  ])
}

/**
 * Writes the status that `derived` (one text value) says; answers the person when it changed. The person is locked by
 * a statement of its own before: what the contracts say is then read after every change that was ahead of this one.
 */
export async function writeStatus(
  tx: Transaction,
  organization_id: string,
  id: string,
  derived: Sql,
): Promise<Worker | undefined> {
  const [, changed] = await Promise.all([
    tx.run(sql`select id from people where organization_id = ${organization_id} and id = ${id} for no key update`),
    tx.row<Worker>(sql`
      update people p
      set status = derived.status, updated_at = greatest(${tx.now}, p.updated_at + interval '1 millisecond')
      from (select ${derived} as status) derived
      where p.organization_id = ${organization_id} and p.id = ${id} and p.status <> derived.status
      returning p.id, p.external_id, p.email, p.full_name, p.worker_type, p.status, p.access, p.country, p.locale, p.created_at`),
  ])
  return changed
}

/** The language a person is written to in. */
export async function localeOf(tx: Transaction, organization_id: string, id: string): Promise<string> {
  const row = await tx.row<{ locale: string }>(
    sql`select locale from people where organization_id = ${organization_id} and id = ${id}`,
  )
  if (!row) throw new Error('the person does not exist')
  return row.locale
}
