import type { ListQuery } from '#core/lists/list.ts'
import { addWords, replaceWords, searchedWords, wordsBeginning, wordsOf } from '#core/lists/search.ts'
import { externalIdInUse, notFound, refuseDuplicate } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { join, raw, type Sql, sql } from '#db/sql.ts'
import type { ContractRow } from './contract.ts'

refuseDuplicate('contracts_external_id', externalIdInUse, 'Another contract has this external_id.', '/external_id')

const columns = sql`
  c.organization_id, c.id, c.type, c.title, c.status, c.status_reason, c.external_id, c.custom_fields, c.archived_at,
  c.ended_at, c.created_by, c.worker_id, p.email as worker_email, p.full_name as worker_name,
  c.legal_entity_id, e.name as legal_entity_name, c.team_id, t.name as team_name, c.country, c.region, c.timezone,
  c.start_date, c.end_date, c.job_title, c.seniority, c.scope_of_work, c.special_clause, c.notice_period_days,
  c.amount, c.currency, c.scale, c.frequency, c.cycle_end_type, c.cycle_end, c.first_cycle_end, c.payment_due_days,
  c.pay_before_weekends, c.proration, c.vat_rate, c.reverse_charge, c.client_name, c.client_signed_at,
  c.client_signed_by, c.worker_sign_name, c.worker_signed_at, c.terms_version, c.client_terms_digest,
  c.worker_terms_digest, c.invitation, c.termination, c.completion_date,
  c.last_day, c.current_amendment_id, c.created_at, c.updated_at`

// Left joins by primary key, so that counting a list leaves them out altogether.
const from = sql`
  contracts c
  left join people p on p.organization_id = c.organization_id and p.id = c.worker_id
  left join legal_entities e on e.organization_id = c.organization_id and e.id = c.legal_entity_id
  left join teams t on t.organization_id = c.organization_id and t.id = c.team_id`

/** Each filter by its name on the wire; an absent one restricts nothing. */
export interface ContractFilter {
  statuses?: string[]
  types?: string[]
  worker_id?: string
  worker_email?: string
  team_id?: string
  legal_entity_id?: string
  countries?: string[]
  currencies?: string[]
  external_id?: string
  is_archived?: boolean
  start_date_from?: string
  start_date_to?: string
  search?: string
}

export function contractList(organization_id: string, filter: ContractFilter): ListQuery {
  const where: Sql[] = [sql`c.organization_id = ${organization_id}`]
  if (filter.statuses) where.push(sql`c.status = any (${filter.statuses})`)
  if (filter.types) where.push(sql`c.type = any (${filter.types})`)
  if (filter.worker_id) where.push(sql`c.worker_id = ${filter.worker_id}`)
  if (filter.team_id) where.push(sql`c.team_id = ${filter.team_id}`)
  if (filter.legal_entity_id) where.push(sql`c.legal_entity_id = ${filter.legal_entity_id}`)
  if (filter.countries) where.push(sql`c.country = any (${filter.countries})`)
  if (filter.currencies) where.push(sql`c.currency = any (${filter.currencies})`)
  if (filter.external_id) where.push(sql`c.external_id = ${filter.external_id}`)
  if (filter.is_archived !== undefined) {
    where.push(filter.is_archived ? sql`c.archived_at is not null` : sql`c.archived_at is null`)
  }
  if (filter.start_date_from) where.push(sql`c.start_date >= ${filter.start_date_from}`)
  if (filter.start_date_to) where.push(sql`c.start_date <= ${filter.start_date_to}`)
  if (filter.worker_email) {
    where.push(sql`c.worker_id = any (array(
      select w.id from people w
      where w.organization_id = ${organization_id} and w.email_lower = ${filter.worker_email.toLowerCase()}))`)
  }
  if (filter.search) where.push(...contractsFoundBy(organization_id, filter.search))
  return { columns, from, where, order: ['c.created_at', 'c.id'], updated_at: 'c.updated_at' }
}

/** Conditions that each word of a search begins a word of the title or of the worker's name or e-mail. */
function contractsFoundBy(organization_id: string, search: string): Sql[] {
  const words = searchedWords(search)
  if (words.length === 0) return [sql`false`]
  return words.map(
    (word) => sql`c.id in (
      select w.subject_id from search_words w where ${wordsBeginning(organization_id, 'contract', word)}
      union all
      select k.id from search_words w
      join contracts k on k.organization_id = w.organization_id and k.worker_id = w.subject_id
      where ${wordsBeginning(organization_id, 'person', word)})`,
  )
}

/** One contract; with `worker_id` only if it is that person's. */
export function findContract(
  tx: Transaction,
  organization_id: string,
  id: string,
  worker_id?: string,
): Promise<ContractRow | undefined> {
  const own = worker_id === undefined ? sql`` : sql`and c.worker_id = ${worker_id}`
  return tx.row<ContractRow>(
    sql`select ${columns} from ${from} where c.organization_id = ${organization_id} and c.id = ${id} ${own}`,
  )
}

/**
 * The same, locked until the transaction ends; throws `not_found`. The row is read by a statement of its own after the
 * lock, so that it and the names joined to it are those of after any change that was ahead.
 */
export async function lockContract(
  tx: Transaction,
  organization_id: string,
  id: string,
  worker_id?: string,
): Promise<ContractRow> {
  const [, row] = await Promise.all([
    tx.run(sql`select id from contracts where organization_id = ${organization_id} and id = ${id} for no key update`),
    findContract(tx, organization_id, id, worker_id),
  ])
  if (!row) throw notFound()
  return row
}

