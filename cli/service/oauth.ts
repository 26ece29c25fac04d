import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf } from './client.ts'
import { Unconfigured } from './connection.ts'
import type { Json } from './document.ts'
import { type OAuthTokens, profilesFile, readProfiles, writeProfile } from './profiles.ts'

const answer_limit_ms = 30_000
const decision_limit_ms = 600_000
/** Before its end an access token is exchanged, so that it does not end on its way. */
const margin_ms = 60_000
/** A process that holds the lock for longer has ended without a word. */
export const lock_limit_ms = 60_000
const lock_look_ms = 50

interface Metadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint: string
}

/** Has a person allow this program in the browser (RFC 8252): the code flow with PKCE, on a port of this machine. */
export async function signInByBrowser(origin: string, scopes: string): Promise<OAuthTokens> {
  const resource_metadata = await getJson(`${origin}/.well-known/oauth-protected-resource/mcp`)
  const [issuer] = resource_metadata.authorization_servers as string[]
  // The cast holds because RFC 8414 and the metadata of the service name these fields.
  const metadata = (await getJson(`${issuer}/.well-known/oauth-authorization-server`)) as unknown as Metadata
  const { client_id } = await postJson(metadata.registration_endpoint, {
    client_name: 'Stint command line',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  })
  const code_verifier = randomBytes(32).toString('base64url')
  const decided = await decide(metadata, {
    response_type: 'code',
    client_id: String(client_id),
    scope: scopes || (await scopesOfCommands(origin)),
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${origin}/rest/v2`,
  })
  return exchange(metadata.token_endpoint, String(client_id), {
    ...{ grant_type: 'authorization_code', code_verifier },
    ...decided,
  })
}

/** All that a command may need, for the person to choose from: reading is ticked there, writing is not. */
async function scopesOfCommands(origin: string): Promise<string> {
  const { scopes_supported } = await getJson(`${origin}/.well-known/oauth-protected-resource/rest/v2`)
  // Provisioning is for programs, which have credentials of the organization.
  return (scopes_supported as string[]).filter((scope) => !scope.startsWith('scim:')).join(' ')
}

/** Sends the browser to the page of consent and waits for it to come back with a code. */
async function decide({ authorization_endpoint, issuer }: Metadata, asked: Record<string, string>) {
  const state = randomBytes(16).toString('base64url')
  const { promise, resolve } = Promise.withResolvers<URL>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const isOurs = url.pathname === '/callback' && url.searchParams.get('state') === state
    response.writeHead(isOurs ? 200 : 404, { 'Content-Type': 'text/plain', Connection: 'close' })
    response.end(isOurs ? 'Back to the terminal: this page can be closed.\n' : 'Nothing is here.\n')
    if (isOurs) resolve(url)
  }).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    // A server that listens on a port has an address of that kind.
    const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
    openBrowser(`${authorization_endpoint}?${new URLSearchParams({ ...asked, redirect_uri, state })}`)
    const limit = AbortSignal.timeout(decision_limit_ms)
    const back = await Promise.race([promise, once(limit, 'abort').then(() => null)])
    if (!back) throw new Unconfigured('nobody decided in the browser within 10 minutes')
    const { code, iss, error } = Object.fromEntries(back.searchParams)
    if (iss !== issuer) throw new Unconfigured('the answer in the browser is not of this service; begin anew')
    if (!code) throw new Unconfigured(`it was not allowed in the browser (${error ?? 'no code came'})`)
    return { code, redirect_uri }
  } finally {
    server.close()
  }
}

function openBrowser(url: string): void {
  process.stderr.write(`Allow this program in the browser, at:\n${url}\n`)
  if (!process.stderr.isTTY) return
  const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
}

async function exchange(
  token_url: string,
  client_id: string,
  parameters: Record<string, string>,
): Promise<OAuthTokens> {
  const body = new URLSearchParams({ ...parameters, client_id })
  const { access_token, refresh_token, expires_in } = await readAnswer(token_url, { method: 'POST', body })
  return {
    token_url,
    client_id,
    access_token: String(access_token),
    refresh_token: String(refresh_token),
    expires_at: Date.now() + Number(expires_in) * 1_000,
  }
}

/** The access token of a profile, not the `refused` one. A refresh token works once, so of several processes one exchanges it and the others wait. */
export async function freshToken(profile: string, refused?: string): Promise<string> {
  const isFresh = ({ access_token, expires_at }: OAuthTokens) =>
    access_token !== refused && expires_at - margin_ms > Date.now()
  const before = storedTokens(profile)
  if (isFresh(before)) return before.access_token
  return withLock(async () => {
    const { profiles } = readProfiles()
    const { access_token, token_url, client_id, refresh_token } = storedTokens(profile)
    if (access_token !== before.access_token) return access_token
    const oauth = await exchange(token_url, client_id, { grant_type: 'refresh_token', refresh_token })
    // Stored before it is used: the former refresh token has ended.
    const stored = profiles[profile]
    if (stored) writeProfile(profile, { ...stored, oauth })
    return oauth.access_token
  })
}

function storedTokens(profile: string): OAuthTokens {
  const { oauth } = readProfiles().profiles[profile] ?? {}
  if (!oauth)
    throw new Unconfigured(`the profile "${profile}" is signed in no more: run \`stint login --profile ${profile}\``)
  return oauth
}

/** Ends every token of the sign-in. */
export async function revoke({ token_url, client_id, refresh_token }: OAuthTokens): Promise<void> {
  const body = new URLSearchParams({ client_id, token: refresh_token })
  await readAnswer(token_url.replace(/token$/, 'revoke'), { method: 'POST', body })
}

async function withLock<Result>(work: () => Promise<Result>): Promise<Result> {
  const lock = `${profilesFile()}.lock`
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 })
  while (!takeLock(lock)) await pause(lock_look_ms)
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > lock_limit_ms) rmSync(lock, { force: true })
    return false
  }
}

const getJson = (url: string) => readAnswer(url, {})

function postJson(url: string, body: Json): Promise<Json> {
  return readAnswer(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function readAnswer(url: string, init: RequestInit): Promise<Json> {
  const signal = AbortSignal.timeout(answer_limit_ms)
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal })
    const text = await response.text()
    const answer: Json = text === '' ? {} : JSON.parse(text)
    if (response.ok) return answer
    throw new Unconfigured(
      `the sign-in ended (${answer.error ?? response.status}: ${answer.error_description ?? answer.detail ?? 'no reason given'}); run \`stint login\``,
    )
  } catch (error) {
    if (error instanceof Unconfigured) throw error
    throw new Unconfigured(`${url} gave no answer: ${reasonOf(error)}`)
  }
}
