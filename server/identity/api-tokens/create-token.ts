import { authorise } from '#core/authorise.ts'
import { defineOperation } from '#core/operation.ts'
import { insufficientScope, sensitiveDataRequired } from '#core/problems/problems.ts'
import { issueToken, parentsOf } from '../issue-token.ts'
import { apiTokenOf, NewTokenInput, RevealedToken, revealedToken } from './api-token.ts'
import { apiTokenCreated, credentialOf } from './events.ts'
import { announceEnd } from './expiry-notice.ts'
import { endOf, refuseExcess, tokenRoles } from './rights.ts'

export const createToken = defineOperation({
  id: 'api_tokens.create',
  summary: 'Create an API token',
  description:
    'The value is in this answer and in no other. A token never has more rights or a later end than its maker.',
  method: 'POST',
  path: '/api-tokens',
  scopes: ['tokens:write'],
  input: NewTokenInput,
  output: RevealedToken,
  status: 201,
  problems: [sensitiveDataRequired],
  emits: [apiTokenCreated],
  reveals_secret: revealedToken,

  async handle({ name, type, scopes, sensitive_data, expires_at }, { caller, tx, now, newId, emit, secrets }) {
    // A user of any role makes personal tokens; those of the organization take a role that manages tokens.
    if (type === 'organization') authorise(caller, { scopes: [], roles: tokenRoles })
    else if (!caller.user_id || caller.person_id) {
      throw insufficientScope('Only a user can make a personal token.', { members: { required_scopes: [] } })
    }
    refuseExcess(caller, { kind: type, scopes, sensitive_data })
    const { row, token } = await issueToken(tx, secrets, {
      id: newId(),
      organization_id: caller.organization_id,
      is_sandbox: caller.is_sandbox,
      kind: type,
      name,
      scopes,
      sensitive_data,
      created_by: caller.actor,
      expires_at: endOf(caller, expires_at, now),
      ...parentsOf(caller),
      ...(type === 'personal' && { user_id: caller.user_id ?? null }),
    })
    await announceEnd(tx, row)
    emit(apiTokenCreated, credentialOf(row))
    return { ...apiTokenOf(row), token }
  },
})
