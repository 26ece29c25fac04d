import { call } from '../../lib/api.ts'

export type SetUp =
  | { purpose: 'first_owner'; currencies: string[] }
  | { purpose: 'password'; email: string; name: string }

/** The secret stands behind the `#`, which browsers send to no server; it travels in a header, which nobody logs. */
const headers = () => ({ 'stint-set-up-link': location.hash.slice(1).replaceAll(/[^\w-]/g, '') || 'none' })

export function loadSetUp(): Promise<SetUp> {
  return call('GET', '/set-up', { headers: headers() })
}

/** Signs in as well; the page is replaced, so that going back does not show the used link. */
export async function finishSetUp(body: unknown): Promise<void> {
  await call('POST', '/set-up', { body, headers: headers() })
  location.replace('/console')
}
