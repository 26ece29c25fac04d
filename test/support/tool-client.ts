import assert from 'node:assert/strict'
import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { issueToken } from '#identity/token.store.ts'
import type { TestService } from './service.ts'

/** A personal access token with the user and the credential behind it. */
export interface Member {
  id: string
  user_id: string
  token: string
}

/** A member of an organization with a token that opens REST and the tool server. */
export async function createMember(
  { database, clock, organization }: TestService,
  options: {
    organization_id?: string
    role?: Role
    scopes?: readonly Scope[]
    sensitive_data?: readonly SensitiveCategory[]
    is_sandbox?: boolean
    /** Milliseconds since 1970. */
    expires_at?: number
  } = {},
): Promise<Member> {
  const { organization_id = organization.id, role = 'owner', is_sandbox = false, expires_at } = options
  const { scopes = organizationScopes, sensitive_data = sensitiveCategories } = options
  const user_id = newId(clock.now())
  return database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
    const email = `${user_id}@harbour.example`
    await insertUser(tx, { id: user_id, email, name: 'Nora Pine', password_hash: null })
    await grantMembership(tx, organization_id, user_id, role)
    const { row, token } = await issueToken(tx, {
      id: newId(clock.now()),
      organization_id,
      kind: 'personal',
      name: 'test',
      is_sandbox,
      scopes: [...scopes],
      sensitive_data: [...sensitive_data],
      user_id,
      created_by: { kind: 'system', id: null, name: 'test' },
      expires_at: expires_at === undefined ? null : new Date(expires_at).toISOString(),
    })
    return { id: row.id, user_id, token }
  })
}

export interface ToolAnswer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
}

export interface PostOptions {
  headers?: Record<string, string | undefined>
  token?: string | null
  url?: string
  method?: 'POST' | 'GET' | 'DELETE' | 'OPTIONS' | 'PUT' | 'HEAD'
}

/** Sends one body to the tool server in process, byte by byte as it is. */
export async function post(
  { app }: Pick<TestService, 'app'>,
  payload: string | Buffer | undefined,
  { headers = {}, token = null, url = '/mcp', method = 'POST' }: PostOptions = {},
): Promise<ToolAnswer> {
  const sent = {
    host: 'stint.test',
    'content-type': 'application/json',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...headers,
  }
  const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
  const answer = await app.inject({
    method,
    url,
    headers: kept as Record<string, string>,
    ...(payload !== undefined && { payload }),
  })
  const isJson = String(answer.headers['content-type'] ?? '').includes('json')
  return { status: answer.statusCode, headers: answer.headers, body: isJson ? JSON.parse(answer.body) : answer.body }
}

/** A request as a client of 2025-11-25 sends it. */
export function request(method: string, params?: object, id: unknown = 7): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) })
}

export const modern_version = '2026-07-28'

const envelope = {
  'io.modelcontextprotocol/protocolVersion': modern_version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The same in 2026-07-28: its body, and the headers that repeat it. */
export function modernRequest(method: string, params: Record<string, unknown> = {}, version = modern_version) {
  const _meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': version }
  return {
    body: request(method, { ...params, _meta }),
    headers: {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
  }
}

/** Calls a tool as an older client does; the call must have reached the tool. */
export async function callTool(
  service: Pick<TestService, 'app'>,
  token: string,
  name: string,
  args: object = {},
): Promise<ToolAnswer['body']> {
  const { status, body } = await post(service, request('tools/call', { name, arguments: args }), { token })
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(body.result, JSON.stringify(body))
  return body.result
}

/** Calls a tool as a user who agrees to whatever it would do: where it asks for a confirmation, it gets the one that it named. */
export async function callConfirmed(
  service: Pick<TestService, 'app'>,
  token: string,
  name: string,
  args: object = {},
): Promise<ToolAnswer['body']> {
  const first = await callTool(service, token, name, args)
  const [, confirm] = /^confirmation_required: [\s\S]* confirm "([\w-]{43})"\.$/.exec(first.content[0].text) ?? []
  return confirm === undefined ? first : callTool(service, token, name, { ...args, confirm })
}
