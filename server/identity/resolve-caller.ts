import type { Logger } from 'pino'
import type { Actor, Caller, Role } from '#core/caller.ts'
import { unauthenticated, unavailable } from '#core/problems.ts'
import { createSemaphore } from '#core/semaphore.ts'
import { type Database, raw, sql } from '#db/database.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import type { TokenRow } from './api-tokens/api-token.ts'
import { rightsOf, workerScopes } from './scopes.ts'
import { digestOf, nameOfKind, type TokenKind, tokenKindOf } from './token-format.ts'

type Stored = 'id' | 'organization_id' | 'kind' | 'scopes' | 'sensitive_data' | 'user_id' | 'person_id' | 'root_id'

interface FoundToken extends Pick<TokenRow, Stored | 'expires_at'> {
  name: string
  client_id: string | null
  grant_id: string | null
  is_sandbox: boolean
  role: Role | null
  used_recently: boolean
  now: string
}

type Resource = 'rest' | 'mcp'

/** The kinds of secret that open each resource, and what to tell the holder of another one. */
const opened: Readonly<Record<Resource, { kinds: ReadonlySet<TokenKind>; name: string; instead: string }>> = {
  rest: {
    kinds: new Set(['organization', 'personal', 'worker', 'oauth']),
    name: 'the REST API',
    instead: 'Use an organization token, a personal access token or an OAuth access token.',
  },
  mcp: {
    kinds: new Set(['personal', 'oauth']),
    name: 'the tool server',
    instead: 'Connect without a token, to be asked to sign in, or use a personal access token (stint_pat_…).',
  },
}

/** `Authorization` values longer than any credential of ours are refused unread. */
const credential_bytes_max = 200

interface CallerParts {
  database: Database
  uses: Pick<ReturnType<typeof createTokenUses>, 'note'>
  lookUps: ReturnType<typeof createCredentialLookUps>
}

/** Turns an `Authorization` header into its caller, or throws `unauthenticated`. */
export type Authenticate = (authorization: string | undefined, address: string | null) => Promise<Caller>

/**
 * Resolves the bearer credentials of one resource. One indexed statement of their kind, asked at every request: a revocation counts
 * for every request that begins after its commit, so nothing is cached. A secret of the wrong kind is told so, which its
 * prefix says already; a token of another resource reads like an unknown one.
 */
export function createAuthentication({ database, uses, lookUps }: CallerParts, resource: Resource): Authenticate {
  return async (authorization, address) => {
    const token = bearerOf(authorization)
    const kind = tokenKindOf(token)
    if (!kind) throw refusal()
    if (!opened[resource].kinds.has(kind)) throw wrongKind(kind, resource)
    const digest = digestOf(token)
    const row = await lookUps.find(digest.toString('base64'), () =>
      database.row<FoundToken>(sql`
        select id, organization_id, kind, name, scopes, sensitive_data, user_id, person_id, client_id, grant_id, root_id,
               expires_at, is_sandbox, role, used_recently, app_now()::timestamptz(3) as now
        from ${raw(`live_${kind}_tokens`)} where digest = ${digest} and ${resource} = any (resources)`),
    )
    if (!row) throw refusal()
    if (!row.used_recently) uses.note(row.organization_id, row.id, address)
    return callerOf(row)
  }
}

/** True when a credential could open the tool server, judged by its form, its checksum and its kind. */
export function canOpenTools(authorization: string): boolean {
  const kind = tokenKindOf(tokenIn(authorization) ?? '')
  return kind !== null && opened.mcp.kinds.has(kind)
}

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw unauthenticated('The request has no Authorization header.')
  }
  const token = tokenIn(authorization)
  if (!token) throw isBearer.test(authorization) ? refusal() : otherScheme(authorization)
  return token
}

function tokenIn(authorization: string): string | undefined {
  if (authorization.length > credential_bytes_max) return undefined
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1]
}

const isBearer = /^Bearer( |$)/i

/** Names the scheme, which is no secret; a credential without one is not repeated. */
function otherScheme(authorization: string) {
  const scheme = /^([A-Za-z][A-Za-z-]{0,19}) /.exec(authorization)?.[1]
  const seen = scheme ? `The scheme ${scheme} is not known here` : 'The Authorization header names no scheme'
  return unauthenticated(`${seen}: send \`Authorization: Bearer <token>\`.`)
}

/** Unknown, malformed, expired and revoked credentials read alike. */
function refusal() {
  return unauthenticated('The token is not known, has expired or was revoked.')
}

