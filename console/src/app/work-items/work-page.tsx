import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/choice-list.tsx'
import { Filters, RangeFilter, useFilters } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { countOf } from '../../lib/format.ts'
import { hrefOf, Link, useSearch } from '../../lib/router.tsx'
import { type Listed, useList } from '../../lib/use-answer.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { PersonFilter } from '../person-filter.tsx'
import { toggled } from '../toggled.ts'
import type { WorkItem, WorkKind } from './kind.ts'
import { ReviewDialog } from './review-dialog.tsx'
import { WorkDrawer } from './work-drawer.tsx'
import '../../styles/work.css'

const views = [
  { name: 'pending', words: 'To review', statuses: ['pending'] },
  { name: 'approved', words: 'Approved', statuses: ['approved'] },
  { name: 'declined', words: 'Declined', statuses: ['declined'] },
  { name: 'invoiced', words: 'Invoiced', statuses: ['invoiced'] },
  { name: 'paid', words: 'Paid', statuses: ['paid'] },
  { name: 'all', words: 'All', statuses: undefined },
] as const

/** As many as one review takes. */
const chosen_max = 100

type Opened<Row> = { form: 'add' } | { form: 'edit'; item: Row } | { review: 'approved' | 'declined'; items: Row[] }

/** Work of one kind: whatever waits for a review first, then what became of the rest. */
export function WorkPage<Row extends WorkItem>({ kind }: { kind: WorkKind<Row> }) {
  const { can } = useMe()
  const [search, setSearch] = useSearch()
  const { one, clear, count } = useFilters(['person', 'contract', 'from', 'to', ...kind.filters.names])
  const view = views.find(({ name }) => name === search.get('view')) ?? views[0]
  const list = useList(kind.list, {
    ...{ statuses: view.statuses, worker_id: one('person'), contract_id: one('contract') },
    ...{ date_from: one('from'), date_to: one('to') },
    ...kind.filters.input(one),
  })
  const [open, setOpen] = useState<Opened<Row> | null>(null)
  const [told, setTold] = useState<Told | null>(null)
  const add = can(kind.write) ? (
    <Button aria-keyshortcuts="c" onClick={() => setOpen({ form: 'add' })}>
      Add {kind.one}
    </Button>
  ) : null
  return (
    <>
      <PageTitle title={kind.title} lead={<p>{kind.lead}</p>} actions={add} />
      <Tabs
        label={`${kind.title} by state`}
        tabs={views}
        current={view.name}
        hrefOf={(name) => hrefOf(`${kind.path}?view=${name}`)}
        onChoose={(name) => setSearch({ view: name === 'pending' ? null : name, open: null })}
      />
      <Filters count={count}>
        <PersonFilter name="person" label="Worker" />
        <RangeFilter label="Date" from="from" to="to" />
        {kind.filters.fields}
      </Filters>
      <ToldLine told={told} path={kind.path} />
      <Rows
        {...{ kind, list, setOpen }}
        clearFilters={clear}
        empty={<Empty kind={kind} view={view.name} add={add} />}
      />
      <Opening {...{ kind, list, open, setOpen, setTold }} />
    </>
  )
}

/** Done just now, and where the item is to be found from now on: a verdict moves it to another view. */
interface Told {
  words: string
  view?: (typeof views)[number]['name'] | undefined
}

function ToldLine({ told, path }: { told: Told | null; path: string }) {
  const view = views.find(({ name }) => name === told?.view)
  return (
    <p role="status" className={told ? 'told' : 'only-read'}>
      {told?.words}{' '}
      {view && view.name !== 'pending' ? (
        <Link to={`${path}?view=${view.name}`}>Show {view.words.toLowerCase()}</Link>
      ) : null}
    </p>
  )
}

interface RowsProps<Row extends WorkItem> {
  kind: WorkKind<Row>
  list: Listed<Row>
  setOpen(open: Opened<Row>): void
  clearFilters: (() => void) | undefined
  empty: ReactNode
}

