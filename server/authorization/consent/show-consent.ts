import { domainToUnicode } from 'node:url'
import { bindRequest } from '../authorize/authorization-request.store.ts'
import type { Client } from '../clients/client.ts'
import { redirectTarget } from '../clients/redirect-uri.ts'
import type { ConsoleEndpoint } from '../console-endpoint.ts'
import {
  type Choices,
  type ConsentParts,
  choicesOf,
  noSuchRequest,
  requireUndecided,
  whoDecides,
} from './consent-parts.ts'
import { csrfToken } from './csrf.ts'
import type { Offer } from './offers.ts'
import { wordsOfCategory, wordsOfScope } from './words.ts'

/** What the consent page shows, bound to the first session that opens it. */
export function showConsent(parts: ConsentParts): ConsoleEndpoint {
  const { database, secrets } = parts.runtime
  return {
    operation: 'console.show_consent',
    method: 'GET',
    path: '/console/auth/consent/:request_id',
    async handle(request) {
      const { session, request_id, digest } = await whoDecides(request)
      const row = await database.transaction({ role: 'lookup' }, (tx) => bindRequest(tx, digest, session.session_id))
      if (!row) throw noSuchRequest()
      requireUndecided(row)
      const choices = await choicesOf(parts, row, session, request.network)
      return {
        body: {
          request_id,
          csrf_token: csrfToken(secrets, session.session_id, request_id),
          client: clientOf(choices.client),
          redirect: redirectOf(row.redirect_uri),
          resource: row.resource,
          organizations: choices.offers.map((offer) => organizationOf(offer, choices)),
          expires_at: row.expires_at,
        },
      }
    },
  }
}

/** The host as people read it beside the host as it is asked for, so that a look-alike letter shows. */
function redirectOf(redirect_uri: string) {
  const target = redirectTarget(redirect_uri)
  const { hostname, port } = target.is_private_scheme ? { hostname: '', port: '' } : new URL(redirect_uri)
  const unicode_host = hostname ? domainToUnicode(hostname) + (port && `:${port}`) : target.host
  return { ...target, unicode_host }
}

function clientOf(client: Client) {
  const { client_id, name, kind, description, client_uri, organization_name } = client
  // A document proves the host that it lies at, and nothing of what it says.
  const host = kind === 'document' ? new URL(client_id).host : null
  return { client_id, name, kind, host, description, client_uri, managed_by: organization_name }
}

function organizationOf(offer: Offer, { verdictOf, wasGranted }: Choices) {
  return {
    ...offer,
    client_verdict: verdictOf(offer),
    scopes: offer.scopes.map(({ name, state }) => ({
      name,
      words: wordsOfScope(name),
      state,
      was_granted: wasGranted(offer, name),
    })),
    sensitive_data: offer.sensitive_data.map((name) => ({ name, words: wordsOfCategory(name) })),
  }
}
