import { createHash, randomBytes } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { newId } from '#core/values.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { beginSession } from '#identity/session.store.ts'
import type { LocalService } from './local-service.ts'

/** One client with one family of tokens, as far as it has come. */
export interface Family {
  client_id: string
  refresh_token: string
}

export interface Confidential {
  authorization: string
  access_token: string
}

export interface OAuthFlows {
  register(): Promise<string>
  /** Authorization request, consent and code: a whole connection of a registered client. */
  connect(client_id: string): Promise<Family & { access_token: string; request_id: string; code: string }>
  /** One exchange; answers the family with its next token. */
  refresh(family: Family): Promise<Family & { access_token: string }>
  /** Registers a client with a secret and connects it; answers its proof (`Authorization`) and its token. */
  connectConfidential(): Promise<Confidential>
  introspect(confidential: Confidential): Promise<void>
}

const redirect_uri = 'http://127.0.0.1:49152/callback'
const page = { 'stint-console': '1', 'sec-fetch-site': 'same-origin' }
/** The headers of a call of the token endpoint. */
export const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** The flows of the authorization server against the service in this process, without a network between. */
export async function openFlows(service: LocalService, origin: string, organization_id: string): Promise<OAuthFlows> {
  const cookie = await signIn(service, organization_id)
  const host = new URL(origin).host
  const call = async (options: InjectOptions) => {
    // Limits count by network; a load generator is as many as it likes.
    const remoteAddress = [10, ...randomBytes(3)].join('.')
    const answer = await service.app.inject({ ...options, remoteAddress, headers: { host, ...options.headers } })
    if (answer.statusCode >= 400) throw new Error(`${options.url} was answered ${answer.statusCode}: ${answer.body}`)
    return answer
  }
  const token = async (parameters: Record<string, string>, proof: Record<string, string> = {}) => {
    const payload = new URLSearchParams(parameters).toString()
    const answer = await call({ method: 'POST', url: '/oauth/token', headers: { ...form, ...proof }, payload })
    return answer.json() as { access_token: string; refresh_token: string }
  }
  const register = async (token_endpoint_auth_method: string) => {
    const metadata = { client_name: 'Bench', redirect_uris: [redirect_uri], grant_types: ['authorization_code'] }
    const payload = { ...metadata, response_types: ['code'], token_endpoint_auth_method }
    return (await call({ method: 'POST', url: '/oauth/register', payload })).json()
  }
  const decide = async (request_id: string) => {
    const own = { ...page, cookie, 'content-type': 'application/json' }
    const url = `/console/auth/consent/${request_id}`
    const { csrf_token } = (await call({ url, headers: own })).json()
    const payload = { csrf_token, decision: 'approve', organization_id, scopes: ['contracts:read'], sensitive_data: [] }
    const { redirect_to } = (await call({ method: 'POST', url, headers: own, payload })).json()
    return new URL(redirect_to).searchParams.get('code') ?? ''
  }
  /** Code and proof of a whole connection, for the token endpoint. */
  const authorize = async (client_id: string) => {
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const asked = { response_type: 'code', client_id, redirect_uri, scope: 'contracts:read', state: 'x' }
    const query = new URLSearchParams({ ...asked, code_challenge, code_challenge_method: 'S256' })
    const { headers } = await call({ url: `/oauth/authorize?${query}` })
    const request_id = String(headers.location).slice(-43)
    const code = await decide(request_id)
    return { request_id, proof: { grant_type: 'authorization_code', redirect_uri, code, code_verifier } }
  }
  return {
    register: async () => (await register('none')).client_id,
    async connectConfidential() {
      const { client_id, client_secret } = await register('client_secret_basic')
      const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
      const { access_token } = await token((await authorize(client_id)).proof, { authorization })
      return { authorization, access_token }
    },
    async introspect({ authorization, access_token }) {
      const payload = new URLSearchParams({ token: access_token }).toString()
      const headers = { ...form, authorization }
      const answer = await call({ method: 'POST', url: '/oauth/introspect', headers, payload })
      if (!answer.json().active) throw new Error(`the token is not active: ${answer.body}`)
    },
    async connect(client_id) {
      const { request_id, proof } = await authorize(client_id)
      return { ...(await token({ ...proof, client_id })), client_id, request_id, code: proof.code }
    },
    async refresh({ client_id, refresh_token }) {
      return { ...(await token({ grant_type: 'refresh_token', client_id, refresh_token })), client_id }
    },
  }
}

async function signIn({ database }: LocalService, organization_id: string): Promise<string> {
  const user_id = newId(Date.now())
  await database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await insertUser(tx, { id: user_id, email: `${user_id}@example.org`, name: 'Bench', password_hash: null })
    await grantMembership(tx, organization_id, user_id, 'owner')
  })
  const set = await database.transaction({ role: 'lookup' }, (tx) =>
    beginSession(tx, { headers: {} }, { user_id, address: '127.0.0.1' }),
  )
  return set.slice(0, set.indexOf(';'))
}
