import { useState } from 'react'
import { Banner } from '../../components/banner.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { type ApiError, apiErrorOf } from '../../lib/api.ts'
import { countOf } from '../../lib/format.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import type { WorkItem, WorkKind } from './kind.ts'

interface ReviewDialogProps<Row extends WorkItem> {
  kind: WorkKind<Row>
  status: 'approved' | 'declined'
  items: readonly Row[]
  onReviewed(words: string, view: 'approved' | 'declined'): void
  onClose(): void
}

const shown_max = 5

/** The items that a refusal names, each with its reason. */
function refusedOf<Row extends WorkItem>({ fields }: ApiError, asked: readonly Row[]): { item: Row; why: string }[] {
  return fields.flatMap(({ pointer, message }) => {
    const item = asked[Number(/^\/ids\/(\d+)$/.exec(pointer)?.[1] ?? -1)]
    return item ? [{ item, why: message }] : []
  })
}

/**
 * The verdict on one or several, which stands. All of them or none: those that refuse it are named and left out, so that
 * the next press is about the others.
 */
export function ReviewDialog<Row extends WorkItem>(props: ReviewDialogProps<Row>) {
  const { kind, status, onReviewed, onClose } = props
  const { sees } = useMe()
  const [items, setItems] = useState(props.items)
  const [refused, setRefused] = useState<readonly { item: Row; why: string }[]>([])
  const isApproval = status === 'approved'
  const [first] = items
  const what = items.length <= 1 ? `this ${kind.one}` : countOf(items.length, kind.one)
  const action = `${isApproval ? 'Approve' : 'Decline'} ${items.length <= 1 ? kind.one : items.length}`
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const ids = items.map(({ id }) => id)
    const reason = String(form.get('reason') ?? '').trim() || null
    const { data } = await kind.reviewMany({ ids, status, reason }).catch((thrown: unknown) => {
      const found = refusedOf(apiErrorOf(thrown), items)
      setRefused(found)
      setItems(items.filter((item) => !found.some((one) => one.item === item)))
      throw thrown
    })
    onReviewed(`${countOf(data.length, kind.one)} ${status}.`, status)
    onClose()
  })
  return (
    <FormDialog
      title={`${isApproval ? 'Approve' : 'Decline'} ${what}?`}
      action={action}
      look={isApproval ? 'primary' : 'danger'}
      submit={submit}
      isBusy={isBusy}
      isReady={items.length > 0}
      error={refused.length > 0 ? null : error}
      onClose={onClose}
    >
      {refused.length > 0 ? (
        <Banner tone="error" title={`Nothing is ${status}: all of them or none.`}>
          <ul>
            {refused.map(({ item, why }) => (
              <li key={item.id}>
                {kind.wordsOf(item)}: {why}
              </li>
            ))}
          </ul>
          {items.length > 0 ? <p>It is left out now; the others can still be {status}.</p> : null}
        </Banner>
      ) : null}
      {items.length === 1 && first ? (
        <Facts>
          <Fact name="Worker">
            <bdi>{first.worker_name}</bdi>
          </Fact>
          {kind.facts(first, sees('compensation'))}
          <Fact name="Description">
            <span className="words">{first.description}</span>
          </Fact>
        </Facts>
      ) : null}
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
          ? 'The next invoice of the contract collects what is approved. To undo an approval before that, remove the item and enter it anew.'
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
