import { useState } from 'react'
import type { InvoiceAdjustment, Timesheet } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Day } from '../../components/date.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { countOf, wordsOf } from '../../lib/format.ts'
import { goTo, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { ContractFilter } from '../contract-filter.tsx'
import { PageTitle } from '../frame.tsx'
import { toggled } from '../toggled.ts'
import { Amount } from './amount.tsx'
import { Lines } from './lines.tsx'

/** An invoice outside the payment cycles, of approved work that is chosen one by one. */
export function NewInvoicePage() {
  const [search] = useSearch()
  const contract_id = search.get('contract')
  return (
    <>
      <PageTitle
        title="New invoice"
        back={{ to: '/invoices', words: 'Invoices' }}
        lead={<p>Pays approved timesheets and adjustments now, without waiting for the cycle to close.</p>}
      />
      <div className="form above">
        <ContractFilter placeholder="Worker or title" />
      </div>
      {contract_id ? <Work key={contract_id} contract_id={contract_id} /> : null}
    </>
  )
}

/** As many of each as one invoice takes. */
const rows_max = 100

function Work({ contract_id }: { contract_id: string }) {
  const approved = { contract_id, statuses: ['approved' as const], limit: rows_max }
  const timesheets = useAnswer(firstPage(stint.timesheets.list), approved)
  const adjustments = useAnswer(firstPage(stint.invoice_adjustments.list), approved)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isReviewing, setReviewing] = useState(false)
  const error = timesheets.error ?? adjustments.error
  if (error) {
    const reload = () => {
      timesheets.reload()
      adjustments.reload()
    }
    return <Failed error={error} reload={reload} />
  }
  if (!timesheets.value || !adjustments.value) return <Skeleton rows={4} />
  const of_timesheets = timesheets.value.data
  const of_adjustments = adjustments.value.data
  if (of_timesheets.length + of_adjustments.length === 0) return <NothingApproved contract_id={contract_id} />
  const choiceOf = <Row extends { id: string; description: string }>(): Column<Row> => ({
    ...{ head: 'Choose', look: 'choice' },
    cell: ({ id, description }) => (
      <input
        type="checkbox"
        aria-label={`Choose ${description}`}
        checked={chosen.has(id)}
        onChange={({ currentTarget }) => setChosen(toggled(chosen, id, currentTarget.checked))}
      />
    ),
  })
  const idsOf = (rows: readonly { id: string }[]) => rows.flatMap(({ id }) => (chosen.has(id) ? [id] : []))
  return (
    <>
      {of_timesheets.length > 0 ? (
        <>
          <h2>Approved timesheets</h2>
          <Table
            label="Approved timesheets"
            columns={[choiceOf<Timesheet>(), ...timesheet_columns]}
            rows={of_timesheets}
          />
        </>
      ) : null}
      {of_adjustments.length > 0 ? (
        <>
          <h2>Approved adjustments</h2>
          <Table
            label="Approved adjustments"
            columns={[choiceOf<InvoiceAdjustment>(), ...adjustment_columns]}
            rows={of_adjustments}
          />
        </>
      ) : null}
      <div className="actions below">
        <Button disabled={chosen.size === 0} onClick={() => setReviewing(true)}>
          {chosen.size === 0 ? 'Review invoice…' : `Review invoice of ${countOf(chosen.size, 'item')}…`}
        </Button>
      </div>
      {isReviewing ? (
        <ReviewDialog
          wish={{
            contract_id,
            timesheet_ids: idsOf(of_timesheets),
            invoice_adjustment_ids: idsOf(of_adjustments),
          }}
          onClose={() => setReviewing(false)}
        />
      ) : null}
    </>
  )
}

const timesheet_columns: readonly Column<Timesheet>[] = [
  {
    ...{ head: 'Timesheet', look: 'main' },
    cell: ({ id, description, start_date, end_date }) => (
      <>
        <Link to={`/timesheets?view=all&open=${id}`}>
          <bdi>{description}</bdi>
        </Link>
        <span className="under">
          <Day value={start_date} /> to <Day value={end_date} />
        </span>
      </>
    ),
  },
  { ...{ head: 'Quantity', look: 'number' }, cell: ({ quantity, scale }) => `${quantity} ${units[scale] ?? scale}` },
  {
    ...{ head: 'Amount', look: 'number' },
    cell: ({ total_amount, currency }) => <Amount amount={total_amount} currency={currency} />,
  },
]

const units: Record<string, string> = { hourly: 'h', daily: 'days' }

const adjustment_columns: readonly Column<InvoiceAdjustment>[] = [
  {
    ...{ head: 'Adjustment', look: 'main' },
    cell: ({ id, description, date, type }) => (
      <>
        <Link to={`/adjustments?view=all&open=${id}`}>
          <bdi>{description}</bdi>
        </Link>
        <span className="under">
          {wordsOf(type)} · <Day value={date} />
        </span>
      </>
    ),
  },
  {
    ...{ head: 'Amount', look: 'number' },
    cell: ({ amount, currency, type }) => (
      <>
        {type === 'deduction' ? '−' : ''}
        <Amount amount={amount} currency={currency} />
      </>
    ),
  },
]

function NothingApproved({ contract_id }: { contract_id: string }) {
  return (
    <div className="empty">
      <h2>Nothing to invoice</h2>
      <p>No timesheet or adjustment of this contract is approved and still without an invoice.</p>
      <p className="actions">
        <Link className="button secondary" to={`/timesheets?contract=${contract_id}`}>
          Timesheets
        </Link>
        <Link className="button secondary" to={`/adjustments?contract=${contract_id}`}>
          Adjustments
        </Link>
      </p>
    </div>
  )
}

type Wish = Parameters<typeof stint.invoices.create>[0]

/** The invoice as the service itself rehearses it; issued is exactly that. */
function ReviewDialog({ wish, onClose }: { wish: Wish; onClose(): void }) {
  const { submit, isBusy, error } = useSubmit(async (_, keyed) => {
    const confirm = value?.dry_run.digest
    const { id } = await stint.invoices.create(wish, { ...keyed, confirm })
    onClose()
    goTo(`/invoices/${id}`)
  })
  // Not while it is issued: its items are not approved any more then.
  const { value, error: refused, reload } = useAnswer(rehearse, isBusy ? null : wish)
  return (
    <FormDialog
      title="Review the invoice"
      action="Issue invoice"
      isWide
      submit={submit}
      isBusy={isBusy}
      isReady={value !== null}
      error={error}
      onClose={onClose}
    >
      {value ? (
        <>
          <Lines {...value} isDraft />
          <p className="hint">
            Due on <Day value={value.due_date} />. Once issued it cannot be changed, only cancelled.
          </p>
        </>
      ) : refused ? (
        <Failed error={refused} reload={reload} />
      ) : (
        <Skeleton rows={4} />
      )}
    </FormDialog>
  )
}

const rehearse = (wish: Wish) => stint.invoices.create(wish, { dry_run: true })
