import { defineTimer, setTimer } from '#core/jobs/timer.ts'
import { defineEvent } from '#core/operation.ts'
import { Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { membersClosedWith } from './account.store.ts'
import { apiToken, type TokenRow } from './api-tokens/api-token.ts'
import { type Ending, endFamily, type Start } from './credential-family.store.ts'
import { endSessionsOfMember, endSessionsOfPerson } from './session.store.ts'

const Credential = Type.Object({
  credential_id: Id,
  name: Nullable(Type.String()),
  person_id: Nullable(Id),
  scopes: Type.Array(Type.String()),
  expires_at: Nullable(Timestamp),
})

const example = {
  credential_id: '019b8d32-6d80-7a10-8c02-61f0d4b7a9e3',
  name: 'Payroll export',
  person_id: null,
  scopes: ['contracts:read'],
  expires_at: '2026-04-12T09:00:00.000Z',
}

function credentialEvent(type: string, summary: string, differing: Partial<Static<typeof Credential>> = {}) {
  return defineEvent({ type, module: 'platform', summary, entry: Credential, example: { ...example, ...differing } })
}

export const apiTokenCreated = credentialEvent('api-token.created', 'An API token was created.')
export const apiTokenExpiring = credentialEvent(
  'api-token.expiring',
  'An API token ends in 14 days, and again in one day.',
)
export const apiTokenRevoked = credentialEvent('api-token.revoked', 'An API token was ended before its time.')
export const workerTokenCreated = credentialEvent('worker-token.created', 'A token for one worker was minted.', {
  name: null,
  person_id: '019c8b12-40a6-7f03-b2d8-91c5e6a7304d',
  scopes: ['worker:read', 'worker:write'],
})
export const oauthGrantRevoked = credentialEvent(
  'oauth-grant.revoked',
  'The permission of an application was ended before its time.',
  { name: 'Desk Assistant', expires_at: '2027-01-12T09:00:00.000Z' },
)

/** Raised by whatever ends credentials. */
export const endingEvents = [apiTokenRevoked, oauthGrantRevoked] as const

const passes_max = 100

/** The transaction of an ending, and the telling of it. */
interface Place {
  tx: Transaction
  emit(type: (typeof endingEvents)[number], entry: ReturnType<typeof credentialOf>): void
}

/**
 * Ends a token, a grant or a client's grants with everything that was created with them, for good, and tells of each;
 * returns how many ended. A child that was being made meanwhile is committed while the first pass waits for its parent's
 * row, and only the next pass sees it. Access tokens of a grant need no mark of their own: each request looks at the grant
 * as well.
 */
export async function endCredential({ tx, emit }: Place, start: Start, ending: Ending): Promise<number> {
  let told = 0
  for (let passes = 0; passes < passes_max; passes += 1) {
    const { tokens, grants, clients } = await endFamily(tx, start, ending)
    for (const token of tokens) emit(apiTokenRevoked, credentialOf(token))
    for (const { id, client_name: name, ends_at: expires_at, person_id, scopes } of grants) {
      emit(oauthGrantRevoked, { credential_id: id, name, person_id, scopes, expires_at })
    }
    told += tokens.length + grants.length
    if (tokens.length + grants.length + clients === 0) break
  }
  return told
}

/**
 * Ends all that a person can act with, now: the tokens and grants that act for it, for the account behind it or for a member
 * who was closed with it, and the sessions of those. What an account is in other organizations stays.
 */
export async function endAccess(
  place: Place,
  { organization_id, id, user_id }: { organization_id: string; id: string; user_id: string | null },
  ending: Pick<Ending, 'by' | 'reason'>,
): Promise<void> {
  await endCredential(place, { person_id: id, user_id }, { ...ending, organization_id })
  await endSessionsOfPerson(place.tx, id)
  for (const member of await membersClosedWith(place.tx, organization_id, id)) {
    await endCredential(place, { user_id: member }, { ...ending, organization_id })
    await endSessionsOfMember(place.tx, member)
  }
}

type Told = Pick<TokenRow, 'id' | 'name' | 'person_id' | 'expires_at'> & { scopes: string[] }

export function credentialOf({ id, name, person_id, scopes, expires_at }: Told) {
  return { credential_id: id, name: person_id ? null : name, person_id, scopes, expires_at }
}

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
    if (due_at <= tx.real_now) continue
    await setTimer(tx, { organization_id, kind: notice.kind, priority, subject_id: id, due_at })
  }
}

export const expiryTimers = notices.map(({ kind }) =>
  defineTimer({
    kind,
    priority,
    subject: 'api_tokens',
    on_real_time: true,
    emits: [apiTokenExpiring],
    async fire({ organization_id, subject_id, due_at }, { tx, emit }) {
      const token = await apiToken.find(tx, { organization_id, id: subject_id })
      // A token that ended or has a successor needs no warning, nor one whose end was moved.
      if (!token || token.revoked_at || token.successor_id || !token.expires_at || token.expires_at <= due_at) return
      emit(apiTokenExpiring, credentialOf(token))
    },
  }),
)
