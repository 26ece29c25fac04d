import { Badge } from '../components/badge.tsx'
import type { Membership } from '../lib/session.ts'
import { useMe } from './me.tsx'
import { PlaceSelect } from './place-select.tsx'

const key = 'stint-organization'

/** The one that this window was told, else the last one chosen in this browser, else the first. */
export function chosenOrganization(memberships: readonly Membership[]): Membership {
  const wished = [sessionStorage.getItem(key), localStorage.getItem(key)]
  const found = wished.map((id) => memberships.find(({ organization_id }) => organization_id === id)).find(Boolean)
  const [first] = memberships
  if (!first) throw new Error('a member of nothing')
  const chosen = found ?? first
  // Another window may choose another one; this one stays where it is.
  sessionStorage.setItem(key, chosen.organization_id)
  return chosen
}

function choose(organization_id: string): void {
  sessionStorage.setItem(key, organization_id)
  localStorage.setItem(key, organization_id)
  // From the first page on, with nothing left of the other organization.
  location.assign('/console')
}

export function OrganizationSwitcher() {
  const { session, membership } = useMe()
  return (
    <PlaceSelect label="Organization" chosen={membership} places={session.memberships} onChoose={choose}>
      <Badge>{membership.role}</Badge>
    </PlaceSelect>
  )
}
