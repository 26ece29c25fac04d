import type { Arriving } from '../lib/use-arriving.ts'
import { Button } from './button.tsx'

const words = { off: 'Not live', connecting: 'Connecting…', live: 'Live', lost: 'Reconnecting…' } as const

/** Says whether a list is followed, and lets one pause it; rows that came meanwhile are counted and shown when asked for. */
export function LiveState({ arriving: { state, isPaused, waiting, show, togglePause } }: { arriving: Arriving }) {
  return (
    <>
      <span className={`live ${state}`} role="status">
        {isPaused ? 'Paused' : words[state]}
      </span>
      <Button look="secondary" size="small" aria-pressed={isPaused} onClick={togglePause}>
        {isPaused ? 'Go on' : 'Pause'}
      </Button>
      {waiting > 0 ? (
        <Button size="small" onClick={show}>
          {waiting} new
        </Button>
      ) : null}
    </>
  )
}
