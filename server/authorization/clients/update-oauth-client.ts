import type { Static } from 'typebox'
import { defineOperation } from '#core/operation.ts'
import { invalidState, notFound, sensitiveDataRequired } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { differing } from '#core/values/canonical.ts'
import { emitEnded, endingEvents } from '#identity/api-tokens/events.ts'
import { tokenRoles } from '#identity/api-tokens/rights.ts'
import { endCredential } from '#identity/end-credentials.ts'
import { boundTo } from './client-power.ts'
import { keptKeySet } from './key-set.ts'
import { refuseUnfit } from './managed-rules.ts'
import { changeManagedClient, findAnyClient, grantsBeyond, lockedClient, writeVerdict } from './oauth-client.store.ts'
import { ClientPath, type ClientRow, OAuthClient, oauthClientOf, verdicts, WritableFields } from './oauth-client.ts'

const Changes = Type.Partial(Type.Object(WritableFields))

export const updateOauthClient = defineOperation({
  id: 'oauth_clients.update',
  summary: 'Change an OAuth client of this organization, or decide about one of others',
  description:
    'A verdict counts for this organization only. Blocking ends every permission that the client has here, for good; taking scopes or resources from a client ends those beyond what is left.',
  method: 'PATCH',
  path: '/oauth-clients/:client_id',
  scopes: ['tokens:write'],
  roles: tokenRoles,
  input: Closed({
    ...ClientPath,
    ...Changes.properties,
    verdict: Type.Optional(Type.Enum([...verdicts], { description: 'Only for a client of others.' })),
  }),
  output: OAuthClient,
  problems: [invalidState, sensitiveDataRequired],
  emits: endingEvents,

  async handle({ client_id, verdict, ...wanted }, { caller, tx, emit, unchanged }) {
    const { organization_id, actor: by } = caller
    const row = await lockedClient(tx, organization_id, client_id)
    if (!row) throw notFound()
    const next = changed(row, wanted)
    const changes = differing(row, next)
    const decides = verdict !== undefined && verdict !== row.verdict
    const isChanged = Object.keys(changes).length > 0
    if (!isChanged && !decides) {
      unchanged()
      return oauthClientOf(row)
    }
    refuseStrangeChange(row, decides, isChanged)
    if (isChanged) {
      refuseUnfit(next)
      const bounds = isPowerful(changes) ? await boundTo(tx, caller, next) : {}
      await changeManagedClient(tx, { ...next, ...bounds })
      // What is taken from the client is taken from everything it was given, at once.
      for (const grant_id of await grantsBeyond(tx, next)) {
        emitEnded(emit, await endCredential(tx, { grant_id }, { organization_id, by, reason: 'client_narrowed' }))
      }
    }
    if (decides) await writeVerdict(tx, { organization_id, client_id, verdict, by })
    if (decides && verdict === 'blocked') {
      emitEnded(emit, await endCredential(tx, { client_id }, { organization_id, by, reason: 'client_blocked' }))
    }
    return oauthClientOf((await findAnyClient(tx, organization_id, client_id)) ?? row)
  },
})

function refuseStrangeChange({ kind }: ClientRow, decides: boolean, changes: boolean): void {
  if (kind === 'managed' && decides)
    throw invalidState('A client of this organization needs no verdict; it can be deleted.')
  if (kind !== 'managed' && changes) throw invalidState('A client of others can be verified or blocked, not changed.')
}

/** Name and description say who the client is; everything else says what it can do and for whom. */
function isPowerful({ name: _, description: __, ...rest }: Partial<ClientRow>): boolean {
  return Object.keys(rest).length > 0
}

/** Keys in one place take the place of those in the other. */
function changed(row: ClientRow, { jwks, jwks_uri, ...changes }: Static<typeof Changes>): ClientRow {
  const keys = {
    ...(jwks && { jwks: keptKeySet(jwks), jwks_uri: null }),
    ...(jwks_uri && { jwks: jwks ? keptKeySet(jwks) : null, jwks_uri }),
  }
  return { ...row, ...changes, ...keys } as ClientRow
}