/** Stores a new contract as the row says. */
export async function insertContract(tx: Transaction, row: ContractRow): Promise<void> {
  await Promise.all([
    tx.run(sql`
      insert into contracts (
        organization_id, id, type, title, status, external_id, created_by, worker_id, legal_entity_id, team_id, country,
        region, timezone, start_date, end_date, job_title, seniority, scope_of_work, special_clause,
        notice_period_days, amount, currency, scale, frequency, cycle_end_type, cycle_end, first_cycle_end,
        payment_due_days, pay_before_weekends, proration, vat_rate, reverse_charge, created_at, updated_at)
      values (
        ${row.organization_id}, ${row.id}, ${row.type}, ${row.title}, ${row.status}, ${row.external_id},
        ${JSON.stringify(row.created_by)}, ${row.worker_id}, ${row.legal_entity_id}, ${row.team_id}, ${row.country},
        ${row.region}, ${row.timezone}, ${row.start_date}, ${row.end_date}, ${row.job_title}, ${row.seniority},
        ${row.scope_of_work}, ${row.special_clause}, ${row.notice_period_days}, ${row.amount}, ${row.currency},
        ${row.scale}, ${row.frequency}, ${row.cycle_end_type}, ${row.cycle_end}, ${row.first_cycle_end},
        ${row.payment_due_days}, ${row.pay_before_weekends}, ${row.proration}, ${row.vat_rate}, ${row.reverse_charge},
        ${row.created_at}, ${row.updated_at})`),
    addWords(tx, row.organization_id, 'contract', row.id, wordsOf(row.title)),
  ])
}

/** The columns that change after the creation. */
const changing = [
  'title',
  'status',
  'status_reason',
  'external_id',
  'archived_at',
  'ended_at',
  'team_id',
  'region',
  'start_date',
  'end_date',
  'job_title',
  'seniority',
  'scope_of_work',
  'special_clause',
  'notice_period_days',
  'amount',
  'scale',
  'frequency',
  'cycle_end_type',
  'cycle_end',
  'first_cycle_end',
  'payment_due_days',
  'pay_before_weekends',
  'proration',
  'vat_rate',
  'reverse_charge',
  'client_name',
  'client_signed_at',
  'client_signed_by',
  'worker_sign_name',
  'worker_signed_at',
  'terms_version',
  'client_terms_digest',
  'worker_terms_digest',
  'invitation',
  'termination',
  'completion_date',
  'current_amendment_id',
] as const satisfies readonly (keyof ContractRow)[]

/** The secret part of an invitation, which no row of a list carries. */
export interface InvitationSecret {
  message: string | null
  sealed: Buffer
  digest: Buffer
}

/** The columns in which two states of a contract differ. */
export function changedColumns(before: ContractRow, after: ContractRow): (keyof ContractRow)[] {
  return changing.filter((column) => before[column] !== after[column])
}

/**
 * Writes what differs between the locked row and the row as it is to be. `updated_at` moves at least by its own
 * precision, so that every change appears under `updated_after` its former value.
 */
export async function saveContract(
  tx: Transaction,
  before: ContractRow,
  after: ContractRow,
  invitation?: InvitationSecret,
): Promise<ContractRow> {
  const { organization_id, id } = before
  const assignments = changedColumns(before, after).map((column) => sql`${raw(column)} = ${bound(after[column])}`)
  if (invitation) assignments.push(...secretAssignments(invitation))
  else if (before.invitation && !after.invitation) assignments.push(...secretAssignments(null))
  assignments.push(sql`updated_at = greatest(${tx.now}, updated_at + interval '1 millisecond')`)
  const [written] = await Promise.all([
    tx.row<Pick<ContractRow, 'updated_at'>>(sql`
      update contracts set ${join(assignments, ', ')}
      where organization_id = ${organization_id} and id = ${id} returning updated_at`),
    before.title !== after.title && replaceWords(tx, organization_id, 'contract', id, wordsOf(after.title)),
  ])
  if (!written) throw new Error('the locked contract is gone')
  return { ...after, ...written }
}

function secretAssignments(secret: InvitationSecret | null): Sql[] {
  return [
    sql`invitation_message = ${secret?.message ?? null}`,
    sql`invitation_sealed = ${secret?.sealed ?? null}`,
    sql`invitation_digest = ${secret?.digest ?? null}`,
  ]
}

function bound(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** The sealed token of the open invitation's link. */
export async function findSealedInvitation(
  tx: Transaction,
  organization_id: string,
  id: string,
): Promise<Buffer | null> {
  const row = await tx.row<{ invitation_sealed: Buffer | null }>(
    sql`select invitation_sealed from contracts where organization_id = ${organization_id} and id = ${id}`,
  )
  return row?.invitation_sealed ?? null
}

/** The status that a person has by its contracts, as one text value (domain rules 3.7). */
export function derivedPersonStatus(organization_id: string, person_id: string): Sql {
  return sql`(
    select case
      when bool_or(status = 'active' and termination is null) then 'active'
      when bool_or(status = 'active') then 'offboarding'
      when bool_or(status = 'pending') then 'pending'
      when count(*) > 0 then 'inactive'
      else 'active'
    end
    from contracts where organization_id = ${organization_id} and worker_id = ${person_id})`
}
