import { useEffect, useState } from 'react'

const shown_after_ms = 150

/** The place of what is coming; nothing for a moment, so that a quick answer does not flicker. */
export function Skeleton({ rows }: { rows: number }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), shown_after_ms)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="skeleton" aria-busy="true">
      <span className="only-read">Loading</span>
      {isShown ? Array.from({ length: rows }, (_, row) => `row ${row}`).map((row) => <span key={row} />) : null}
    </div>
  )
}
