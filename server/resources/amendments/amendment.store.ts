import type { ListQuery } from '#core/lists/list.ts'
import { refuseDuplicate } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { type Sql, sql } from '#db/sql.ts'
import type { AmendmentRow, AmendmentStatus, SignStatus } from './amendment.ts'
import { effectiveDateTaken, openAmendmentExists } from './problems.ts'

refuseDuplicate('amendments_open', openAmendmentExists, 'The contract has an amendment that is not settled yet.')
refuseDuplicate('amendments_approved', effectiveDateTaken, 'Another amendment takes effect on that date.')

const columns = sql`
  organization_id, id, contract_id, status, sign_status, effective_date, reason, terms, changes, amount, scale,
  terms_version, client_name, client_signed_at, client_signed_by, client_terms_digest, worker_name, worker_signed_at,
  worker_terms_digest, activated_at, outdated_at, declined_at, declined_by, decline_reason, created_by, created_at, updated_at`

export interface AmendmentFilter {
  statuses?: readonly AmendmentStatus[] | undefined
  sign_statuses?: readonly SignStatus[] | undefined
  /** Initial ones are the client's drafts: the worker sees an amendment from the client's signature on. */
  without_initial?: boolean
}

export function amendmentList(
  organization_id: string,
  contract_id: string,
  { statuses, sign_statuses, without_initial }: AmendmentFilter,
): ListQuery {
  const where: Sql[] = [sql`organization_id = ${organization_id}`, sql`contract_id = ${contract_id}`]
  if (statuses) where.push(sql`status = any (${statuses})`)
  if (sign_statuses) where.push(sql`sign_status = any (${sign_statuses})`)
  if (without_initial) where.push(sql`status <> 'initial'`)
  return { columns, from: sql`amendments`, where }
}

/** One amendment. Changes lock its contract first, which serialises all changes of the contract's amendments. */
export function findAmendment(
  tx: Transaction,
  organization_id: string,
  contract_id: string,
  id: string,
): Promise<AmendmentRow | undefined> {
  return tx.row<AmendmentRow>(sql`
    select ${columns} from amendments
    where organization_id = ${organization_id} and contract_id = ${contract_id} and id = ${id}`)
}

/** All amendments of a contract that are in one of the statuses, by effective date. */
export function amendmentsIn(
  tx: Transaction,
  organization_id: string,
  contract_id: string,
  statuses: readonly AmendmentStatus[],
): Promise<AmendmentRow[]> {
  return tx.rows<AmendmentRow>(sql`
    select ${columns} from amendments
    where organization_id = ${organization_id} and contract_id = ${contract_id} and status = any (${statuses})
    order by effective_date nulls last, id`)
}

export async function insertAmendment(tx: Transaction, row: AmendmentRow): Promise<void> {
  await tx.run(sql`
    insert into amendments (organization_id, id, contract_id, status, sign_status, effective_date, reason, terms,
      changes, amount, scale, created_by, created_at, updated_at)
    values (${row.organization_id}, ${row.id}, ${row.contract_id}, ${row.status}, ${row.sign_status},
      ${row.effective_date}, ${row.reason}, ${JSON.stringify(row.terms)}, ${JSON.stringify(row.changes)},
      ${row.amount}, ${row.scale}, ${JSON.stringify(row.created_by)}, ${row.created_at}, ${row.updated_at})`)
}

/** Writes everything about an amendment that can change and answers it as it stands then. */
export async function saveAmendment(tx: Transaction, row: AmendmentRow): Promise<AmendmentRow> {
  const saved = await tx.row<AmendmentRow>(sql`
    update amendments set
      status = ${row.status}, sign_status = ${row.sign_status}, effective_date = ${row.effective_date},
      reason = ${row.reason}, terms = ${JSON.stringify(row.terms)}, changes = ${JSON.stringify(row.changes)},
      amount = ${row.amount}, scale = ${row.scale}, terms_version = ${row.terms_version},
      client_name = ${row.client_name}, client_signed_at = ${row.client_signed_at},
      client_signed_by = ${jsonOf(row.client_signed_by)},
      client_terms_digest = ${row.client_terms_digest}, worker_terms_digest = ${row.worker_terms_digest},
      worker_name = ${row.worker_name}, worker_signed_at = ${row.worker_signed_at},
      activated_at = ${row.activated_at}, outdated_at = ${row.outdated_at},
      declined_at = ${row.declined_at}, declined_by = ${jsonOf(row.declined_by)}, decline_reason = ${row.decline_reason},
      updated_at = greatest(${tx.now}, updated_at + interval '1 millisecond')
    where organization_id = ${row.organization_id} and id = ${row.id}
    returning ${columns}`)
  if (!saved) throw new Error(`there is no amendment ${row.id}`)
  return saved
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
