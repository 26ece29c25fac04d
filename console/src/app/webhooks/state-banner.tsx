import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Check, Radios } from '../../components/choice-list.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { Time } from '../../components/time.tsx'
import { countOf } from '../../lib/format.ts'
import type { Webhook } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import { errorWords, failures_worth_a_warning, hints } from './health.tsx'

interface StateBannerProps {
  webhook: Webhook
  onChange(webhook: Webhook): void
}

/** A disabled webhook says when, why and what waits; a failing one how far it is from that. */
export function StateBanner({ webhook, onChange }: StateBannerProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {webhook.status === 'disabled' ? (
        <DisabledBanner webhook={webhook} open={() => setOpen(true)} />
      ) : webhook.consecutive_failures >= failures_worth_a_warning ? (
        <FailingBanner webhook={webhook} />
      ) : null}
      {/* It stays while the webhook is on again and the rest of its work is still to be done. */}
      {isOpen ? <EnableDialog webhook={webhook} onChange={onChange} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function DisabledBanner({ webhook, open }: { webhook: Webhook; open(): void }) {
  const { can } = useMe()
  const { disabled_at, disabled_reason, disabled_by, backlog } = webhook
  return (
    <section className="banner error state-banner" aria-label="State of the webhook">
      <p className="banner-title">
        {disabled_reason === 'failures' ? 'Disabled because deliveries kept failing' : 'Paused'}
      </p>
      <p>
        {disabled_reason === 'failures' ? 'It stopped ' : 'It was paused '}
        <Time at={disabled_at} />
        {disabled_reason === 'manual' ? (
          <>
            {' '}
            by <bdi>{disabled_by?.name ?? 'somebody'}</bdi>
          </>
        ) : null}
        . {backlog.held === 0 ? 'No delivery is' : countOf(backlog.held, 'delivery is', 'deliveries are')} held
        {backlog.next_expiry_at ? (
          <>
            ; the first expires <Time at={backlog.next_expiry_at} />
          </>
        ) : null}
        .
      </p>
      <LastErrorWords webhook={webhook} />
      <p className="actions">
        {can('webhooks:write') ? <Button onClick={open}>Re-enable</Button> : null}
        {backlog.held > 0 ? <HeldLink /> : null}
      </p>
    </section>
  )
}

function HeldLink() {
  const [, setSearch] = useSearch()
  return (
    <Button look="secondary" onClick={() => setSearch({ tab: null, status: 'held' })}>
      Show held deliveries
    </Button>
  )
}

function FailingBanner({ webhook }: { webhook: Webhook }) {
  const { consecutive_failures, disable_risk } = webhook
  return (
    <Banner tone="warning" title={`${countOf(consecutive_failures, 'failure')} in a row`}>
      <p>
        {disable_risk?.waits_for.includes('more_failures')
          ? `From ${disable_risk.threshold} on, the webhook is disabled as soon as a delivery fails in its last attempt.`
          : 'It is disabled as soon as a delivery fails in its last attempt.'}
        {disable_risk?.earliest_at ? (
          <>
            {' '}
            That can be <Time at={disable_risk.earliest_at} isAhead /> at the earliest.
          </>
        ) : null}
      </p>
      <LastErrorWords webhook={webhook} />
    </Banner>
  )
}

function LastErrorWords({ webhook: { id, last_error } }: { webhook: Webhook }) {
  if (!last_error) return null
  const { class: error_class, response_status, detail, at, delivery_id } = last_error
  return (
    <p>
      Last error <Moment at={at} isExact />: <strong>{errorWords(error_class, response_status)}</strong>
      {detail ? (
        <>
          {' '}
          (<bdi>{detail}</bdi>)
        </>
      ) : null}
      . {hints[error_class] ?? ''} <Link to={`/webhooks/${id}?delivery=${delivery_id}`}>See the delivery</Link>
    </p>
  )
}

/** Deliveries are kept for about so long. */
const kept_ms = 30 * 86_400_000

function EnableDialog({ webhook, onChange, onClose }: StateBannerProps & { onClose(): void }) {
  const [held, setHeld] = useState<'resume' | 'discard'>('resume')
  const [isReplaying, setReplaying] = useState(false)
  const [span] = useState(() => ({
    ...{ webhook_id: webhook.id, statuses: ['failed'] as const },
    since: new Date(Date.now() - kept_ms).toISOString(),
  }))
  const { value } = useAnswer(firstPage(stint.webhooks.list_deliveries), { ...span, limit: 1 })
  const failed = value?.total_count ?? 0
  const { submit, isBusy, error } = useSubmit(async (_, { idempotency_key }) => {
    const enabled =
      webhook.status === 'active' ? webhook : await stint.webhooks.enable({ webhook_id: webhook.id, held })
    onChange(enabled)
    if (isReplaying) await stint.webhooks.replay(span, { idempotency_key })
    onClose()
  })
  return (
    <FormDialog
      title="Re-enable the webhook"
      action="Re-enable"
      submit={submit}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
    >
      {webhook.backlog.held > 0 ? (
        <Radios
          name="held"
          legend={`${countOf(webhook.backlog.held, 'delivery is', 'deliveries are')} held`}
          value={held}
          onChange={setHeld}
          options={[
            { value: 'resume', words: 'Send them', hint: 'In the order of their events, each with all its retries.' },
            { value: 'discard', words: 'Discard them', hint: 'They stay in the list and can be replayed later.' },
          ]}
        />
      ) : (
        <p>Nothing is held. Events from now on are sent.</p>
      )}
      {failed > 0 ? (
        <Check checked={isReplaying} onChange={setReplaying}>
          Send the {countOf(failed, 'failed delivery', 'failed deliveries')} again too{' '}
          <span className="hint">
            Less what has arrived since. Otherwise {failed === 1 ? 'it stays' : 'they stay'} failed.
          </span>
        </Check>
      ) : null}
    </FormDialog>
  )
}
