import type { ReactNode } from 'react'

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

/** Rows of one kind; on a narrow window each becomes a card. */
export function Table<Row>({ label, columns, rows, idOf, isPale, isDimmed = false }: TableProps<Row>) {
  return (
    <table className={isDimmed ? 'table dimmed' : 'table'} aria-label={label} aria-busy={isDimmed}>
      <thead>
        <tr>
          {columns.map(({ head, look }) => (
            <th key={head} scope="col" className={look}>
              {look === 'actions' || look === 'choice' ? <span className="only-read">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf ? idOf(row) : (row as { id: string }).id} className={isPale?.(row) ? 'pale' : undefined}>
            {columns.map(({ head, look, cell }) => (
              <td key={head} className={look} data-head={head}>
                <div className="cell">{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
