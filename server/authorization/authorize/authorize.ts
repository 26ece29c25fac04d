import { createRateLimit } from '#core/rate-limit.ts'
import type { Runtime } from '#core/runtime.ts'
import { currentSession, type Session } from '#identity/sessions/index.ts'
import type { Addresses } from '../addresses.ts'
import type { Clients } from '../clients/client.ts'
import { redirectTarget } from '../clients/redirect-uri.ts'
import { UnreadDocument } from '../clients/unread-document.ts'
import type { OAuthEndpoint, OAuthRequest } from '../oauth-endpoint.ts'
import { OAuthError, type OAuthErrorCode } from '../oauth-error.ts'
import { redirectTo } from '../redirect.ts'
import type { OAuthAnswer } from '../send-oauth-answer.ts'
import { insertRequest, organizationsBlocking } from './authorization-request.store.ts'
import { stateIn } from './checks.ts'
import { errorPage, sentenceOf, showErrorOnPage, unreadDocumentPage } from './error-page.ts'
import { readRequest, readSender, type Sender } from './pipeline.ts'
import { digestOfRequestId, newRequestId } from './request-id.ts'

export interface AuthorizeParts {
  runtime: Runtime
  addresses: Addresses
  clients: Clients
}

const requests_per_min_max = 120

/** Takes an authorization request (RFC 6749 §4.1.1) and sends the browser to the consent page. */
export function authorizationEndpoint({ runtime, addresses, clients }: AuthorizeParts): OAuthEndpoint {
  const { database, clock } = runtime
  const now = () => clock.now()
  const senderParts = {
    clients,
    blockedIn: (client_id: string, ids: string[]) => organizationsBlocking(database, client_id, ids),
  }
  return {
    operation: 'oauth.authorize',
    method: 'GET',
    path: '/oauth/authorize',
    limit: createRateLimit('authorizations', { requests_max: requests_per_min_max, window_s: 60, now }),
    showError: showErrorOnPage,
    async handle(request) {
      const session = await currentSession(database, { headers: { cookie: request.cookie } })
      const sender = await localErrors(clients, () => readSender(senderParts, request, session))
      if ('status' in sender) return sender
      return redirectedErrors(addresses, sender, request, session, async () => {
        const asked = readRequest(sender, request, addresses)
        if (request.is_head) return { status: 303 }
        const request_id = newRequestId()
        const digest = digestOfRequestId(request_id)
        if (!digest) throw new Error('a new request id has the wrong form')
        const row = { ...asked, digest }
        await database.transaction({ role: 'lookup' }, (tx) => insertRequest(tx, row))
        return seeOther(`${addresses.auth_url}/console/authorize/${request_id}`)
      })
    },
  }
}

const shown: readonly OAuthErrorCode[] = ['invalid_request', 'invalid_client']

/** Errors about client and redirect URI are shown here; a database that is away is no error of the request. */
async function localErrors(clients: Clients, work: () => Promise<Sender>): Promise<Sender | OAuthAnswer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnreadDocument) return unreadDocumentPage(error, clients.offersDocuments())
    if (error instanceof OAuthError && shown.includes(error.code)) return errorPage(sentenceOf(error.message))
    throw error
  }
}

async function redirectedErrors(
  { auth_url }: Addresses,
  sender: Sender,
  request: OAuthRequest,
  session: Session | null,
  work: () => Promise<OAuthAnswer>,
): Promise<OAuthAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError) || error.status !== 400) throw error
    const { client, redirect_uri } = sender
    const url = redirectTo(
      { redirect_uri, state: stateToReturn(request), issuer: auth_url },
      { error: error.code, error_description: error.message },
    )
    const target = redirectTarget(redirect_uri)
    if (client.kind === 'managed' || target.is_loopback || session) return seeOther(url)
    // Anybody can register an address: without a user's press this would be an open redirector (RFC 9700 §4.11.2).
    return errorPage(sentenceOf(error.message), { url, host: target.host })
  }
}

function stateToReturn({ parameters }: OAuthRequest): string | null {
  try {
    return stateIn(parameters)
  } catch {
    // The state itself is what is wrong: too long, or sent twice.
    return null
  }
}

function seeOther(url: string): OAuthAnswer {
  return { status: 303, headers: { Location: url } }
}