function Rows<Row extends WorkItem>({ kind, list, setOpen, clearFilters, empty }: RowsProps<Row>) {
  const { can, sees } = useMe()
  const choice = useChoice(list)
  const mayWrite = can(kind.write)
  const review = (status: 'approved' | 'declined', items: Row[]) => setOpen({ review: status, items })
  const columns = [
    ...(mayWrite ? [choiceColumn(kind, choice)] : []),
    mainColumn(kind),
    ...kind.columns(sees('compensation')),
    statusColumn<Row>(),
    ...(mayWrite ? [actionsColumn(kind, (status, item) => review(status, [item]))] : []),
  ]
  return (
    <>
      {mayWrite ? <Chosen choice={choice} one={kind.one} review={review} /> : null}
      <List
        list={list}
        label={kind.title}
        one={kind.one}
        columns={columns}
        clearFilters={clearFilters}
        isPale={({ status }) => status === 'declined' || status === 'not_payable'}
        empty={empty}
      />
    </>
  )
}

interface OpeningProps<Row extends WorkItem> {
  kind: WorkKind<Row>
  list: Listed<Row>
  open: Opened<Row> | null
  setOpen(open: Opened<Row> | null): void
  setTold(told: Told): void
}

/** Dialogs over the list: one item, its form, the verdict on some. */
function Opening<Row extends WorkItem>({ kind, list, open, setOpen, setTold }: OpeningProps<Row>) {
  const [search, setSearch] = useSearch()
  const open_id = search.get('open')
  const close = () => setOpen(null)
  const onReviewed = (words: string, view: Told['view']) => setTold({ words, view })
  return (
    <>
      {open_id ? (
        <WorkDrawer
          key={open_id}
          kind={kind}
          id={open_id}
          known={list.rows?.find(({ id }) => id === open_id)}
          onClose={() => setSearch({ open: null })}
          onReviewed={onReviewed}
          onEdit={(item) => setOpen({ form: 'edit', item })}
          onRemoved={() => {
            setSearch({ open: null })
            setTold({ words: `The ${kind.one} is removed.` })
          }}
        />
      ) : null}
      {open && 'form' in open ? (
        <kind.Form
          {...(open.form === 'edit' && { item: open.item })}
          onClose={close}
          onSaved={({ status }) => {
            const view = views.find(({ name }) => name === status)?.name
            setTold({ words: `The ${kind.one} is ${open.form === 'add' ? 'added' : 'changed'}.`, view })
            close()
          }}
        />
      ) : null}
      {open && 'review' in open ? (
        <ReviewDialog {...{ kind, status: open.review, items: open.items }} onClose={close} onReviewed={onReviewed} />
      ) : null}
    </>
  )
}

interface Choice<Row> {
  chosen: readonly Row[]
  open: readonly Row[]
  has(id: string): boolean
  set(id: string, isOn: boolean): void
  setAll(isOn: boolean): void
  clear(): void
}

/** The pending rows that are ticked; one that is not pending any more is not chosen any more. */
function useChoice<Row extends WorkItem>({ rows }: Listed<Row>): Choice<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const open = (rows ?? []).filter(({ status }) => status === 'pending')
  return {
    open,
    chosen: open.filter(({ id }) => ids.has(id)).slice(0, chosen_max),
    has: (id) => ids.has(id),
    set: (id, isOn) => setIds(toggled(ids, id, isOn)),
    setAll: (isOn) => setIds(new Set(isOn ? open.slice(0, chosen_max).map(({ id }) => id) : [])),
    clear: () => setIds(new Set()),
  }
}

interface ChosenProps<Row> {
  choice: Choice<Row>
  one: string
  review(status: 'approved' | 'declined', items: Row[]): void
}

