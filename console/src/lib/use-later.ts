import { useEffect, useState } from 'react'

/** A value as it was once nothing had changed for so long: what is typed is asked for when the typing pauses. */
export function useLater<Value>(value: Value, after_ms: number): Value {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), after_ms)
    return () => clearTimeout(timer)
  }, [value, after_ms])
  return later
}
