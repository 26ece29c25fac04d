import type { Scope, SensitiveCategory } from '#core/caller.ts'
import { Closed, Id, Type } from '#core/schema/schema.ts'
import { scopes } from '#identity/scopes.ts'
import { sensitiveCategories } from '#identity/sensitive-categories.ts'
import { decideRequest, findRequest, type RequestRow } from '../authorize/authorization-request.store.ts'
import type { ConsoleEndpoint } from '../console-endpoint.ts'
import { type AuthorizationResponse, redirectTo } from '../redirect.ts'
import {
  type Choice,
  type Choices,
  type ConsentParts,
  choicesOf,
  noSuchRequest,
  requireUndecided,
  whoDecides,
} from './consent-parts.ts'
import { checkCsrfToken } from './csrf.ts'
import { grantAccess } from './grant-access.ts'
import { categoriesOf, scopesToGrant } from './offers.ts'
import { consentBeyondRequest } from './problems.ts'

const Decision = Closed({
  csrf_token: Type.String({ minLength: 1, maxLength: 100 }),
  decision: Type.Enum(['approve', 'deny']),
  organization_id: Type.Optional(Id),
  person_id: Type.Optional(Type.Union([Id, Type.Null()])),
  scopes: Type.Array(Type.Enum([...scopes]), { maxItems: scopes.length, default: [] }),
  sensitive_data: Type.Array(Type.Enum([...sensitiveCategories]), {
    maxItems: sensitiveCategories.length,
    default: [],
  }),
})

interface DecisionInput {
  csrf_token: string
  decision: 'approve' | 'deny'
  organization_id?: string
  person_id?: string | null
  scopes: Scope[]
  sensitive_data: SensitiveCategory[]
}

/** Allow or Deny: in one transaction the request is decided and, where allowed, grant and code are made. */
export function decideConsent(parts: ConsentParts): ConsoleEndpoint {
  const { runtime, addresses } = parts
  const { database, secrets } = runtime
  return {
    operation: 'console.decide_consent',
    method: 'POST',
    path: '/console/auth/consent/:request_id',
    input: Decision,
    async handle(request) {
      const { session, request_id, digest } = await whoDecides(request)
      const decision = request.input as unknown as DecisionInput
      checkCsrfToken(secrets, session.session_id, request_id, decision.csrf_token)
      const { session_id } = session
      const shown = openOne(
        await database.transaction({ role: 'lookup', read_only: true }, (tx) => findRequest(tx, digest, session_id)),
      )
      // A denial is looked at as well: it goes back to the address of the request, which has to be the client's own still.
      const choices = await choicesOf(parts, shown, session, request.network)
      const choice = decision.decision === 'deny' ? null : chosen(decision, choices, shown)
      const response = await database.transaction(
        { role: 'app', ...(choice && { organization_id: choice.offer.organization_id }) },
        async (tx): Promise<AuthorizationResponse> => {
          const row = openOne(await decideRequest(tx, digest, session_id))
          if (!choice) return { error: 'access_denied', error_description: 'request: the user did not allow it' }
          return { code: await grantAccess(parts, tx, { row, session, choice, request }) }
        },
      )
      const { redirect_uri, state } = shown
      return { body: { redirect_to: redirectTo({ redirect_uri, state, issuer: addresses.auth_url }, response) } }
    },
  }
}

function openOne(row: RequestRow | undefined): RequestRow {
  if (!row) throw noSuchRequest()
  requireUndecided(row)
  return row
}

function chosen(decision: DecisionInput, { offers }: Choices, row: RequestRow): Choice | null {
  const { organization_id, person_id = null, scopes: wished, sensitive_data } = decision
  const offer = offers.find((one) => one.organization_id === organization_id && one.person_id === person_id)
  const offered = offer?.scopes.filter(({ state }) => state !== 'struck_out').map(({ name }) => name) ?? []
  if (!offer) throw beyond('/organization_id', 'is none of the organizations that are offered')
  if (wished.some((scope) => !offered.includes(scope))) throw beyond('/scopes', 'has a scope that is not offered')
  if (sensitive_data.some((category) => !offer.sensitive_data.includes(category))) {
    throw beyond('/sensitive_data', 'has a category that is not offered')
  }
  if (wished.length === 0) return null
  return {
    offer,
    scopes: scopesToGrant(wished, row.scopes),
    sensitive_data: categoriesOf(offer, [...new Set(sensitive_data)]),
  }
}

function beyond(pointer: string, message: string) {
  return consentBeyondRequest(undefined, { errors: [{ pointer, message }] })
}
