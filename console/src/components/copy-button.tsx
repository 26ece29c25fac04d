import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

const told_ms = 2_000

/** Copies a text and says so for two seconds, to a screen reader as well. */
export function CopyButton({ text, label = 'Copy', what }: { text: string; label?: string; what: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), told_ms)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  return (
    <>
      <Button look="secondary" size="small" onClick={copy}>
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Not copied' : label}
        {state === 'idle' ? <span className="only-read"> {what}</span> : null}
      </Button>
      <span role="status" className="only-read">
        {state === 'copied' ? `Copied ${what}` : ''}
      </span>
    </>
  )
}
