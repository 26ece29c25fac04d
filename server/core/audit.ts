import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { Actor } from './caller.ts'
import { newId } from './values.ts'

/** One line of the audit log: who did what to which row, by names of fields, never values. */
export interface AuditEntry {
  organization_id: string
  actor: Actor
  credential_id?: string | null
  /** Operation id or kind of timer. */
  action: string
  subject: { kind: string; id: string | null }
  changed_fields?: readonly string[]
  request_id?: string | null
  address?: string | null
  /** The surface that the call came through; absent for what nobody called. */
  surface?: string | undefined
}

/** Writes the line in the transaction of the change, so a change that happened has exactly one line. */
export async function recordAudit(
  tx: Transaction,
  {
    organization_id,
    actor,
    credential_id = null,
    action,
    subject,
    changed_fields = [],
    request_id = null,
    address = null,
    surface,
  }: AuditEntry,
): Promise<void> {
  await tx.run(sql`
    insert into audit_entries (id, organization_id, occurred_at, actor, credential_id, action, subject_kind, subject_id,
                               changed_fields, request_id, address, surface)
    values (${newId(Date.parse(tx.now))}, ${organization_id}, ${tx.now}, ${JSON.stringify(actor)}, ${credential_id},
            ${action}, ${subject.kind}, ${subject.id}, ${changed_fields}, ${request_id}, ${address}, ${surface ?? null})`)
}
