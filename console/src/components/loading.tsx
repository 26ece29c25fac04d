import { useEffect, useState } from 'react'

const shown_after_ms = 150

/** Nothing for a moment, so that a quick answer does not flicker. */
export function Loading() {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), shown_after_ms)
    return () => clearTimeout(timer)
  }, [])
  return isShown ? (
    <main className="waiting" aria-busy="true">
      <span className="spinner" aria-hidden="true" />
      <span className="only-read">Loading</span>
    </main>
  ) : null
}
