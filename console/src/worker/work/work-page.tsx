import { type ComponentType, type ReactNode, useState } from 'react'
import type { Contract, InvoiceAdjustment, Timesheet } from '#sdk/index.ts'
import { PageTitle } from '../../app/frame.tsx'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { List } from '../../components/list.tsx'
import { Status } from '../../components/status.tsx'
import type { Column } from '../../components/table.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer, useList } from '../../lib/use-answer.ts'

export type WorkItem = Timesheet | InvoiceAdjustment

export interface WorkFormProps<Row> {
  /** Absent: a new one. */
  item?: Row
  /** Contracts that take such work. */
  contracts: readonly Contract[]
  onSaved(item: Row): void
  onClose(): void
}

/** One kind of work that is handed in to be paid: hours, or expenses and the like. */
interface WorkKind<Row extends WorkItem> {
  title: string
  lead: string
  /** On the button, and of one row in words. */
  action: string
  one: string
  list: Parameters<typeof useList<object, Row>>[0]
  remove(id: string): Promise<unknown>
  takes(contract: Contract): boolean
  /** Said where no contract takes it. */
  none: string
  columns: readonly Column<Row>[]
  wordsOf(item: Row): ReactNode
  Form: ComponentType<WorkFormProps<Row>>
}

const contracts_max = 100

/** One kind of work as a list: what was handed in, what became of it, and what can still be changed. */
export function WorkPage<Row extends WorkItem>({ kind }: { kind: WorkKind<Row> }) {
  const { title, lead, action, one, remove, takes, none, columns, wordsOf, Form } = kind
  const list = useList<object, Row>(kind.list, {})
  const open = useAnswer(contractsOf, { limit: contracts_max, statuses: still_paid })
  const [shown, setShown] = useState<{ item?: Row; isRemoving?: true } | null>(null)
  const contracts = open.value?.data.filter(takes)
  const titles = new Map(open.value?.data.map(({ id, title: words }) => [id, words]))
  const close = () => setShown(null)
  const canHandIn = contracts !== undefined && contracts.length > 0
  const hand_in = canHandIn ? <Button onClick={() => setShown({})}>{action}</Button> : null
  return (
    <>
      <PageTitle title={title} lead={<p>{lead}</p>} actions={hand_in} />
      {contracts?.length === 0 ? <Banner tone="info" title={none} /> : null}
      <List
        list={list}
        label={title}
        one={one}
        columns={[
          ...columns,
          { head: 'Contract', cell: ({ contract_id }) => <bdi>{titles.get(contract_id) ?? '–'}</bdi> },
          { head: 'Status', cell: (item) => <State item={item} /> },
          {
            ...{ head: 'Actions', look: 'actions' },
            cell: (item) =>
              isOpen(item) ? (
                <>
                  <Button look="secondary" size="small" onClick={() => setShown({ item })}>
                    Change
                  </Button>
                  <Button look="secondary" size="small" onClick={() => setShown({ item, isRemoving: true })}>
                    Take back
                  </Button>
                </>
              ) : null,
          },
        ]}
        empty={
          <>
            <h2>Nothing handed in yet</h2>
            <p>What you hand in stands here until it is paid, with what became of it.</p>
          </>
        }
      />
      {shown && !shown.isRemoving ? (
        <Form
          contracts={contracts ?? []}
          {...(shown.item && { item: shown.item })}
          onSaved={(item) => {
            list.put(item)
            close()
          }}
          onClose={close}
        />
      ) : null}
      {shown?.item && shown.isRemoving ? (
        <ConfirmDialog
          title="Take this back?"
          action="Take back"
          onClose={close}
          onConfirm={async () => {
            await remove(shown.item?.id ?? '')
            list.reload()
          }}
        >
          <p>{wordsOf(shown.item)} is removed, as if it had not been handed in.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

const contractsOf = firstPage(stint.worker.list_contracts)
/** Work of ended contracts is handed in until all is settled. */
const still_paid = ['active', 'completed', 'terminated'] as const

/** Only what the worker has entered itself, and nobody has looked at yet. */
const isOpen = ({ status, submitted_by }: WorkItem) => status === 'pending' && submitted_by.kind === 'worker'

function State({ item: { status, review } }: { item: WorkItem }) {
  return (
    <>
      <Status value={status} />
      {status === 'declined' && review?.reason ? (
        <span className="under">
          <bdi>{review.reason}</bdi>
        </span>
      ) : null}
    </>
  )
}

/** Contracts as a form offers them. */
export const contractOptions = (contracts: readonly Contract[]) =>
  contracts.map(({ id, title }) => ({ value: id, words: title }))