function Chosen<Row extends WorkItem>({ choice: { chosen, open, setAll }, one, review }: ChosenProps<Row>) {
  if (open.length < 2) return null
  return (
    <div className="toolbar">
      <Check checked={chosen.length > 0 && chosen.length === Math.min(open.length, chosen_max)} onChange={setAll}>
        Choose all shown
      </Check>
      {chosen.length > 0 ? (
        <>
          <span className="hint">{countOf(chosen.length, one)} chosen</span>
          <Button size="small" onClick={() => review('approved', [...chosen])}>
            Approve {chosen.length}…
          </Button>
          <Button size="small" look="secondary" onClick={() => review('declined', [...chosen])}>
            Decline {chosen.length}…
          </Button>
        </>
      ) : null}
    </div>
  )
}

const choiceColumn = <Row extends WorkItem>(kind: WorkKind<Row>, { has, set }: Choice<Row>): Column<Row> => ({
  ...{ head: 'Choose', look: 'choice' },
  cell: (item) =>
    item.status === 'pending' ? (
      <input
        type="checkbox"
        aria-label={`Choose ${kind.wordsOf(item)}`}
        checked={has(item.id)}
        onChange={(event) => set(item.id, event.currentTarget.checked)}
      />
    ) : null,
})

const mainColumn = <Row extends WorkItem>(kind: WorkKind<Row>): Column<Row> => ({
  ...{ head: 'Worker', look: 'main' },
  cell: (item) => (
    <>
      <OpenLink path={kind.path} item={item} />
      <span className="under clipped">{item.description}</span>
    </>
  ),
})

/** Opens the drawer and keeps the filters of the list behind it. */
function OpenLink({ path, item: { id, worker_name } }: { path: string; item: WorkItem }) {
  const [search] = useSearch()
  search.set('open', id)
  return (
    <Link to={`${path}?${search}`}>
      <bdi>{worker_name}</bdi>
    </Link>
  )
}

const statusColumn = <Row extends WorkItem>(): Column<Row> => ({
  head: 'Status',
  cell: ({ status, review, invoice_id }) => (
    <>
      <Status value={status} />
      {status === 'declined' && review?.reason ? <span className="under">{review.reason}</span> : null}
      {invoice_id ? (
        <span className="under">
          <InvoiceLink id={invoice_id} />
        </span>
      ) : null}
    </>
  ),
})

/** Invoices have readers of their own. */
export function InvoiceLink({ id }: { id: string }): ReactNode {
  const { can } = useMe()
  return can('accounting:read') ? <Link to={`/invoices/${id}`}>on an invoice</Link> : 'on an invoice'
}

const actionsColumn = <Row extends WorkItem>(
  kind: WorkKind<Row>,
  review: (status: 'approved' | 'declined', item: Row) => void,
): Column<Row> => ({
  ...{ head: 'Actions', look: 'actions' },
  cell: (item) =>
    item.status === 'pending' ? (
      <>
        <Button size="small" look="secondary" onClick={() => review('approved', item)}>
          Approve<span className="only-read"> {kind.wordsOf(item)}</span>
        </Button>
        <Button size="small" look="quiet" onClick={() => review('declined', item)}>
          Decline…<span className="only-read"> {kind.wordsOf(item)}</span>
        </Button>
      </>
    ) : null,
})

interface EmptyProps<Row extends WorkItem> {
  kind: WorkKind<Row>
  view: string
  add: ReactNode
}

function Empty<Row extends WorkItem>({ kind, view, add }: EmptyProps<Row>) {
  if (view === 'pending') {
    return (
      <>
        <h2>Nothing waits for a review</h2>
        <p>{kind.empty}</p>
        <p>
          <Link className="button secondary" to={`${kind.path}?view=all`}>
            Show all
          </Link>
        </p>
      </>
    )
  }
  return (
    <>
      <h2>None here</h2>
      <p>{kind.empty}</p>
      {view === 'all' && add ? <p>{add}</p> : null}
    </>
  )
}
