import { call } from './api.ts'

export interface Session {
  session_id: string
  user_id: string
  email: string
  name: string
  memberships: { organization_id: string; organization_name: string; is_sandbox: boolean; role: string }[]
  workers: { organization_id: string; organization_name: string; is_sandbox: boolean; person_id: string }[]
}

/** `is_new`: nobody has an account here yet. */
export function loadSession(): Promise<{ session: Session | null; is_new: boolean }> {
  return call('GET', '/session')
}

export async function signOut(): Promise<void> {
  await call('DELETE', '/session')
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
