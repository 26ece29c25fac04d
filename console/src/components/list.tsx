import { type ReactNode, useState } from 'react'
import type { ApiError } from '../lib/api.ts'
import { countOf } from '../lib/format.ts'
import type { Listed } from '../lib/use-answer.ts'
import { Button } from './button.tsx'
import { ErrorBanner } from './error-banner.tsx'
import { Skeleton } from './skeleton.tsx'
import { type Column, Table } from './table.tsx'

interface ListProps<Row> {
  list: Listed<Row>
  label: string
  /** One of the rows in words, for the count below. */
  one: string
  columns: readonly Column<Row>[]
  idOf?(row: Row): string
  isPale?(row: Row): boolean
  /** Shown in place of an empty list: what it is, and what to do first. */
  empty: ReactNode
  /** Present while filters are set: takes them off. */
  clearFilters?: (() => void) | undefined
}

/** A list in each of its states: coming, failed, empty, filtered to nothing, there. */
export function List<Row>({ list, label, one, columns, idOf, isPale, empty, clearFilters }: ListProps<Row>) {
  const [isGoingOn, setGoingOn] = useState(false)
  const { rows, error, total, has_more, isLoading } = list
  const more = async () => {
    setGoingOn(true)
    await list.more()
    setGoingOn(false)
  }
  if (!rows) return error ? <Failed error={error} reload={list.reload} /> : <Skeleton rows={5} />
  if (rows.length === 0 && clearFilters) {
    return (
      <div className="empty">
        <p>Nothing fits these filters.</p>
        <Button look="secondary" onClick={clearFilters}>
          Clear filters
        </Button>
      </div>
    )
  }
  if (rows.length === 0) return <div className="empty">{empty}</div>
  return (
    <>
      {error ? <Failed error={error} reload={list.reload} /> : null}
      <Table
        {...{ label, columns, rows, isDimmed: isLoading && !error }}
        {...(idOf && { idOf })}
        {...(isPale && { isPale })}
      />
      <div className="list-foot">
        <span role="status">
          {rows.length < total ? `${rows.length.toLocaleString('en')} of ${countOf(total, one)}` : countOf(total, one)}
        </span>
        {has_more ? (
          <Button look="secondary" size="small" isBusy={isGoingOn} onClick={more}>
            Load more
          </Button>
        ) : null}
      </div>
    </>
  )
}

/** The fault in place of what could not be shown, and the way to ask again. */
export function Failed({ error, reload }: { error: ApiError; reload(): void }) {
  const [asked, setAsked] = useState<ApiError | null>(null)
  const again = () => {
    setAsked(error)
    reload()
  }
  if (error.status === 404) {
    return (
      <div className="empty">
        <h2>It is not here</h2>
        <p>It was removed, it belongs to another organization of yours, or the address is mistyped.</p>
      </div>
    )
  }
  return (
    <div className="failed">
      <ErrorBanner error={error} />
      <Button look="secondary" size="small" isBusy={asked === error} onClick={again}>
        Try again
      </Button>
    </div>
  )
}
