import { defineEvent } from '#core/event.ts'
import { Id, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import type { EndedGrant } from '../credential-family.store.ts'
import type { Ended } from '../end-credentials.ts'
import type { TokenRow } from '../token.store.ts'

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
