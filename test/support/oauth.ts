import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Role } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import type { Database } from '#db/database.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { beginSession } from '#identity/session.store.ts'
import { noteSecret } from './secrets.ts'
import type { TestAnswer } from './service.ts'

export type Injected = Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body' | 'json'>

/** The part of a service that a test needs: something that answers as its application does, and its database. */
export interface OAuthService {
  app: { inject(options: InjectOptions): Promise<Injected> }
  database: { database: Database }
  clock: { now(): number }
  organization: { id: string }
}

export const redirect_uri = 'http://127.0.0.1:49152/callback'
const resource = 'https://stint.test/mcp'

export interface SignedIn {
  user_id: string
  cookie: string
}

/** A member of the organization with a session in a browser. */
export async function signIn(
  service: OAuthService,
  { role = 'owner', organization_id = service.organization.id }: { role?: Role | null; organization_id?: string } = {},
): Promise<SignedIn> {
  const { database } = service.database
  const user_id = newId(service.clock.now())
  await database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await insertUser(tx, { id: user_id, email: `${user_id}@example.org`, name: 'Nora Pine', password_hash: null })
    if (role) await grantMembership(tx, organization_id, user_id, role)
  })
  return signInAgain(service, { user_id })
}

/** The same user in a session that is new, and so just proved. */
export async function signInAgain(service: OAuthService, { user_id }: Pick<SignedIn, 'user_id'>): Promise<SignedIn> {
  const set = await service.database.database.transaction({ role: 'lookup' }, (tx) =>
    beginSession(tx, { headers: {} }, { user_id, address: '127.0.0.1' }),
  )
  return { user_id, cookie: set.slice(0, set.indexOf(';')) }
}

export interface RegisteredClient {
  client_id: string
  client_secret?: string
}

export async function register(
  service: OAuthService,
  overrides: Record<string, unknown> = {},
): Promise<RegisteredClient> {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/oauth/register',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({
      client_name: 'Desk Assistant',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...overrides,
    }),
  })
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json()
}

export interface Pkce {
  verifier: string
  challenge: string
}

export function pkce(): Pkce {
  const verifier = noteSecret(randomBytes(32).toString('base64url'))
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Parameters with null left out, so that a case can take one away. */
export function encoded(parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
  return new URLSearchParams(given).toString()
}

export type Overrides = Record<string, string | null>

/** Calls the authorization endpoint, each time as if from another network, so that limits do not count tests together. */
export function authorize(
  service: OAuthService,
  client_id: string,
  challenge: string,
  overrides: Overrides = {},
  cookie?: string,
): Promise<Injected> {
  const defaults = { response_type: 'code', client_id, redirect_uri, state: 'x7', scope: 'contracts:read', resource }
  const query = { ...defaults, code_challenge: challenge, code_challenge_method: 'S256', ...overrides }
  return service.app.inject({
    url: `/oauth/authorize?${encoded(query)}`,
    remoteAddress: someAddress(),
    headers: { ...(cookie && { cookie }) },
  })
}

/** The id of the request that the browser is sent to decide on. */
export function requestIdOf(answer: Injected): string {
  assert.equal(answer.statusCode, 303, answer.body)
  const id = /^https:\/\/(?:stint\.test|localhost:\d+)\/console\/authorize\/([\w-]{43})$/.exec(
    String(answer.headers.location),
  )?.[1]
  assert.ok(id, String(answer.headers.location))
  return id
}

export const pageHeaders = { 'stint-console': '1', 'sec-fetch-site': 'same-origin' }

/** Calls the consent endpoint of a request as the page does. */
export async function consent(
  service: OAuthService,
  method: 'GET' | 'POST',
  request_id: string,
  { cookie, body, headers = {} }: { cookie?: string; body?: unknown; headers?: Record<string, string | null> } = {},
): Promise<TestAnswer> {
  const sent: Record<string, string | null> = {
    ...pageHeaders,
    ...(cookie && { cookie }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  const answer = await service.app.inject({
    method,
    url: `/console/auth/consent/${request_id}`,
    headers: Object.fromEntries(Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null)),
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}

/** Opens the consent page, ticks all that is asked for and can be given but `tokens:*`, and presses Allow. */
export async function allow(
  service: OAuthService,
  request_id: string,
  cookie: string,
  wished: Record<string, unknown> = {},
): Promise<URL> {
  const { status, body: shown } = await consent(service, 'GET', request_id, { cookie })
  assert.equal(status, 200, JSON.stringify(shown))
  const [organization] = shown.organizations
  const ticked = organization.scopes.filter(
    ({ state, name }: { state: string; name: string }) => state !== 'struck_out' && !name.startsWith('tokens:'),
  )
  const body = {
    csrf_token: shown.csrf_token,
    decision: 'approve',
    organization_id: organization.organization_id,
    person_id: organization.person_id,
    scopes: ticked.map(({ name }: { name: string }) => name),
    sensitive_data: [],
    ...wished,
  }
  const decided = await consent(service, 'POST', request_id, { cookie, body })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  return new URL(decided.body.redirect_to)
}

/** A form sent to one of the endpoints, each time as if from another network. */
export async function postForm(
  service: OAuthService,
  path: string,
  form: Overrides,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const answer = await service.app.inject({
    method: 'POST',
    url: path,
    remoteAddress: someAddress(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: encoded(form),
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? null : answer.json() }
}

export interface Code extends Pkce {
  client_id: string
  code: string
}

/** A code that a user just allowed. */
export async function obtainCode(
  service: OAuthService,
  client_id: string,
  { cookie }: Pick<SignedIn, 'cookie'>,
  overrides: Overrides = {},
  wished: Record<string, unknown> = {},
): Promise<Code> {
  const proof = pkce()
  const request_id = requestIdOf(await authorize(service, client_id, proof.challenge, overrides))
  const url = await allow(service, request_id, cookie, wished)
  return { ...proof, client_id, code: url.searchParams.get('code') ?? '' }
}

export function redeem(
  service: OAuthService,
  { client_id, code, verifier }: Code,
  overrides: Overrides = {},
): Promise<TestAnswer> {
  const form = { grant_type: 'authorization_code', code, redirect_uri, client_id, code_verifier: verifier }
  return postForm(service, '/oauth/token', { ...form, ...overrides })
}

export function refresh(
  service: OAuthService,
  client_id: string,
  refresh_token: string,
  overrides: Overrides = {},
): Promise<TestAnswer> {
  return postForm(service, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id, ...overrides })
}

export interface Connection {
  client_id: string
  access_token: string
  refresh_token: string
  scope: string
}

/** From nothing to tokens: registration, authorization, consent, code. */
export async function connect(
  service: OAuthService,
  user: SignedIn,
  overrides: Overrides = {},
  wished: Record<string, unknown> = {},
): Promise<Connection> {
  const { client_id } = await register(service)
  const { status, body } = await redeem(service, await obtainCode(service, client_id, user, overrides, wished))
  assert.equal(status, 200, JSON.stringify(body))
  return { client_id, ...body }
}

function someAddress(): string {
  return [10, ...randomBytes(3)].join('.')
}
