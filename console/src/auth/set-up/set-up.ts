import { ask, call } from '../../lib/api.ts'
import type { SignInAnswer } from '../../lib/use-sign-in.ts'

export type SetUp =
  | { purpose: 'first_owner'; currencies: string[] }
  | { purpose: 'password'; email: string; name: string }

/** The secret stands behind the `#`, which browsers send to no server; it travels in a header, which nobody logs. */
const headers = () => ({ 'stint-set-up-link': location.hash.slice(1).replaceAll(/[^\w-]/g, '') || 'none' })

export function loadSetUp(): Promise<SetUp> {
  return call('GET', '/set-up', { headers: headers() })
}

/**
 * Makes the owner and signs in. A sandbox is filled as everybody fills one; what goes wrong there is no fault of the set-up,
 * and can be done again from the test clock.
 */
export async function makeOwner(body: unknown): Promise<void> {
  const { sandbox_id } = await call<{ sandbox_id?: string }>('POST', '/set-up', { body, headers: headers() })
  if (sandbox_id === undefined) return
  const sending = { body: { demo_data: true }, headers: { 'stint-organization': sandbox_id } }
  await ask('POST', '/console/rest/v2/sandbox/reset', sending).catch(() => null)
}

/** Signs in as well, or leads to the second step of an account that has one. */
export function finishSetUp(body: unknown): Promise<SignInAnswer> {
  return call('POST', '/set-up', { body, headers: headers() })
}

/** The page is replaced, so that going back does not show the used link. */
export const leave = () => location.replace('/console')
