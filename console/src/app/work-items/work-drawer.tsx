import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { SaidBy } from '../../components/said-by.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Status } from '../../components/status.tsx'
import { TextField } from '../../components/text-field.tsx'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { useMe } from '../me.tsx'
import { ObjectEvents } from '../object-events.tsx'
import type { WorkItem, WorkKind } from './kind.ts'
import { ReviewDialog } from './review-dialog.tsx'
import { InvoiceLink } from './work-page.tsx'

interface WorkDrawerProps<Row extends WorkItem> {
  kind: WorkKind<Row>
  id: string
  /** The row of the list, if it is there: it is shown until all of it has come. */
  known: Row | undefined
  onReviewed(words: string, view: 'approved' | 'declined'): void
  onEdit(item: Row): void
  onRemoved(): void
  onClose(): void
}

/** All of one item: what was done, who said what about it, and where its money is. */
export function WorkDrawer<Row extends WorkItem>({ kind, id, known, onClose, ...doing }: WorkDrawerProps<Row>) {
  const { value, error, reload } = useAnswer(kind.get, id)
  const item = value ?? known
  return (
    <Dialog title={`${kind.one.charAt(0).toUpperCase()}${kind.one.slice(1)}`} look="drawer" onClose={onClose}>
      {error && !item ? <Failed error={error} reload={reload} /> : null}
      {!item && !error ? <Skeleton rows={6} /> : null}
      {item ? <Details kind={kind} item={item} {...doing} /> : null}
    </Dialog>
  )
}

type DetailsProps<Row extends WorkItem> = Pick<WorkDrawerProps<Row>, 'kind' | 'onReviewed' | 'onEdit' | 'onRemoved'> & {
  item: Row
}

function Details<Row extends WorkItem>({ kind, item, onReviewed, onEdit, onRemoved }: DetailsProps<Row>) {
  const { can, sees } = useMe()
  const { value: contract } = useAnswer(
    stint.contracts.get,
    can('contracts:read') ? { contract_id: item.contract_id } : null,
  )
  const [open, setOpen] = useState<'approved' | 'declined' | 'remove' | null>(null)
  const { review, status } = item
  return (
    <div className="stack">
      <p className="evidence-title">
        <Link to={`/people/${item.worker_id}`}>
          <bdi>{item.worker_name}</bdi>
        </Link>{' '}
        <Status value={status} />
      </p>
      {can(kind.write) ? <Steps item={item} open={setOpen} onEdit={onEdit} /> : null}
      <Facts>
        <Fact name="Contract">
          <Link to={`/contracts/${item.contract_id}`}>
            <bdi>{contract?.title ?? 'Contract'}</bdi>
          </Link>
        </Fact>
        {kind.facts(item, sees('compensation'))}
        <Fact name="Description">
          <span className="words">{item.description}</span>
        </Fact>
        <Fact name="Entered">
          <SaidBy at={item.created_at} by={item.submitted_by} />
        </Fact>
        {review ? (
          <Fact name={review.status === 'approved' ? 'Approved' : 'Declined'}>
            <SaidBy at={review.reviewed_at} by={review.reviewed_by} />
          </Fact>
        ) : null}
        {review?.reason ? (
          <Fact name="Reason">
            <span className="words">{review.reason}</span>
          </Fact>
        ) : null}
        {item.invoice_id ? (
          <Fact name="Invoice">
            <InvoiceLink id={item.invoice_id} />
          </Fact>
        ) : null}
        {item.external_id ? (
          <Fact name="External id">
            <code>{item.external_id}</code>
          </Fact>
        ) : null}
      </Facts>
      <p className="actions">
        <CopyButton text={item.id} label="Copy id" what={`id of the ${kind.one}`} />
        <AsCurl method="GET" path={`${kind.api_path}/${item.id}`} />
      </p>
      <ObjectEvents id={item.id} />
      {open === 'approved' || open === 'declined' ? (
        <ReviewDialog kind={kind} status={open} items={[item]} onClose={() => setOpen(null)} onReviewed={onReviewed} />
      ) : null}
      {open === 'remove' ? (
        <RemoveDialog kind={kind} item={item} onClose={() => setOpen(null)} onRemoved={onRemoved} />
      ) : null}
    </div>
  )
}

interface StepsProps<Row extends WorkItem> {
  item: Row
  open(what: 'approved' | 'declined' | 'remove'): void
  onEdit(item: Row): void
}

const reasons: Readonly<Record<string, string>> = {
  approved: 'It is approved: what was agreed does not change any more. Remove it and enter it anew.',
  declined: 'It is declined: it is not paid. The worker can hand it in again.',
  invoiced: 'It stands on an invoice. Cancel the invoice to have it back.',
  paid: 'It is paid.',
  not_payable: 'The contract was settled without it.',
}

/** Only the steps that the state allows; for the others it says why. */
function Steps<Row extends WorkItem>({ item, open, onEdit }: StepsProps<Row>) {
  const isPending = item.status === 'pending'
  const isRemovable = isPending || item.status === 'approved' || item.status === 'declined'
  return (
    <>
      {isPending ? null : <p className="hint">{reasons[item.status] ?? ''}</p>}
      {isRemovable ? (
        <div className="actions">
          {isPending ? (
            <>
              <Button size="small" onClick={() => open('approved')}>
                Approve
              </Button>
              <Button size="small" look="secondary" onClick={() => open('declined')}>
                Decline…
              </Button>
              <Button size="small" look="secondary" onClick={() => onEdit(item)}>
                Edit
              </Button>
            </>
          ) : null}
          <Button size="small" look="secondary" onClick={() => open('remove')}>
            Remove…
          </Button>
        </div>
      ) : null}
    </>
  )
}

interface RemoveDialogProps<Row extends WorkItem> {
  kind: WorkKind<Row>
  item: Row
  onRemoved(): void
  onClose(): void
}

function RemoveDialog<Row extends WorkItem>({ kind, item, onRemoved, onClose }: RemoveDialogProps<Row>) {
  const [reason, setReason] = useState('')
  return (
    <ConfirmDialog
      title={`Remove this ${kind.one}?`}
      action={`Remove ${kind.one}`}
      onClose={onClose}
      onConfirm={async () => {
        await kind.remove(item.id, reason.trim() || undefined)
        onRemoved()
      }}
    >
      <div className="stack">
        <p>{kind.wordsOf(item)}. No invoice will collect it.</p>
        <TextField
          label="Reason (optional)"
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </div>
    </ConfirmDialog>
  )
}
