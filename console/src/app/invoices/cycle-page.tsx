import type { PaymentCycle, PaymentCyclesPreview } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Status } from '../../components/status.tsx'
import { countOf, dayOf } from '../../lib/format.ts'
import { goTo, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { AsCurl } from '../as-curl.tsx'
import { PageTitle } from '../frame.tsx'
import { ContractName } from '../ledger/contract-name.tsx'
import { useMe } from '../me.tsx'
import { Lines } from './lines.tsx'

interface Named {
  contract_id: string
  payment_cycle_id: string
}

/** One after the other: a cycle that has closed meanwhile has no preview any more. */
async function loadCycle(named: Named) {
  const cycle = await stint.payment_cycles.get(named)
  const isOpen = ['upcoming', 'active', 'skipped'].includes(cycle.status)
  return { cycle, preview: isOpen ? await stint.payment_cycles.preview(named) : null }
}

/** One payment cycle: what its invoice would contain now, and that invoice once it is there. */
export function CyclePage({ id }: { id: string }) {
  const [search] = useSearch()
  const contract_id = search.get('contract')
  const back = { to: `/invoices/cycles${contract_id ? `?contract=${contract_id}` : ''}`, words: 'Payment cycles' }
  return contract_id ? (
    <Cycle named={{ contract_id, payment_cycle_id: id }} back={back} />
  ) : (
    <>
      <PageTitle title="Payment cycle" back={back} />
      <p>The address lacks its contract. Choose it among the payment cycles.</p>
    </>
  )
}

function Cycle({ named, back }: { named: Named; back: { to: string; words: string } }) {
  const { value, error, reload } = useAnswer(loadCycle, named)
  if (!value) {
    return (
      <>
        <PageTitle title="Payment cycle" back={back} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={5} />}
      </>
    )
  }
  const { cycle, preview } = value
  return (
    <>
      <PageTitle
        title={`${dayOf(cycle.start_date)} to ${dayOf(cycle.end_date)}`}
        back={back}
        beside={<Status value={cycle.status} />}
        lead={
          <p>
            <ContractName id={cycle.contract_id} />, due on <Day value={cycle.due_date} />
          </p>
        }
      />
      {error ? <Failed error={error} reload={reload} /> : null}
      {preview ? <Preview cycle={cycle} preview={preview} reload={reload} /> : <Over cycle={cycle} />}
    </>
  )
}

function Over({ cycle: { invoice_id } }: { cycle: PaymentCycle }) {
  const { can } = useMe()
  const { value, error, reload } = useAnswer(
    stint.invoices.get,
    invoice_id !== null && can('accounting:read') ? { invoice_id } : null,
  )
  if (invoice_id === null) return <p>The contract ended before this cycle began: there is nothing to invoice.</p>
  return (
    <>
      <p>
        The cycle is closed.{' '}
        {can('accounting:read') ? <Link to={`/invoices/${invoice_id}`}>Open its invoice</Link> : 'It is on an invoice'}
        {value ? (
          <>
            {' '}
            {value.number} <Status value={value.is_overdue ? 'overdue' : value.status} />
          </>
        ) : (
          '.'
        )}
      </p>
      {error ? <Failed error={error} reload={reload} /> : null}
      {value ? (
        <section className="panel" aria-label="What its invoice contains">
          <Lines {...value} />
        </section>
      ) : null}
    </>
  )
}

interface PreviewProps {
  cycle: PaymentCycle
  preview: PaymentCyclesPreview
  reload(): void
}

function Preview({ cycle, preview, reload }: PreviewProps) {
  const { contract_id, id: payment_cycle_id, status } = cycle
  const { can } = useMe()
  return (
    <>
      {status === 'skipped' ? (
        <Banner tone="info" title="The cycle closed without an invoice">
          <p>Whatever has been approved since then can be invoiced now.</p>
        </Banner>
      ) : (
        <Banner tone="info" title="As if the cycle closed now">
          <p>
            It closes by itself at the end of <Day value={cycle.end_date} />, and its invoice is issued then. What is
            approved until then comes in.
          </p>
        </Banner>
      )}
      <Content preview={preview} />
      {preview.lines.length > 0 && status === 'skipped' ? (
        can('accounting:write') ? (
          <IssueForm named={{ contract_id, payment_cycle_id }} reload={reload} />
        ) : (
          <p className="hint">An owner or finance can issue it.</p>
        )
      ) : null}
      <p className="toolbar">
        <AsCurl method="GET" path={`/contracts/${contract_id}/payment-cycles/${payment_cycle_id}/preview`} />
      </p>
    </>
  )
}

function Content({ preview }: { preview: PaymentCyclesPreview }) {
  const { contract_id, lines, deferred_adjustment_ids } = preview
  const deferred = deferred_adjustment_ids.length
  return lines.length === 0 ? (
    <div className="empty">
      <h2>Nothing to invoice</h2>
      <p>No pay falls into this cycle, and no timesheet or adjustment of it is approved.</p>
      <p className="actions">
        <Link className="button secondary" to={`/timesheets?contract=${contract_id}`}>
          Timesheets
        </Link>
        <Link className="button secondary" to={`/adjustments?contract=${contract_id}`}>
          Adjustments
        </Link>
      </p>
    </div>
  ) : (
    <section className="panel" aria-label="What the invoice would contain">
      <Lines {...preview} />
      {deferred > 0 ? (
        <p className="hint">
          {countOf(deferred, 'deduction')} {deferred === 1 ? 'finds' : 'find'} no room and{' '}
          {deferred === 1 ? 'waits' : 'wait'} for the next invoice.
        </p>
      ) : null}
    </section>
  )
}

interface IssueFormProps {
  named: Named
  reload(): void
}

/** Issues what is shown above: where something was approved meanwhile, the service refuses and the page shows it first. */
function IssueForm({ named, reload }: IssueFormProps) {
  const { submit, isBusy, error } = useSubmit(async (_, keyed) => {
    try {
      const confirm = rehearsed.value?.dry_run.digest
      const { id } = await stint.payment_cycles.invoice(named, { ...keyed, confirm })
      goTo(`/invoices/${id}`)
    } catch (thrown) {
      reload()
      throw thrown
    }
  })
  // Not while it is made: the cycle is not skipped any more then. After a refusal it is asked anew, as the preview is.
  const rehearsed = useAnswer(rehearse, isBusy ? null : named)
  const refused = error ?? rehearsed.error
  return (
    <form className="stack" onSubmit={submit}>
      {refused ? <ErrorBanner error={refused} /> : null}
      <div className="actions">
        <Button type="submit" isBusy={isBusy} disabled={!rehearsed.value}>
          Issue invoice
        </Button>
      </div>
    </form>
  )
}

const rehearse = (named: Named) => stint.payment_cycles.invoice(named, { dry_run: true })
