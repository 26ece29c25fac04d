import { useState } from 'react'
import type { SandboxGetClock } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/choice-list.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt } from '../../lib/faults.ts'
import { countOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
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
        <Fact name="Next step">
          {next_timer_at ? (
            <time dateTime={next_timer_at}>{momentOf(next_timer_at)}</time>
          ) : (
            <span className="none">none</span>
          )}
        </Fact>
        <Fact name="Waiting">{countOf(pending_timers, 'scheduled step')}</Fact>
      </Facts>
      {can('organizations:write') ? (
        <>
          <Advance
            next={next_timer_at !== null && next_timer_at > now ? next_timer_at : null}
            waiting={pending_timers}
          />
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

/** A way on that is still to be confirmed. */
interface Aim {
  way: Way
  words: string
}

/** `next`: the first timer that lies ahead; one that is due already fires by itself. */
function Advance({ next, waiting }: { next: string | null; waiting: number }) {
  const [aim, setAim] = useState<Aim | null>(null)
  const [moved, setMoved] = useState<{ now: string; fired_timers: number } | null>(null)
  return (
    <section className="stack" aria-label="Advance">
      <h3>Advance</h3>
      <p className="hint">
        All that falls due on the way happens, each at its own time. There is no way back but a reset.
      </p>
      <div role="status">
        {moved === null ? null : (
          <Banner tone="info" title={`The clock has moved to ${momentOf(moved.now)}.`}>
            <p>{countOf(moved.fired_timers, 'scheduled step')} happened on the way.</p>
          </Banner>
        )}
      </div>
      <p className="actions">
        {steps.map(({ by, words }) => (
          <Button key={by} look="secondary" onClick={() => setAim({ way: { by }, words: `by ${words}` })}>
            {words}…
          </Button>
        ))}
        {next ? (
          <Button look="secondary" onClick={() => setAim(aimAt(next))}>
            To the next step…
          </Button>
        ) : null}
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const to = textOf(new FormData(event.currentTarget), 'to')
          if (to) setAim(aimAt(new Date(to).toISOString()))
        }}
      >
        <TextField
          {...{ label: 'To this time', name: 'to', type: 'datetime-local', required: true }}
          hint={`In ${Intl.DateTimeFormat().resolvedOptions().timeZone}, as all times on the pages.`}
        />
        <div className="actions">
          <Button type="submit">Advance…</Button>
        </div>
      </form>
      {aim ? (
        <AdvanceDialog aim={aim} next={next} waiting={waiting} onMoved={setMoved} onClose={() => setAim(null)} />
      ) : null}
    </section>
  )
}

interface AdvanceDialogProps {
  aim: Aim
  next: string | null
  waiting: number
  onMoved(moved: { now: string; fired_timers: number }): void
  onClose(): void
}

const aimAt = (to: string): Aim => ({ way: { to }, words: `to ${momentOf(to)}` })

/** Says how far the clock goes and what waits, before it moves. */
function AdvanceDialog({ aim: { way, words }, next, waiting, onMoved, onClose }: AdvanceDialogProps) {
  const { submit, isBusy, error } = useSubmit(async () => {
    onMoved(await stint.sandbox.advance_clock(way))
    onClose()
  })
  const fault = faultAt(error, '/to') ?? faultAt(error, '/by')
  return (
    <FormDialog
      title="Move the test clock?"
      action="Move the clock"
      {...{ submit, isBusy, onClose }}
      error={fault ? null : error}
    >
      {fault ? <p className="fault">{fault}</p> : null}
      <p>
        It goes on <strong>{words}</strong>. There is no way back but a reset.
      </p>
      <p className="hint">
        {next === null
          ? 'Nothing is scheduled now.'
          : `${countOf(waiting, 'scheduled step waits', 'scheduled steps wait')}; the first falls due on ${momentOf(next)}. Whatever is on the way happens at its own time: cycles close, invoices are issued, links end.`}
      </p>
    </FormDialog>
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
