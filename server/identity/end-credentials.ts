import { defineEvent } from '#core/event.ts'
import { defineTimer, setTimer } from '#core/jobs/timer.ts'
import { Id, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import {
  credentialsOfUser,
  type EndedGrant,
  type Ending,
  endClients,
  endGrants,
  endTokens,
  findFamily,
  type Member,
} from './credential-family.store.ts'
import { findToken, type TokenRow } from './token.store.ts'

const passes_max = 100

export interface Ended {
  tokens: TokenRow[]
  grants: EndedGrant[]
}

/**
 * Ends a token, a grant or a client's grants with everything that was created with them, for good; answers what ended.
 * A child that was being made meanwhile is committed while the first pass waits for its parent's row, and only the next
 * pass sees it. Access tokens of a grant need no mark of their own: each request looks at the grant as well.
 */
export async function endCredential(
  tx: Transaction,
  start: { token_id: string } | { grant_id: string } | { client_id: string },
  ending: Ending,
): Promise<Ended> {
  const member: Member = { token_id: null, grant_id: null, client_id: null, ...start }
  const ended: Ended = { tokens: [], grants: [] }
  for (let passes = 0; passes < passes_max; passes += 1) {
    const { tokens, grants, clients } = await endOnce(tx, member, ending)
    ended.tokens.push(...tokens)
    ended.grants.push(...grants)
    if (tokens.length + grants.length + clients === 0) break
  }
  return ended
}

/** Ends what a user holds in one organization: personal tokens and grants, with what was created with them. */
export async function endCredentialsOfUser(tx: Transaction, user_id: string, ending: Ending): Promise<Ended> {
  const ended: Ended = { tokens: [], grants: [] }
  for (const { token_id, grant_id } of await credentialsOfUser(tx, ending.organization_id, user_id)) {
    const start = token_id ? { token_id } : { grant_id: grant_id ?? '' }
    const { tokens, grants } = await endCredential(tx, start, ending)
    ended.tokens.push(...tokens)
    ended.grants.push(...grants)
  }
  return ended
}

async function endOnce(tx: Transaction, start: Member, ending: Ending) {
  const family = await findFamily(tx, ending.organization_id, start)
  const [tokens, grants, clients] = await Promise.all([
    endTokens(tx, idsOf(family, 'token_id'), ending),
    endGrants(tx, idsOf(family, 'grant_id'), ending),
    endClients(tx, idsOf(family, 'client_id'), ending),
  ])
  return { tokens, grants, clients }
}

/** In one order, so that two endings that meet do not wait for each other. */
function idsOf(family: readonly Member[], kind: keyof Member): string[] {
  return family.flatMap((member) => member[kind] ?? []).sort()
}

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

export const apiTokenCreated = defineEvent({
  type: 'api-token.created',
  module: 'platform',
  summary: 'An API token was created.',
  entry: Credential,
  example,
})
export const apiTokenExpiring = defineEvent({
  type: 'api-token.expiring',
  module: 'platform',
  summary: 'An API token ends in 14 days, and again in one day.',
  entry: Credential,
  example,
})
export const apiTokenRevoked = defineEvent({
  type: 'api-token.revoked',
  module: 'platform',
  summary: 'An API token was ended before its time.',
  entry: Credential,
  example,
})
export const workerTokenCreated = defineEvent({
  type: 'worker-token.created',
  module: 'platform',
  summary: 'A token for one worker was minted.',
  entry: Credential,
  example: {
    ...example,
    name: null,
    person_id: '019c8b12-40a6-7f03-b2d8-91c5e6a7304d',
    scopes: ['worker:read', 'worker:write'],
  },
})

export const oauthGrantRevoked = defineEvent({
  type: 'oauth-grant.revoked',
  module: 'platform',
  summary: 'The permission of an application was ended before its time.',
  entry: Credential,
  example: { ...example, name: 'Desk Assistant', expires_at: '2027-01-12T09:00:00.000Z' },
})

/** Raised by whatever ends credentials. */
export const endingEvents = [apiTokenRevoked, oauthGrantRevoked] as const

/** Tells of every credential that ended. */
export function emitEnded(
  emit: (type: (typeof endingEvents)[number], entry: ReturnType<typeof credentialOf>) => void,
  { tokens, grants }: Ended,
): void {
  for (const token of tokens) emit(apiTokenRevoked, credentialOf(token))
  for (const grant of grants) emit(oauthGrantRevoked, grantCredentialOf(grant))
}

function grantCredentialOf({ id, client_name, person_id, scopes, ends_at }: EndedGrant) {
  return { credential_id: id, name: client_name, person_id, scopes, expires_at: ends_at }
}

export function credentialOf({ id, name, person_id, scopes, expires_at }: TokenRow) {
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
    if (due_at <= tx.now) continue
    await setTimer(tx, { organization_id, kind: notice.kind, priority, subject_id: id, due_at })
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
