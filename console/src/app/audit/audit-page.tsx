import type { AuditListInput } from '#sdk/index.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Filters, RangeFilter, SearchFilter, SelectFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import type { Column } from '../../components/table.tsx'
import { wordsOf } from '../../lib/format.ts'
import type { AuditEntry } from '../../lib/nouns.ts'
import { Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer, useList } from '../../lib/use-answer.ts'
import { inQuotes } from '../curl.ts'
import { PageTitle } from '../frame.tsx'
import { OpenLink } from '../open-link.tsx'
import { EntryDrawer } from './entry-drawer.tsx'
import { SealLine } from './seal-line.tsx'
import { actionWords, kinds, pageOf } from './words.ts'
import '../../styles/administration.css'

const names = ['actor_id', 'subject_kind', 'subject_id', 'action', 'from', 'to']
const members_max = 100
const id_form = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** The log of changes, with who, when and from where; the whole view lives in the address. */
export function AuditPage() {
  const { one, clear, count } = useFilters(names)
  const [search, setSearch] = useSearch()
  const input = inputOf(one)
  const list = useList(stint.audit.list, input)
  const members = useAnswer(firstPage(stint.members.list), { limit: members_max })
  const opened = list.rows?.find(({ id }) => id === search.get('entry'))
  const action: Column<AuditEntry> = {
    ...{ head: 'What', look: 'main' },
    cell: (entry) => (
      <>
        <OpenLink name="entry" id={entry.id}>
          {actionWords(entry.action)}
        </OpenLink>
      </>
    ),
  }
  const actors = members.value?.data.map(({ id, name }) => ({ value: id, words: name })) ?? []
  const actor = one('actor_id')
  const others = actor && !actors.some(({ value }) => value === actor) ? [{ value: actor, words: 'Somebody else' }] : []
  return (
    <>
      <PageTitle
        title="Audit log"
        lead={
          <>
            <p>Every change: who made it, to what, and from where. Names of fields are kept, values never.</p>
            <p>Within a minute each is sealed: a seal that you keep elsewhere shows later whether any was changed.</p>
          </>
        }
      />
      <div className="wide-filters">
        <Filters count={count}>
          <SelectFilter
            name="actor_id"
            label="Who"
            options={[{ value: '', words: 'Everybody' }, ...actors, ...others]}
          />
          <SelectFilter name="subject_kind" label="About" options={[{ value: '', words: 'Everything' }, ...kinds]} />
          <SearchFilter name="action" label="Action" placeholder="contracts.update" />
          <SearchFilter name="subject_id" label="Id of the object" />
          <RangeFilter label="Day" from="from" to="to" />
        </Filters>
      </div>
      <List
        list={list}
        label="Audit log"
        one="entry"
        columns={[action, columns.about, columns.who, columns.when]}
        clearFilters={clear}
        empty={<p>Nothing has been changed yet.</p>}
      />
      <SealLine />
      <p className="foot-actions">
        <CopyButton text={commandOf(input)} label="Copy as command" what="filter as a command of the stint CLI" />
      </p>
      {opened ? (
        <EntryDrawer entry={opened} isGone={isGone(opened, members.value)} onClose={() => setSearch({ entry: null })} />
      ) : null}
    </>
  )
}

/** Whole days of the reader's own zone, the last one included; a half-typed id asks for nothing that there could be. */
function inputOf(one: (name: string) => string | undefined): AuditListInput {
  const [from, to] = [dayOf(one('from')), dayOf(one('to'))]
  to?.setDate(to.getDate() + 1)
  const actor_id = one('actor_id')
  const given = {
    ...(actor_id && id_form.test(actor_id) && { actor_id }),
    subject_kind: one('subject_kind'),
    subject_id: one('subject_id'),
    action: one('action'),
    from: from?.toISOString(),
    to: to && new Date(to.getTime() - 1).toISOString(),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function dayOf(text: string | undefined): Date | undefined {
  const day = new Date(`${text}T00:00:00`)
  return Number.isNaN(day.getTime()) ? undefined : day
}

function commandOf(input: AuditListInput): string {
  const flags = Object.entries(input).map(
    ([name, value]) => `--${name.replaceAll('_', '-')} ${inQuotes(String(value))}`,
  )
  return ['stint audit list', ...flags].join(' ')
}

function isGone(
  { actor }: AuditEntry,
  members: { data: readonly { id: string }[]; has_more: boolean } | null,
): boolean {
  if (actor.kind !== 'user' || !members || members.has_more) return false
  return !members.data.some(({ id }) => id === actor.id)
}

/** One of its kind: the way to it, and the end of its id. */
function Subject({ subject: { kind, id } }: Pick<AuditEntry, 'subject'>) {
  const page = pageOf(kind, id)
  const words = (
    <>
      {wordsOf(kind)} {id === null ? null : <code>{id.length > 20 ? `…${id.slice(-6)}` : id}</code>}
    </>
  )
  return page === null ? words : <Link to={page}>{words}</Link>
}

const columns = {
  when: { head: 'When', cell: ({ occurred_at }) => <Moment at={occurred_at} isExact /> },
  who: {
    head: 'Who',
    cell: ({ actor }) => (
      <>
        <bdi>{actor.name}</bdi>
        {actor.kind === 'user' ? null : <span className="under">{actor.kind}</span>}
      </>
    ),
  },
  about: {
    head: 'About',
    cell: ({ subject, changed_fields }) => (
      <>
        <Subject subject={subject} />
        {changed_fields.length > 0 ? <span className="under">{changed_fields.join(', ')}</span> : null}
      </>
    ),
  },
} satisfies Record<string, Column<AuditEntry>>
