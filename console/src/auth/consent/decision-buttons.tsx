import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { useAwake } from './use-awake.ts'

interface DecisionButtonsProps {
  busy: 'approve' | 'deny' | null
  canAllow: boolean
  /** Why the last press did not count. */
  trouble: ReactNode
  press(decision: 'approve' | 'deny'): void
}

/**
 * Allow and Deny are of one size, in one row, one press each. Allow wakes half a second after the page got the focus, so
 * that a click meant for a window that was there before does not land on it. They stay in view, however long the list.
 */
export function DecisionButtons({ busy, canAllow, trouble, press }: DecisionButtonsProps) {
  const isAwake = useAwake()
  return (
    <div className="decision">
      {trouble}
      {canAllow ? null : <p role="status">Tick at least one right, or deny.</p>}
      <div className="decision-buttons">
        <Button look="secondary" isBusy={busy === 'deny'} disabled={busy === 'approve'} onClick={() => press('deny')}>
          Deny
        </Button>
        <Button
          look="secondary"
          isBusy={busy === 'approve'}
          disabled={!isAwake || !canAllow || busy === 'deny'}
          onClick={() => press('approve')}
        >
          Allow
        </Button>
      </div>
    </div>
  )
}
