import { useEffect, useState } from 'react'

/** Seconds until a moment, ticking; 0 when it has come or there is none. */
export function useCountdown(until_ms: number | null): number {
  const [now, setNow] = useState(Date.now)
  const left_s = until_ms === null ? 0 : Math.max(0, Math.ceil((until_ms - now) / 1_000))
  const isOver = left_s === 0
  useEffect(() => {
    setNow(Date.now())
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [isOver])
  return left_s
}
