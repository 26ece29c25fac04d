import { useState } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '../../components/button.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { ClockDrawer } from './clock-drawer.tsx'
import { momentOf } from './moment.ts'
import '../../styles/administration.css'

/** While the clock runs with real time, its minutes change. */
const asked_every_ms = 60_000

/** Business time of the sandbox, in the bar of every page; pressed, it can be moved. */
export function TestClock() {
  const { value, reload } = useAnswer(stint.sandbox.get_clock, {}, asked_every_ms)
  const [isOpen, setOpen] = useState(false)
  if (!value) return null
  return (
    <div className="clock">
      <Button look="quiet" size="small" onClick={() => setOpen(true)}>
        <span className="clock-words">Test clock</span> <time dateTime={value.now}>{momentOf(value.now)}</time>
      </Button>
      {/* Outside of the bar, which is a landmark: the head of a dialog is another one. */}
      {isOpen
        ? createPortal(<ClockDrawer clock={value} reload={reload} onClose={() => setOpen(false)} />, document.body)
        : null}
    </div>
  )
}
