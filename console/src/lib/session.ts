import { call } from './api.ts'
import type { Role } from './roles.ts'

interface Place {
  organization_id: string
  organization_name: string
  is_sandbox: boolean
}

/** A right by its name, with what it lets one do. */
export interface Right {
  name: string
  words: string
}

export interface Membership extends Place {
  role: Role
  /** The organization demands a second factor, and this sign-in had none. */
  lacks_second_factor: boolean
  scopes: Right[]
  sensitive_data: Right[]
}

export interface Session {
  session_id: string
  user_id: string
  email: string
  name: string
  memberships: Membership[]
  workers: (Place & { person_id: string })[]
}

/** `is_new`: nobody has an account here yet. `base_url`: where programs call the API. */
export function loadSession(): Promise<{ session: Session | null; is_new: boolean; base_url?: string }> {
  return call('GET', '/session')
}

/** Before the names of what a tab keeps of forms that are not sent yet. */
export const draft_prefix = 'stint-draft:'

export async function signOut(): Promise<void> {
  await call('DELETE', '/session')
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(draft_prefix)) sessionStorage.removeItem(name)
}

const home = '/console'

/** The address to go to after signing in: a path of the console itself, never another address. */
export function returnPathOf(search: string): string {
  const wished = new URLSearchParams(search).get('to') ?? home
  const url = URL.canParse(wished, location.origin) ? new URL(wished, location.origin) : null
  const isOwn = url?.origin === location.origin && /^\/console(\/|$)/.test(url.pathname)
  return url && isOwn && !url.pathname.startsWith('/console/sign-in') ? url.pathname + url.search : home
}

export function signInPath(returnTo: string): string {
  return `/console/sign-in?to=${encodeURIComponent(returnTo)}`
}
