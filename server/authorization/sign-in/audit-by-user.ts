import { recordAudit } from '#core/audit.ts'
import type { Transaction } from '#db/database.ts'
import type { ConsoleRequest } from '../console-endpoint.ts'

/** One line of the audit log for what a person does to accounts, beside the operations. */
export function auditByUser(
  tx: Transaction,
  { organization_id, user_id, name }: { organization_id: string; user_id: string; name: string },
  { request_id, address }: ConsoleRequest,
  { action, id }: { action: string; id: string },
): Promise<void> {
  return recordAudit(tx, {
    organization_id,
    occurred_at: tx.now,
    actor: { kind: 'user', id: user_id, name },
    credential_id: null,
    action,
    subject: { kind: action.split('.')[0] ?? '', id },
    changed_fields: [],
    request_id,
    address,
  })
}
