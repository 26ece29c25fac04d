import { bindRequest } from '../authorize/authorization-request.store.ts'
import type { Client } from '../clients/client.ts'
import { redirectTarget } from '../clients/redirect-uri.ts'
import type { ConsoleEndpoint } from '../console-endpoint.ts'
import { hostWords, mixedScripts } from '../look-alike.ts'
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

function redirectOf(redirect_uri: string) {
  const { host, ...target } = redirectTarget(redirect_uri)
  const words = target.is_private_scheme ? { host, unicode_host: host, mixed_scripts: [] } : hostWords(host)
  return { ...words, ...target }
}

function clientOf(client: Client) {
  const { client_id, name, kind, description, client_uri, organization_name } = client
  // A document proves the host that it lies at, and nothing of what it says.
  const document_host = kind === 'document' ? hostWords(new URL(client_id).host) : null
  const mixed_scripts = mixedScripts(name)
  return { client_id, name, mixed_scripts, kind, document_host, description, client_uri, managed_by: organization_name }
}

function organizationOf(offer: Offer, { verdictOf }: Choices) {
  return {
    ...offer,
    client_verdict: verdictOf(offer),
    scopes: offer.scopes.map((scope) => ({ ...scope, words: wordsOfScope(scope.name) })),
    sensitive_data: offer.sensitive_data.map((name) => ({ name, words: wordsOfCategory(name) })),
  }
}