function wrongKind(kind: TokenKind, resource: Resource) {
  const { name, instead } = opened[resource]
  return unauthenticated(`This is ${nameOfKind(kind)}, which does not open ${name}. ${instead}`)
}

function callerOf(row: FoundToken): Caller {
  const { kind, organization_id, is_sandbox, root_id, expires_at, user_id, person_id, client_id, grant_id } = row
  // A worker acts on its own rows, also where the same user has a role.
  const role = person_id ? null : row.role
  const rights = role && rightsOf[role]
  return {
    ...{ kind, organization_id, is_sandbox, root_id, expires_at },
    credential_id: row.id,
    actor: actorOf(row),
    scopes: new Set(row.scopes),
    // A role that was lowered counts from the next call on, whatever the token was given.
    sensitive_data: new Set(
      row.sensitive_data.filter((category) => !rights || rights.sensitive_data.some((held) => held === category)),
    ),
    resolved_at: row.now,
    ...(user_id && { user_id }),
    ...(role && { role }),
    // Scopes that the consent page would let this user tick.
    ...(rights && { obtainable_scopes: rights.grantable }),
    ...(person_id && { person_id, obtainable_scopes: obtainableAsWorker }),
    ...(client_id && { client_id }),
    ...(grant_id && { grant_id }),
  }
}

const obtainableAsWorker: ReadonlySet<string> = new Set(workerScopes)

function actorOf({ kind, id, name, user_id, person_id, grant_id }: FoundToken): Actor {
  if (person_id) return { kind: 'worker', id: person_id, name }
  if (user_id) return { kind: 'user', id: user_id, name }
  // A client that acts for the organization goes by its grant: its tokens change every hour.
  if (grant_id) return { kind: 'token', id: grant_id, name }
  return { kind: 'token', id, name: kind === 'organization' ? name : id }
}

/** Look-ups of credentials that this process has not met, at once: what a flood of invented ones gets of the database. */
const look_ups_running_max = 2
/** As many as a process has connections. */
const look_ups_waiting_max = 10_000
/** Credentials remembered as good; beyond that the one asked for longest ago is forgotten. */
const remembered_max = 10_000

/**
 * Decides when a credential is looked up, never whether: one that was good lately at once, any other two at a time, in
 * order. So nobody's good credential is refused because of others, from whatever network, and invented ones with a
 * right checksum take no more than two connections. The database is asked at every request: nothing is kept but digests.
 */
export function createCredentialLookUps() {
  const good = new Set<string>()
  const others = createSemaphore({
    running_max: look_ups_running_max,
    waiting_max: look_ups_waiting_max,
    refusal: () => unavailable('Too many unknown credentials are being looked up at this moment.'),
  })
  return {
    /** Asks for a credential by its digest; it is good when there is a row. */
    async find<Row>(digest: string, ask: () => Promise<Row | undefined>): Promise<Row | undefined> {
      const row = await (good.has(digest) ? ask() : others.run(ask))
      good.delete(digest)
      if (row) good.add(digest)
      const [oldest] = good
      if (good.size > remembered_max && oldest !== undefined) good.delete(oldest)
      return row
    },
  }
}

const uses_written_after_ms = 1_000
const noted_uses_max = 10_000

interface TokenUse {
  organization_id: string
  address: string | null
}

/**
 * Writes when and from where tokens were last used, at most once a minute per token. Outside any request's transaction: a
 * list of contracts never waits for it, and parallel requests never queue on one token's row.
 */
export function createTokenUses(database: Database, log: Logger) {
  const noted = new Map<string, TokenUse>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const writeNoted = async () => {
    for (const [id, use] of noted) {
      noted.delete(id)
      await write(database, id, use).catch((err: unknown) => {
        log.warn({ err }, 'token_use_lost')
        // The others would wait for the database one after the other, and the next request notes its token again.
        if (err instanceof DatabaseUnavailable) noted.clear()
      })
    }
  }
  /** Resolves when everything noted so far is written, or cannot be. */
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeNoted)
    return writing
  }
  return {
    note(organization_id: string, id: string, address: string | null): void {
      if (noted.size >= noted_uses_max) return
      noted.set(id, { organization_id, address })
      timer ??= setTimeout(() => void flush(), uses_written_after_ms).unref()
    },
    flush,
  }
}

async function write(database: Database, id: string, { organization_id, address }: TokenUse): Promise<void> {
  await database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      update access_tokens set last_used_at = app_now(), last_used_address = ${address}
      where organization_id = ${organization_id} and id = ${id}
        and (last_used_at is null or last_used_at < app_now() - interval '1 minute')`),
  )
}
