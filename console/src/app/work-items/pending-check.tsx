import { Check } from '../../components/choice-list.tsx'

interface PendingCheckProps {
  isPending: boolean
  setPending(isPending: boolean): void
}

/** Work that a member adds is approved by that, unless a second look is wished. */
export function PendingCheck({ isPending, setPending }: PendingCheckProps) {
  return (
    <Check checked={isPending} onChange={setPending}>
      Leave it for a review <span className="hint">Otherwise it is approved at once.</span>
    </Check>
  )
}
