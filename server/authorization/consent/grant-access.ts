import { recordAudit } from '#core/audit.ts'
import { newId } from '#core/values/id.ts'
import type { Transaction } from '#db/database.ts'
import type { Session } from '#identity/sessions/index.ts'
import { atRest } from '#identity/token-digest.ts'
import { newToken } from '#identity/token-format.ts'
import type { RequestRow } from '../authorize/authorization-request.store.ts'
import { lockedClient } from '../clients/oauth-client.store.ts'
import { redirectTarget } from '../clients/redirect-uri.ts'
import type { ConsoleRequest } from '../console-endpoint.ts'
import { insertGrant } from '../grants/grant.store.ts'
import { insertCode } from '../token/code.store.ts'
import { isBlocked } from './consent.store.ts'
import { type Choice, type ConsentParts, couldBeSent, noSuchRequest } from './consent-parts.ts'

/** Makes the grant that a user allowed and the code by which the client fetches its tokens; answers the code. */
export async function grantAccess(
  { runtime: { clock, secrets }, grant_days }: Pick<ConsentParts, 'runtime' | 'grant_days'>,
  tx: Transaction,
  {
    row,
    session,
    choice,
    request,
  }: { row: RequestRow; session: Session; choice: Choice; request: Pick<ConsoleRequest, 'address' | 'request_id'> },
): Promise<string> {
  const { offer, scopes, sensitive_data } = choice
  const { organization_id, person_id, is_sandbox } = offer
  const { client_id, redirect_uri, code_challenge } = row
  // Who changes, blocks or deletes the client at this moment waits, or was first: no grant slips through between.
  const client = await lockedClient(tx, organization_id, client_id)
  if (!client || !couldBeSent(client, row) || (await isBlocked(tx, organization_id, client_id))) throw noSuchRequest()
  const grant_id = newId(clock.now())
  await insertGrant(tx, {
    id: grant_id,
    organization_id,
    user_id: session.user_id,
    person_id,
    client_id,
    client_name: client.name,
    redirect_host: redirectTarget(redirect_uri).host,
    resource: row.resource,
    scopes,
    sensitive_data: [...sensitive_data],
    ends_at: new Date(Date.parse(tx.now) + grant_days * 86_400_000).toISOString(),
  })
  const code = newToken('code', is_sandbox)
  await insertCode(tx, { ...atRest(secrets, code), organization_id, grant_id, client_id, redirect_uri, code_challenge })
  await recordAudit(tx, {
    organization_id,
    occurred_at: tx.now,
    actor: { kind: person_id ? 'worker' : 'user', id: person_id ?? session.user_id, name: session.name },
    credential_id: session.session_id,
    action: 'oauth_grants.create',
    subject: { kind: 'oauth_grants', id: grant_id },
    changed_fields: ['scopes', 'sensitive_data'],
    request_id: request.request_id,
    address: request.address,
  })
  return code
}
