import { lazy, type ReactNode, type Ref, Suspense, useLayoutEffect, useRef, useState } from 'react'

const SeenRows = lazy(async () => ({ default: (await import('./seen-rows.tsx')).SeenRows }))

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
  /** Numbers stand at the right; actions and boxes to tick have no words above them. */
  look?: 'number' | 'actions' | 'main' | 'choice'
}

interface TableProps<Row> {
  /** Names the table to a screen reader. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf?(row: Row): string
  isPale?(row: Row): boolean
  isDimmed?: boolean
}

/** A longer table is in the page only as far as it is seen, so that ten thousand rows answer a key as fast as ten. */
const whole_rows_max = 200

/** Rows of one kind; on a narrow window each becomes a card. */
export function Table<Row>({ label, columns, rows, isDimmed = false, ...parts }: TableProps<Row>) {
  const table = useRef<HTMLTableElement>(null)
  const isLong = rows.length > whole_rows_max
  const first = (
    <tbody>
      {rows.slice(0, whole_rows_max).map((row) => (
        <TableRow key={idOfRow(row, parts)} {...{ columns, row, ...parts }} />
      ))}
    </tbody>
  )
  return (
    <table
      ref={table}
      className={['table', isDimmed && 'dimmed', isLong && 'long'].filter(Boolean).join(' ')}
      aria-label={label}
      aria-busy={isDimmed}
      {...(isLong && { 'aria-rowcount': rows.length + 1 })}
    >
      {isLong ? <Widths table={table} /> : null}
      <thead>
        <tr>
          {columns.map(({ head, look }) => (
            <th key={head} scope="col" className={look}>
              {look === 'actions' || look === 'choice' ? <span className="only-read">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      {isLong ? (
        <Suspense fallback={first}>
          <SeenRows count={rows.length} columns={columns.length}>
            {(index, measure) => {
              const row = rows[index]
              return row === undefined ? null : (
                <TableRow key={idOfRow(row, parts)} {...{ columns, row, index, measure, ...parts }} />
              )
            }}
          </SeenRows>
        </Suspense>
      ) : (
        first
      )}
    </table>
  )
}

type Parts<Row> = Pick<TableProps<Row>, 'columns' | 'idOf' | 'isPale'>

const idOfRow = <Row,>(row: Row, { idOf }: Pick<Parts<Row>, 'idOf'>) => (idOf ? idOf(row) : (row as { id: string }).id)

interface TableRowProps<Row> extends Parts<Row> {
  row: Row
  /** Of a row among many of which few are there. */
  index?: number
  measure?: Ref<HTMLTableRowElement>
}

function TableRow<Row>({ row, columns, isPale, index, measure }: TableRowProps<Row>) {
  return (
    <tr
      ref={measure}
      className={isPale?.(row) ? 'pale' : undefined}
      {...(index !== undefined && { 'data-index': index, 'aria-rowindex': index + 2 })}
    >
      {columns.map(({ head, look, cell }) => (
        <td key={head} className={look} data-head={head}>
          <div className="cell">{cell(row)}</div>
        </td>
      ))}
    </tr>
  )
}

/** Keeps each column as wide as it was for the first rows: others come and go while somebody scrolls. */
function Widths({ table }: { table: { current: HTMLTableElement | null } }) {
  const [widths, setWidths] = useState<readonly string[]>([])
  useLayoutEffect(() => {
    const heads = [...(table.current?.tHead?.rows[0]?.cells ?? [])].map(({ offsetWidth }) => offsetWidth)
    const whole = heads.reduce((sum, width) => sum + width, 0)
    if (whole > 0) setWidths(heads.map((width) => `${(width / whole) * 100}%`))
  }, [table])
  return (
    <colgroup>
      {widths.map((width, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name and never move
        <col key={column} width={width} />
      ))}
    </colgroup>
  )
}
