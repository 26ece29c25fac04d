import { type Caller, isAuthorized } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { Closed, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { tokenFigures } from '#identity/token.store.ts'
import { mayReadRequests, requestsByEnd } from '#resources/request-logs/index.ts'
import { mayRead } from '../subscriptions/subscription.ts'
import { webhookFigures } from './overview.store.ts'

const Count = Type.Integer({ minimum: 0 })
const errors_max = 10
const day_ms = 86_400_000
const hour_ms = 3_600_000
const tokens_worth_a_look = { expiring_days: 14, unused_days: 90 }

export const getOverview = defineOperation({
  id: 'overview.get',
  summary: 'Get the figures of the last 24 hours',
  description: 'Each part is null where the credential may not read what it counts.',
  method: 'GET',
  path: '/overview',
  scopes: [],
  scopes_for_others: ['webhooks:read', 'tokens:read'],
  input: Closed({}),
  output: Type.Object({
    since: {
      ...Timestamp,
      description: 'From here on is counted: a full hour, at least 24 hours ago.',
    } as typeof Timestamp,
    webhooks: Nullable(
      Type.Object({
        active: Count,
        disabled: Count,
        failing: {
          ...Count,
          description: 'Active ones with so many failures in a row that the others are warned.',
        } as typeof Count,
        pending: { ...Count, description: 'Deliveries that are not made yet; counts end at 10,000.' } as typeof Count,
        held: Count,
        oldest_pending_at: Nullable(Timestamp),
        succeeded: {
          ...Count,
          description: 'Deliveries that arrived, of the newest 1,000 of each webhook.',
        } as typeof Count,
        failed: { ...Count, description: 'Deliveries of these that were given up.' } as typeof Count,
      }),
    ),
    api_tokens: Nullable(
      Type.Object({
        live: Count,
        expiring: { ...Count, description: 'Within 14 days.' } as typeof Count,
        unused: { ...Count, description: 'For 90 days.' } as typeof Count,
      }),
    ),
    requests: Nullable(
      Type.Object(
        {
          succeeded: Count,
          refused: { ...Count, description: 'Answered 4xx.' } as typeof Count,
          failed: { ...Count, description: 'Answered 5xx.' } as typeof Count,
          errors: Type.Array(
            Type.Object({
              operation: Type.String({ example: 'contracts.create' }),
              status: Type.Integer({ example: 403 }),
              error_code: Type.String({ example: 'insufficient_scope' }),
              requests: Count,
              latest_at: Timestamp,
            }),
            { description: `By operation and code, the most frequent first; at most ${errors_max}.` },
          ),
        },
        { description: 'Requests of tokens and apps, all of them, also those that the request log does not keep.' },
      ),
    ),
  }),

  async handle(_, { caller, tx, rooms }) {
    const now_ms = Date.parse(tx.real_now)
    const since = new Date(now_ms - day_ms - (now_ms % hour_ms)).toISOString()
    const { warn_after } = rooms.webhooks.settings
    const [webhooks, api_tokens, ended] = await Promise.all([
      isAuthorized(caller, mayRead) ? webhookFigures(tx, caller, { since, warn_after }) : null,
      seesTokens(caller) ? tokenFigures(tx, caller.organization_id, tokens_worth_a_look) : null,
      isAuthorized(caller, mayReadRequests) ? requestsByEnd(tx, caller, since) : null,
    ])
    return { since, webhooks: webhooks ?? null, api_tokens, requests: ended && figuresOf(ended) }
  },
})

/** Everybody has own tokens; how many there are of all is for those who see all. */
const seesTokens = (caller: Caller) => isAuthorized(caller, mayReadRequests)

function figuresOf(ended: Awaited<ReturnType<typeof requestsByEnd>>) {
  const sum = (from: number, to: number) =>
    ended.reduce((all, { status, requests }) => (status >= from && status < to ? all + requests : all), 0)
  const errors = ended.filter(({ status }) => status >= 400).slice(0, errors_max)
  return { succeeded: sum(0, 400), refused: sum(400, 500), failed: sum(500, 600), errors }
}
