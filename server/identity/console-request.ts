import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Scope } from '#core/caller.ts'
import {
  defineProblem,
  insufficientScope,
  malformedRequest,
  unauthenticated,
  validationFailed,
} from '#core/problems.ts'
import type { Database } from '#db/database.ts'
import { rightsOf, sensitiveCategories, workerScopes } from './scopes.ts'
import { currentSession, type Session } from './session.store.ts'

export const foreignOrigin = defineProblem({
  code: 'foreign_origin',
  status: 403,
  title: 'The request does not come from a page of the console',
  advice: 'Use the console in a browser; programs use the REST API with a token.',
})

/**
 * Refuses what another site made a browser send. A page elsewhere cannot set `Stint-Console` without a preflight, which
 * nobody answers; `Sec-Fetch-Site` no page can set at all, and older browsers send `Origin` instead.
 */
export function refuseForeignRequest(headers: IncomingHttpHeaders, auth_url: string): void {
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? headers.origin === auth_url : site === 'same-origin'
  if (headers['stint-console'] !== '1' || !isOwn) throw foreignOrigin()
}

/**
 * Turns a request of a page into its caller: the member who is signed in, in the organization that the page names, or the
 * worker where the page names a person. The role is read at every request, so one that was lowered counts from the next.
 * Nothing made so ends with the session.
 */
export function createConsoleAuthentication(database: Database, auth_url: string) {
  return async ({ headers }: { headers: IncomingHttpHeaders }): Promise<Caller> => {
    refuseForeignRequest(headers, auth_url)
    if (headers.authorization !== undefined) throw malformedRequest('The pages of the console send no Authorization.')
    const session = await currentSession(database, { headers })
    if (!session) throw unauthenticated('Nobody is signed in.')
    const organization_id = organizationIn(headers)
    const person_id = headers['stint-person']
    if (person_id !== undefined) return workerOf(session, { organization_id, person_id })
    const membership = session.memberships.find((one) => one.organization_id === organization_id)
    if (!membership)
      throw insufficientScope('You are no member of this organization.', { members: { required_scopes: [] } })
    const { is_sandbox, role } = membership
    const { scopes, grantable, sensitive_data } = rightsOf[role]
    return {
      ...{ kind: 'console', organization_id, is_sandbox, role, user_id: session.user_id },
      credential_id: session.session_id,
      actor: { kind: 'user', id: session.user_id, name: session.name },
      scopes: new Set([...scopes, ...ownCredentials]),
      obtainable_scopes: grantable,
      sensitive_data: new Set(sensitive_data),
      expires_at: null,
      authenticated_at: session.authenticated_at,
    }
  }
}

/**
 * The worker that a page acts for: one of those that the session's login belongs to. A worker acts on its own rows and sees
 * all of them; what the same login is and has as a member is not there for it.
 */
function workerOf(
  { session_id, name, authenticated_at, workers }: Session,
  { organization_id, person_id }: { organization_id: string; person_id: unknown },
): Caller {
  const worker = workers.find((one) => one.organization_id === organization_id && one.person_id === person_id)
  if (!worker) throw insufficientScope('You are not this worker.', { members: { required_scopes: [] } })
  return {
    ...{ kind: 'console', organization_id, is_sandbox: worker.is_sandbox, person_id: worker.person_id },
    credential_id: session_id,
    actor: { kind: 'worker', id: worker.person_id, name },
    scopes: new Set(workerScopes),
    obtainable_scopes: new Set(workerScopes),
    sensitive_data: new Set(sensitiveCategories),
    expires_at: null,
    authenticated_at,
  }
}

/** Everybody makes and ends the own tokens and connected apps; those of others take a role besides, wherever they are touched. */
const ownCredentials: readonly Scope[] = ['tokens:read', 'tokens:write']

/** A page names its organization itself, so that two windows can show two of them and neither changes under the other. */
function organizationIn(headers: IncomingHttpHeaders): string {
  const id = headers['stint-organization']
  if (typeof id === 'string') return id
  const errors = [{ pointer: '/Stint-Organization', message: 'must name the organization' }]
  throw validationFailed('Stint-Organization must name the organization.', { errors })
}

export const reauthenticationRequired = defineProblem({
  code: 'reauthentication_required',
  status: 403,
  title: 'Your sign-in is too long ago for this',
  advice: 'Give your password again, then repeat the call. Only the console is asked for it.',
})

const proof_valid_ms = 600_000

/** Asks the person at the console for a new proof where the last is older than ten minutes; tokens are no persons. */
export function refuseOldProof({ authenticated_at }: Caller, real_now: string): void {
  if (authenticated_at === undefined) return
  if (Date.parse(real_now) - Date.parse(authenticated_at) > proof_valid_ms) throw reauthenticationRequired()
}
