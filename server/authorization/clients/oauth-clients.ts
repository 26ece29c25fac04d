import type { Static } from 'typebox'
import type { Caller } from '#core/caller.ts'
import { differing } from '#core/json.ts'
import { defineOperation } from '#core/operation.ts'
import { type FieldError, invalidState, sensitiveDataRequired, validationFailed } from '#core/problems.ts'
import { Closed, PageInput, PageOf, SetOf, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { earlierEnd, refuseExcess, tokenRoles } from '#identity/api-tokens/rights.ts'
import { reauthenticationRequired } from '#identity/console-request.ts'
import { endCredential, endingEvents } from '#identity/end-credentials.ts'
import { lockParents, type Parents, parentsOf } from '#identity/token.store.ts'
import { hasSecret, insertClient, newClientSecret, retireSecrets, revealedSecret } from './client.store.ts'
import {
  type AuthMethod,
  type Client,
  ClientPath,
  type ClientRow,
  type GrantType,
  NewClientInput,
  newClientId,
  OAuthClient,
  oauthClientOf,
  RevealedClient,
  verdicts,
  WritableFields,
} from './client.ts'
import { faultOfKeys, keptKeySet } from './client-keys.ts'
import {
  changeManagedClient,
  clientList,
  deleteManagedClient,
  getClient,
  grantsBeyond,
  lockClient,
  met_or_not,
  writeVerdict,
} from './oauth-client.store.ts'
import { faultOfRedirectUri } from './redirect-uri.ts'

const reading = { scopes: ['tokens:read'], roles: tokenRoles } as const
const writing = { scopes: ['tokens:write'], roles: tokenRoles } as const

export const createOauthClient = defineOperation({
  id: 'oauth_clients.create',
  summary: 'Create an OAuth client of this organization',
  description:
    'The secret is in this answer and in no other. A client never has more rights or a later end than its maker; what a person makes in the console stays.',
  method: 'POST',
  path: '/oauth-clients',
  ...writing,
  input: NewClientInput,
  output: RevealedClient,
  status: 201,
  problems: [sensitiveDataRequired, reauthenticationRequired],
  reveals_secret: revealedSecret,

  async handle({ token_endpoint_auth_method, description = null, jwks, jwks_uri, ...fields }, { caller, tx }) {
    const { organization_id, is_sandbox, actor } = caller
    const client_id = newClientId()
    const client = {
      ...fields,
      ...{ client_id, description, jwks: jwks ? keptKeySet(jwks) : null, jwks_uri: jwks_uri ?? null },
      grant_types: withRefreshing(fields.grant_types as GrantType[]),
      auth_methods: [token_endpoint_auth_method as AuthMethod],
      ...{ parent_token_id: null, parent_grant_id: null, expires_at: null },
    }
    refuseUnfit({ ...client, jwks: jwks ?? null })
    const bounds = await boundTo(tx, caller, client)
    const owner = { kind: 'managed', owner_organization_id: organization_id, created_by: actor } as const
    const client_secret = await insertClient(tx, { ...client, ...bounds, ...owner }, is_sandbox)
    return { ...oauthClientOf(await getClient(tx, organization_id, client_id)), client_secret }
  },
})

/** A client that gets a code gets a refresh token with it (interface specification 5.2). */
function withRefreshing(types: readonly GrantType[]): GrantType[] {
  return types.includes('authorization_code') ? [...types, 'refresh_token'] : [...types]
}

export const deleteOauthClient = defineOperation({
  id: 'oauth_clients.delete',
  summary: 'Delete an OAuth client of this organization, with every permission it has',
  method: 'DELETE',
  path: '/oauth-clients/:client_id',
  ...writing,
  input: Closed(ClientPath),
  output: Type.Null(),
  status: 204,
  problems: [invalidState],
  emits: endingEvents,

  async handle({ client_id }, { caller, tx, emit }) {
    const { organization_id, actor: by } = caller
    await lockClient(tx, client_id)
    const row = await getClient(tx, organization_id, client_id)
    if (row.kind !== 'managed') throw invalidState('A client of others can be blocked, not deleted.')
    await endCredential({ tx, emit }, { client_id }, { organization_id, by, reason: 'client_deleted' })
    await deleteManagedClient(tx, organization_id, client_id)
    return null
  },
})

export const getOauthClient = defineOperation({
  id: 'oauth_clients.get',
  summary: 'Get an OAuth client, without its secrets',
  description: 'One of others is found once it was given a permission or a verdict here.',
  method: 'GET',
  path: '/oauth-clients/:client_id',
  ...reading,
  input: Closed(ClientPath),
  output: OAuthClient,

  lock: ({ client_id }, { tx }) => lockClient(tx, client_id),

  async handle({ client_id }, { caller, tx }) {
    return oauthClientOf(await getClient(tx, caller.organization_id, client_id))
  },
})

export const listOauthClients = defineOperation({
  id: 'oauth_clients.list',
  summary: 'List OAuth clients',
  description: 'Those of this organization, and those of others that were given a permission or a verdict here.',
  method: 'GET',
  path: '/oauth-clients',
  ...reading,
  input: Closed({
    ...PageInput,
    kinds: Type.Optional(SetOf(Type.Enum(['dynamic', 'document', 'managed']), { description: 'Any of these kinds.' })),
    verdicts: Type.Optional(SetOf(Type.Enum([...verdicts]), { description: 'Any of these verdicts.' })),
  }),
  output: PageOf(OAuthClient),

  handle: (filter, { caller, page }) => page(clientList(caller.organization_id, filter), oauthClientOf),
})

export const rotateOauthClientSecret = defineOperation({
  id: 'oauth_clients.rotate_secret',
  summary: 'Replace the secret of an OAuth client',
  description: 'Both work until the overlap ends, so that the client can change over without a gap.',
  method: 'POST',
  path: '/oauth-clients/:client_id/secret',
  ...writing,
  input: Closed({
    ...ClientPath,
    overlap_s: Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 3_600,
      description: 'Seconds the old secret stays valid.',
    }),
  }),
  output: RevealedClient,
  status: 201,
  location: ({ client_id }) => `/oauth-clients/${client_id}`,
  problems: [invalidState, sensitiveDataRequired, reauthenticationRequired],
  reveals_secret: revealedSecret,

  async handle({ client_id, overlap_s }, { caller, tx }) {
    const { organization_id, is_sandbox } = caller
    await lockClient(tx, client_id)
    const row = await getClient(tx, organization_id, client_id)
    if (row.kind !== 'managed' || !hasSecret(row)) {
      throw invalidState('The client has no secret that could be replaced.')
    }
    await changeManagedClient(tx, row, await boundTo(tx, caller, row))
    await retireSecrets(tx, client_id, overlap_s)
    const client_secret = await newClientSecret(tx, client_id, is_sandbox)
    return { ...oauthClientOf(await getClient(tx, organization_id, client_id)), client_secret }
  },
})

