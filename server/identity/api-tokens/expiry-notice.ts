import { defineTimer, setTimer } from '#core/timers/timer.ts'
import type { Transaction } from '#db/database.ts'
import { findToken, type TokenRow } from '../token.store.ts'
import { apiTokenExpiring, credentialOf } from './events.ts'

const day_ms = 86_400_000

/** When the end of a token is announced. */
const notices = [
  { kind: 'api_token_expiring_soon', before_ms: 14 * day_ms },
  { kind: 'api_token_expiring_tomorrow', before_ms: day_ms },
] as const

/** After every business transition of the same moment (domain rules 3.9). */
const priority = 9

/** Sets the timers that announce a token's end, as far as those moments lie ahead. */
export async function announceEnd(tx: Transaction, { organization_id, id, kind, expires_at }: TokenRow): Promise<void> {
  if (expires_at === null || (kind !== 'organization' && kind !== 'personal')) return
  for (const notice of notices) {
    const due_at = new Date(Date.parse(expires_at) - notice.before_ms).toISOString()
    if (due_at <= tx.now) continue
    await setTimer(tx, { organization_id, kind: notice.kind, priority, subject_id: id, contract_id: null, due_at })
  }
}

export const expiryTimers = notices.map(({ kind }) =>
  defineTimer({
    kind,
    priority,
    subject: 'api_tokens',
    emits: [apiTokenExpiring],
    async fire({ organization_id, subject_id, due_at }, { tx, emit }) {
      const token = await findToken(tx, organization_id, subject_id)
      // A token that ended or has a successor needs no warning, nor one whose end was moved.
      if (!token || token.revoked_at || token.successor_id || !token.expires_at || token.expires_at <= due_at) return
      emit(apiTokenExpiring, credentialOf(token))
    },
  }),
)
