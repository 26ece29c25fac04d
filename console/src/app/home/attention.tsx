import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Time } from '../../components/time.tsx'
import { countOf, hostOf } from '../../lib/format.ts'
import type { ApiToken, LastError, Webhook } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'
import { errorWords, failures_worth_a_warning } from '../webhooks/health.tsx'
import type { Overview } from './use-overview.ts'

export interface Item {
  id: string
  to: string
  tone: 'danger' | 'warning'
  kind: string
  title: string
  text: ReactNode
}

const day_ms = 86_400_000
const soon_ms = 14 * day_ms
const unused_ms = 90 * day_ms

/** Collects all that somebody should look at, the worst first. */
export function attentionOf({ webhooks, tokens, figures }: Overview, waiting: readonly Item[]): Item[] {
  const of_webhooks = webhooks?.data.flatMap(itemsOfWebhook) ?? []
  const of_deliveries = of_webhooks.length === 0 ? itemsOfDeliveries(figures?.webhooks?.failed ?? 0) : []
  const of_tokens = tokens?.data.flatMap(itemsOfToken) ?? []
  return [...waiting, ...of_webhooks, ...of_deliveries, ...of_tokens].sort((a, b) =>
    a.tone === b.tone ? 0 : a.tone === 'danger' ? -1 : 1,
  )
}

function itemsOfWebhook(webhook: Webhook): Item[] {
  const { id, url, name, status, disabled_reason, disabled_at, backlog, consecutive_failures, last_error } = webhook
  const title = name || hostOf(url)
  const to = `/webhooks/${id}`
  if (status === 'disabled' && disabled_reason === 'failures') {
    const text = (
      <>
        Disabled <Time at={disabled_at} /> after failures. {countOf(backlog.held, 'delivery is', 'deliveries are')}{' '}
        held.
      </>
    )
    return [{ ...{ id, to, title, text }, tone: 'danger', kind: 'Webhook' }]
  }
  if (status === 'active' && consecutive_failures >= failures_worth_a_warning) {
    const text = `${countOf(consecutive_failures, 'failure')} in a row, the last: ${lastErrorWords(last_error)}.`
    return [{ ...{ id, to, title, text }, tone: 'warning', kind: 'Webhook' }]
  }
  return []
}

const itemsOfDeliveries = (failed: number): Item[] =>
  failed === 0
    ? []
    : [
        {
          ...{ id: 'failed', to: '/webhooks', tone: 'warning', kind: 'Webhooks' },
          title: `${countOf(failed, 'delivery', 'deliveries')} failed in the last 24 hours`,
          text: 'A replay sends them once more.',
        },
      ]

const lastErrorWords = (error: LastError | null) => errorWords(error?.class ?? null, error?.response_status ?? null)

function itemsOfToken(token: ApiToken): Item[] {
  const { id, name, type, expires_at, last_used_at, created_at, revoked_at, successor_id } = token
  const now = Date.now()
  const left_ms = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - now
  if (revoked_at !== null || successor_id !== null || left_ms <= 0) return []
  const item = { id, to: '/tokens?look=attention', title: name, tone: 'warning', kind: 'API token' } as const
  if (left_ms < soon_ms) {
    const text = (
      <>
        Expires <Time at={expires_at} />. Rotate it before.
      </>
    )
    return [{ ...item, text }]
  }
  if (type === 'organization' && token.maker_left) {
    const text = (
      <>
        Made by <bdi>{token.created_by.name}</bdi>, who is no member any more. It works on: rotate it, or revoke it.
      </>
    )
    return [{ ...item, to: '/tokens?look=organization', text }]
  }
  const isUnused = now - Date.parse(last_used_at ?? created_at) > unused_ms
  return isUnused ? [{ ...item, text: 'Not used for 90 days. Revoke it if nobody needs it.' }] : []
}

export function Attention({ items }: { items: readonly Item[] }) {
  if (items.length === 0) return null
  return (
    <section className="panel" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul className="rows">
        {items.map(({ id, to, tone, kind, title, text }) => (
          <li key={id}>
            <div>
              <Link to={to}>
                <bdi>{title}</bdi>
              </Link>
              {text ? <p className="hint">{text}</p> : null}
            </div>
            <Badge tone={tone}>{kind}</Badge>
          </li>
        ))}
      </ul>
    </section>
  )
}
