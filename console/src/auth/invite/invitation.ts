import { call } from '../../lib/api.ts'
import { loadSession, type Session, signInPath } from '../../lib/session.ts'

/** An invitation as its link tells of it; each kind adds its own part. */
export type Invitation = Offer & (WorkerOffer | MemberOffer)

interface Offer {
  organization_name: string
  is_sandbox: boolean
  expires_at: string
  /** Of the login that it leads to; the name is null where it is still to be asked. */
  email: string
  name: string | null
  /** There is a login by this address: whoever has it signs in. */
  has_login: boolean
}

interface WorkerOffer {
  kind: 'worker'
  contract_title: string
  /** Words of whoever invites. */
  message: string | null
}

interface MemberOffer {
  kind: 'member'
  role: string
}

const key = 'stint-invitation'

/** The secret stands behind the `#`, which browsers send to no server; it travels in a header, which nobody logs. */
function secret(): string {
  return location.hash.slice(1).replaceAll(/[^\w-]/g, '') || (sessionStorage.getItem(key) ?? '')
}

export const hasSecret = () => secret() !== ''

const headers = () => ({ 'stint-invitation': secret() || 'none' })

/** Signs in first and comes back; this window alone keeps the secret meanwhile, since no address may carry it. */
export function signInFirst(): void {
  sessionStorage.setItem(key, secret())
  location.assign(signInPath('/console/invite'))
}

export interface Loaded {
  invitation: Invitation
  session: Session | null
}

export async function loadInvitation(): Promise<Loaded> {
  const [invitation, { session }] = await Promise.all([
    call<Invitation>('GET', '/invitations', { headers: headers() }),
    loadSession(),
  ])
  return { invitation, session }
}

/** Takes the invitation up; the page is replaced, so that going back does not show the used link. */
export async function acceptInvitation(body: { password?: string; name?: string }): Promise<void> {
  const { to } = await call<{ to: string }>('POST', '/invitations', { body, headers: headers() })
  sessionStorage.removeItem(key)
  location.replace(to)
}