const Changes = Type.Partial(Type.Object(WritableFields))

export const updateOauthClient = defineOperation({
  id: 'oauth_clients.update',
  summary: 'Change an OAuth client of this organization, or decide about one of others',
  description:
    'A verdict counts for this organization only. Blocking ends every permission that the client has here, for good; taking scopes or resources from a client ends those beyond what is left.',
  method: 'PATCH',
  path: '/oauth-clients/:client_id',
  ...writing,
  input: Closed({
    ...ClientPath,
    ...Changes.properties,
    verdict: Type.Optional(Type.Enum([...verdicts], { description: 'Only for a client of others.' })),
  }),
  output: OAuthClient,
  problems: [invalidState, sensitiveDataRequired, reauthenticationRequired],
  emits: endingEvents,

  async handle({ client_id, verdict, ...wanted }, { caller, tx, emit, unchanged }) {
    const { organization_id, actor: by } = caller
    await lockClient(tx, client_id)
    const row = await getClient(tx, organization_id, client_id, met_or_not)
    const next = changed(row, wanted)
    const changes = differing(row, next)
    const decides = verdict !== undefined && verdict !== row.verdict
    const isChanged = Object.keys(changes).length > 0
    if (!isChanged && !decides) unchanged()
    if (decides && row.kind === 'managed') {
      throw invalidState('A client of this organization needs no verdict; it can be deleted.')
    }
    if (isChanged && row.kind !== 'managed') {
      throw invalidState('A client of others can be verified or blocked, not changed.')
    }
    if (isChanged) {
      refuseUnfit(next)
      const bounds = isPowerful(changes) ? await boundTo(tx, caller, next) : {}
      await changeManagedClient(tx, row, { ...changes, ...bounds })
      // Rights taken from the client are taken from everything it was given, at once.
      for (const grant_id of await grantsBeyond(tx, next)) {
        await endCredential({ tx, emit }, { grant_id }, { organization_id, by, reason: 'client_narrowed' })
      }
    }
    if (decides) await writeVerdict(tx, { organization_id, client_id }, verdict, by)
    if (decides && verdict === 'blocked') {
      await endCredential({ tx, emit }, { client_id }, { organization_id, by, reason: 'client_blocked' })
    }
    return oauthClientOf(await getClient(tx, organization_id, client_id, met_or_not))
  },
})

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

