import { call } from '../../lib/api.ts'
import type { SignInAnswer } from '../../lib/use-sign-in.ts'

export type SetUp =
  | { purpose: 'first_owner'; currencies: string[] }
  | { purpose: 'password'; email: string; name: string }

/** The secret stands behind the `#`, which browsers send to no server; it travels in a header, which nobody logs. */
const headers = () => ({ 'stint-set-up-link': location.hash.slice(1).replaceAll(/[^\w-]/g, '') || 'none' })

export function loadSetUp(): Promise<SetUp> {
  return call('GET', '/set-up', { headers: headers() })
}

/** Signs in as well, or leads to the second step of an account that has one. */
export function finishSetUp(body: unknown): Promise<SignInAnswer> {
  return call('POST', '/set-up', { body, headers: headers() })
}

/** The page is replaced, so that going back does not show the used link. */
export const leave = () => location.replace('/console')
