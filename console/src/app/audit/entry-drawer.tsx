import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'
import { utcOf, wordsOf } from '../../lib/format.ts'
import type { AuditEntry } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { actionWords, pageOf } from './words.ts'

interface EntryDrawerProps {
  entry: AuditEntry
  /** The one who did it is no member any more. */
  isGone: boolean
  onClose(): void
}

export function EntryDrawer({ entry, isGone, onClose }: EntryDrawerProps) {
  const { occurred_at, actor, action, subject, changed_fields, request_id, ip, credential_id, batch, position } = entry
  const [, setSearch] = useSearch()
  const page = pageOf(subject.kind, subject.id)
  const { value: name } = useAnswer(nameOfSubject, subject.id === null ? null : `${subject.kind}/${subject.id}`)
  const only = (changes: Record<string, string | null>) => setSearch({ entry: null, ...changes })
  return (
    <Dialog title={actionWords(action)} look="drawer" onClose={onClose}>
      <Facts>
        <Fact name="When">
          <Moment at={occurred_at} isExact />
          <span className="under">{utcOf(occurred_at)}</span>
        </Fact>
        <Fact name="Who">
          <bdi>{actor.name}</bdi>
          <span className="under">
            {actor.kind}
            {isGone ? ', no member any more' : ''}
          </span>
        </Fact>
        <Fact name="From">{ip ?? <span className="none">no address: nobody called</span>}</Fact>
        <Fact name="Action">
          <code>{action}</code>
        </Fact>
        <Fact name="About">
          {page === null ? wordsOf(subject.kind) : <Link to={page}>{wordsOf(subject.kind)}</Link>}
          {name === null ? null : (
            <span className="under">
              <bdi>{name}</bdi>
            </span>
          )}
          <Id value={subject.id} what="id of the object" />
        </Fact>
        <Fact name="Fields">
          {changed_fields.length === 0 ? <span className="none">–</span> : changed_fields.join(', ')}
        </Fact>
        <Fact name="Request">
          <Id value={request_id} what="request id" />
        </Fact>
        <Fact name="Credential">
          <Id value={credential_id} what="id of the credential" />
        </Fact>
        <Fact name="Sealed">
          {batch === null ? (
            <span className="none">not yet: within a minute</span>
          ) : (
            `batch ${batch.toLocaleString('en')}, position ${position}`
          )}
        </Fact>
      </Facts>
      <div className="foot-actions">
        {subject.id === null ? null : (
          <button
            type="button"
            className="button secondary small"
            onClick={() => only({ subject_id: subject.id, action: null, actor_id: null, from: null, to: null })}
          >
            All about this object
          </button>
        )}
        {actor.id === null ? null : (
          <button
            type="button"
            className="button secondary small"
            onClick={() => only({ actor_id: actor.id, subject_id: null, action: null })}
          >
            All by {actor.name}
          </button>
        )}
      </div>
    </Dialog>
  )
}

/** Readers of the log may read each of these; one that is gone has no name any more. */
async function nameOfSubject(subject: string): Promise<string | null> {
  const [kind = '', id = ''] = subject.split('/')
  const named: Readonly<Record<string, () => Promise<string>>> = {
    contracts: async () => (await stint.contracts.get({ contract_id: id })).title,
    invoices: async () => (await stint.invoices.get({ invoice_id: id })).number,
    payments: async () => (await stint.payments.get({ payment_id: id })).number,
    people: async () => (await stint.people.get({ person_id: id })).full_name,
    timesheets: async () => (await stint.timesheets.get({ timesheet_id: id })).worker_name,
    invoice_adjustments: async () => (await stint.invoice_adjustments.get({ invoice_adjustment_id: id })).worker_name,
  }
  return (await named[kind]?.().catch(() => null)) ?? null
}

function Id({ value, what }: { value: string | null; what: string }) {
  if (value === null) return <span className="none">–</span>
  return (
    <span className="id">
      <code>{value}</code> <CopyButton text={value} what={what} />
    </span>
  )
}
