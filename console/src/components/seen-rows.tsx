import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type Ref, useLayoutEffect, useRef, useState } from 'react'

const row_height_px = 64
const rows_beyond = 15

interface SeenRowsProps {
  count: number
  columns: number
  /** Shows a row, which is measured once it is there. */
  children(index: number, measure: Ref<HTMLTableRowElement>): ReactNode
}

/** Rows of a long table that are in sight. The library behind it loads with the first long table. */
export function SeenRows({ count, columns, children }: SeenRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top_px, setTop] = useState(0)
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + scrollY), [])
  const seen = useWindowVirtualizer({
    count,
    estimateSize: () => row_height_px,
    overscan: rows_beyond,
    scrollMargin: top_px,
  })
  const items = seen.getVirtualItems()
  const above_px = (items[0]?.start ?? top_px) - top_px
  const below_px = seen.getTotalSize() - ((items.at(-1)?.end ?? top_px) - top_px)
  return (
    <tbody ref={body}>
      <Gap height_px={above_px} columns={columns} />
      {items.map(({ index }) => children(index, seen.measureElement))}
      <Gap height_px={below_px} columns={columns} />
    </tbody>
  )
}

/** The place of rows that are not seen. */
function Gap({ height_px, columns }: { height_px: number; columns: number }) {
  return height_px > 0 ? (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused
    <tr className="gap" aria-hidden="true">
      <td colSpan={columns} height={height_px} />
    </tr>
  ) : null
}
