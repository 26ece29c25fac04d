import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { Actor } from './caller.ts'
import { newId } from './values/id.ts'

/** One line of the audit log: who did what to which row, by names of fields, never values. */
export interface AuditEntry {
  organization_id: string
  occurred_at: string
  actor: Actor
  credential_id: string | null
  /** Operation id or kind of timer. */
  action: string
  subject: { kind: string; id: string | null }
  changed_fields: readonly string[]
  request_id: string | null
  address: string | null
  /** Which way into the operations the change took; absent for what nobody called. */
  surface?: string | undefined
}

/** Written in the transaction of the change, so a change that happened has exactly one line. */
export async function recordAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.run(sql`
    insert into audit_entries (id, organization_id, occurred_at, actor, credential_id, action, subject_kind, subject_id,
                               changed_fields, request_id, address, surface)
    values (${newId(Date.parse(entry.occurred_at))}, ${entry.organization_id}, ${entry.occurred_at}, ${JSON.stringify(entry.actor)},
            ${entry.credential_id}, ${entry.action}, ${entry.subject.kind}, ${entry.subject.id},
            ${entry.changed_fields}, ${entry.request_id}, ${entry.address}, ${entry.surface ?? null})`)
}