type Power = Pick<ClientRow, 'client_id' | 'scopes' | 'sensitive_data' | 'expires_at' | keyof Parents>

/**
 * Rights only shrink (design A6): who makes a client, learns a secret of it or turns it to another place or key holds what
 * it holds, so it must hold that already. Answers what the client ends with from now on.
 */
async function boundTo(tx: Transaction, caller: Caller, client: Power) {
  const { scopes, sensitive_data, parent_token_id, parent_grant_id, expires_at } = client
  refuseExcess(caller, { kind: 'client', scopes: scopes ?? [], sensitive_data }, tx.real_now)
  const own = parentsOf(caller)
  // A client that acts for its organization; with a user's permission it acts as that user, and is bound like everybody.
  const isItself = caller.client_id === client.client_id && !caller.user_id && !caller.person_id
  if (isItself || (own.parent_token_id === null && own.parent_grant_id === null)) {
    return { parent_token_id, parent_grant_id, expires_at }
  }
  const parents = await lockParents(tx, caller.organization_id, own)
  return { ...parents, expires_at: earlierEnd(expires_at, caller.expires_at) }
}

type Rules = Pick<Client, 'grant_types' | 'redirect_uris' | 'auth_methods' | 'jwks_uri' | 'scopes'> & {
  jwks: object | null
}

/** Refuses a managed client whose parts do not fit each other, naming every field at once. */
function refuseUnfit({ grant_types, redirect_uris, auth_methods, jwks, jwks_uri, scopes }: Rules): void {
  const forUsers = grant_types.includes('authorization_code')
  const forItself = grant_types.includes('client_credentials')
  const signs = auth_methods.includes('private_key_jwt')
  const hasProvisioning = scopes?.some((scope) => scope.startsWith('scim:')) ?? false
  const keys = signs ? faultOfKeys({ jwks, jwks_uri }) : null
  const errors: (FieldError | false | null)[] = [
    forUsers && redirect_uris.length === 0 && at('redirect_uris', 'needs an entry for authorization_code'),
    !forUsers && redirect_uris.length > 0 && at('redirect_uris', 'is of no use without authorization_code'),
    ...redirect_uris.map((uri, index) => {
      const fault = forUsers ? faultOfRedirectUri(uri) : null
      return fault !== null && at(`redirect_uris/${index}`, fault)
    }),
    // RFC 6749 §4.4: who acts for itself has to prove who it is.
    forItself &&
      auth_methods.includes('none') &&
      at('token_endpoint_auth_method', 'must not be none for client_credentials'),
    !signs && jwks && at('jwks', 'is of no use without private_key_jwt'),
    !signs && !jwks && jwks_uri !== null && at('jwks_uri', 'is of no use without private_key_jwt'),
    keys && at(keys.field, keys.message),
    // Provisioning is the organization's: no user can allow it to a client (design 2).
    hasProvisioning && !forItself && at('scopes', 'can hold scim:read and scim:write for client_credentials only'),
  ]
  const found = errors.filter((error) => error !== false && error !== null)
  if (found.length > 0) throw validationFailed(undefined, { errors: found })
}

const at = (field: string, message: string): FieldError => ({ pointer: `/${field}`, message })

export const oauthClientOperations = [
  listOauthClients,
  createOauthClient,
  getOauthClient,
  updateOauthClient,
  deleteOauthClient,
  rotateOauthClientSecret,
]
