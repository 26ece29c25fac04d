import { useEffect, useState } from 'react'

const awake_after_ms = 500

/** True once the page has had the focus for half a second without a break. */
export function useAwake(): boolean {
  const [isAwake, setAwake] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wake = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setAwake(true), awake_after_ms)
    }
    const sleep = () => {
      clearTimeout(timer)
      setAwake(false)
    }
    if (document.hasFocus()) wake()
    window.addEventListener('focus', wake)
    window.addEventListener('blur', sleep)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('focus', wake)
      window.removeEventListener('blur', sleep)
    }
  }, [])
  return isAwake
}
