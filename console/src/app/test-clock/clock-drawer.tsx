import { useState } from 'react'
import type { SandboxGetClock } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/choice-list.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { TextField } from '../../components/text-field.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { faultAt } from '../../lib/faults.ts'
import { countOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { textOf } from '../../lib/use-submit.ts'
import { AsCurl } from '../as-curl.tsx'
import { useMe } from '../me.tsx'
import { momentOf } from './moment.ts'

interface ClockDrawerProps {
  clock: SandboxGetClock
  reload(): void
  onClose(): void
}

const steps = [
  { by: 'P1D', words: '1 day' },
  { by: 'P1W', words: '1 week' },
  { by: 'P1M', words: '1 month' },
]

/** Moves business time on, or begins the sandbox anew. */
export function ClockDrawer({ clock: { now, next_timer_at, pending_timers }, reload, onClose }: ClockDrawerProps) {
  const { can, membership } = useMe()
  const [isResetting, setResetting] = useState(false)
  return (
    <Dialog title="Test clock" look="drawer" onClose={onClose}>
      <Facts>
        <Fact name="Now">
          <time dateTime={now}>{momentOf(now)}</time>
        </Fact>
        <Fact name="Next timer">
          {next_timer_at ? (
            <time dateTime={next_timer_at}>{momentOf(next_timer_at)}</time>
          ) : (
            <span className="none">none</span>
          )}
        </Fact>
        <Fact name="Waiting">{countOf(pending_timers, 'timer')}</Fact>
      </Facts>
      {can('organizations:write') ? (
        <>
          <Advance next={next_timer_at} />
          <section className="danger-zone" aria-label="Reset">
            <div>
              <h3>Reset the sandbox</h3>
              <p>Drops people, contracts and what came of them; the clock runs with real time again.</p>
              <Button look="danger" onClick={() => setResetting(true)}>
                Reset sandbox…
              </Button>
            </div>
          </section>
        </>
      ) : (
        <p>Owners and admins move the clock; you are {membership.role}.</p>
      )}
      <div className="foot-actions">
        <AsCurl method="POST" path="/sandbox/clock/advance" body={{ by: 'P1M' }} />
      </div>
      {isResetting ? <ResetDialog reload={reload} onClose={() => setResetting(false)} /> : null}
    </Dialog>
  )
}

type Way = { by: string } | { to: string }

/** One way on at a time: a second press while the clock moves does nothing. */
function useAdvance() {
  const [moving, setMoving] = useState<string | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [fired, setFired] = useState<number | null>(null)
  const advance = async (way: Way) => {
    if (moving !== null) return
    setMoving(JSON.stringify(way))
    setError(null)
    setFired(null)
    try {
      setFired((await stint.sandbox.advance_clock(way)).fired_timers)
    } catch (thrown) {
      setError(apiErrorOf(thrown))
    } finally {
      setMoving(null)
    }
  }
  return { advance, error, fired, isMoving: (way: Way) => moving === JSON.stringify(way), isBusy: moving !== null }
}

function Advance({ next }: { next: string | null }) {
  const { advance, error, fired, isMoving, isBusy } = useAdvance()
  const fault = faultAt(error, '/to')
  return (
    <section className="stack" aria-label="Advance">
      <h3>Advance</h3>
      <p className="hint">
        All that falls due on the way happens, each at its own time. There is no way back but a reset.
      </p>
      {error && !fault ? <ErrorBanner error={error} /> : null}
      <div role="status">
        {fired === null ? null : (
          <Banner tone="info" title={`The clock has moved; ${countOf(fired, 'timer')} fired.`} />
        )}
      </div>
      <p className="actions">
        {steps.map(({ by, words }) => (
          <Button key={by} look="secondary" isBusy={isMoving({ by })} onClick={() => advance({ by })}>
            {words}
          </Button>
        ))}
        {next ? (
          <Button look="secondary" isBusy={isMoving({ to: next })} onClick={() => advance({ to: next })}>
            To the next timer
          </Button>
        ) : null}
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const to = textOf(new FormData(event.currentTarget), 'to')
          if (to) void advance({ to: new Date(`${to}:00Z`).toISOString() })
        }}
      >
        <TextField label="To this time, in UTC" name="to" type="datetime-local" required fault={fault} />
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Advance
          </Button>
        </div>
      </form>
    </section>
  )
}

function ResetDialog({ reload, onClose }: { reload(): void; onClose(): void }) {
  const { organization_name } = useMe().membership
  const [withDemo, setWithDemo] = useState(true)
  return (
    <ConfirmDialog
      title="Reset this sandbox?"
      action="Reset sandbox"
      typed={organization_name}
      onClose={onClose}
      onConfirm={async () => {
        await stint.sandbox.reset({ demo_data: withDemo })
        reload()
      }}
    >
      <p>People, contracts, invoices and payments go. Tokens, webhooks, events and the audit log stay.</p>
      <Check checked={withDemo} onChange={setWithDemo}>
        Fill it with the demo data again
      </Check>
    </ConfirmDialog>
  )
}
