import type { ReactNode } from 'react'
import { Badge } from '../components/badge.tsx'

interface Place {
  organization_id: string
  organization_name: string
  is_sandbox: boolean
}

interface PlaceSelectProps {
  label: string
  chosen: Place
  places: readonly Place[]
  onChoose(organization_id: string): void
  /** Behind the name. */
  children?: ReactNode
}

/** The organization that the pages are about; a choice where there are several. */
export function PlaceSelect({ label, chosen, places, onChoose, children }: PlaceSelectProps) {
  return (
    <div className="organization">
      {places.length === 1 ? (
        <bdi className="organization-name">{chosen.organization_name}</bdi>
      ) : (
        <select
          aria-label={label}
          value={chosen.organization_id}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {places.map((one) => (
            <option key={one.organization_id} value={one.organization_id}>
              {one.organization_name}
              {one.is_sandbox ? ' (sandbox)' : ''}
            </option>
          ))}
        </select>
      )}
      {chosen.is_sandbox ? <Badge tone="sandbox">Sandbox</Badge> : null}
      {children}
    </div>
  )
}
