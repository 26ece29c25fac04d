import { Banner } from '../../components/banner.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { countOf } from '../../lib/format.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import type { WorkItem, WorkKind } from './kind.ts'

interface ReviewDialogProps<Row extends WorkItem> {
  kind: WorkKind<Row>
  status: 'approved' | 'declined'
  items: readonly Row[]
  onReviewed(words: string, view: 'approved' | 'declined'): void
  onClose(): void
}

const shown_max = 5

/** The verdict on one or several, which stands. All of them or none: what refuses some of them is said by their names. */
export function ReviewDialog<Row extends WorkItem>(props: ReviewDialogProps<Row>) {
  const { kind, status, items, onReviewed, onClose } = props
  const isApproval = status === 'approved'
  const [first] = items
  const what = items.length === 1 ? `this ${kind.one}` : countOf(items.length, kind.one)
  const action = `${isApproval ? 'Approve' : 'Decline'} ${items.length === 1 ? kind.one : items.length}`
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const ids = items.map(({ id }) => id)
    const { data } = await kind.reviewMany({ ids, status, reason: String(form.get('reason') ?? '').trim() || null })
    onReviewed(`${countOf(data.length, kind.one)} ${status}.`, status)
    onClose()
  })
  const refused = (error?.fields ?? []).flatMap(({ pointer, message }) => {
    const item = items[Number(/^\/ids\/(\d+)$/.exec(pointer)?.[1] ?? -1)]
    return item ? [{ id: item.id, words: `${kind.wordsOf(item)}: ${message}` }] : []
  })
  return (
    <FormDialog
      title={`${isApproval ? 'Approve' : 'Decline'} ${what}?`}
      action={action}
      look={isApproval ? 'primary' : 'danger'}
      submit={submit}
      isBusy={isBusy}
      error={refused.length > 0 ? null : error}
      onClose={onClose}
    >
      {refused.length > 0 ? (
        <Banner tone="error" title={`Nothing is ${status}: all of them or none.`}>
          <ul>
            {refused.map(({ id, words }) => (
              <li key={id}>{words}</li>
            ))}
          </ul>
          <p>The list behind shows how it is now.</p>
        </Banner>
      ) : null}
      {items.length === 1 && first ? <p>{kind.wordsOf(first)}</p> : null}
      {items.length > 1 ? (
        <ul className="listed">
          {items.slice(0, shown_max).map((item) => (
            <li key={item.id}>{kind.wordsOf(item)}</li>
          ))}
          {items.length > shown_max ? <li>and {items.length - shown_max} more</li> : null}
        </ul>
      ) : null}
      <p className="hint">
        {isApproval
          ? 'The next invoice of the contract collects what is approved. An approval cannot be taken back.'
          : 'What is declined is not paid. The worker reads your reason and can hand it in again.'}
      </p>
      <TextArea
        label={isApproval ? 'Note to the worker (optional)' : 'Reason'}
        name="reason"
        rows={2}
        maxLength={500}
        required={!isApproval}
      />
    </FormDialog>
  )
}
