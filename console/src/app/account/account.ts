import type { CreationOptions } from '../../lib/passkeys.ts'
import { callProved } from '../../lib/service.ts'

export interface Passkey {
  id: string
  name: string
  is_synced: boolean
  created_at: string
  last_used_at: string | null
}

export interface SignedInSession {
  id: string
  created_at: string
  last_seen_at: string
  expires_at: string
  address: string | null
  user_agent: string | null
  is_current: boolean
}

export interface Account {
  email: string
  name: string
  /** This sign-in had two factors, or a passkey. */
  second_factor: boolean
  /** Organizations that demand a second factor. */
  demanded_by: string[]
  totp_since: string | null
  /** Null without a second factor. */
  recovery_codes_left: number | null
  passkeys: Passkey[]
  sessions: SignedInSession[]
}

/** An organization lets this sign-in see nothing. */
export const lacksFactor = ({ second_factor, demanded_by }: Account) => !second_factor && demanded_by.length > 0

export interface TotpOffer {
  secret: string
  uri: string
  offer: string
}

/** Recovery codes come with the first factor, and are null with the others. */
export interface Added {
  recovery_codes: string[] | null
}

/** The endpoints of the own account; those that change a way in may ask for a proof on the spot. */
export const account = {
  load: () => callProved<Account>('GET', '/account'),
  setPassword: (password: string) => callProved<null>('POST', '/account/password', { body: { password } }),
  offerTotp: () => callProved<TotpOffer>('POST', '/account/totp/offer'),
  setUpTotp: (offer: string, code: string) => callProved<Added>('POST', '/account/totp', { body: { offer, code } }),
  removeTotp: () => callProved<null>('DELETE', '/account/totp'),
  renewRecoveryCodes: () => callProved<{ recovery_codes: string[] }>('POST', '/account/recovery-codes'),
  passkeyOptions: () => callProved<{ options: CreationOptions }>('POST', '/account/passkeys/options'),
  addPasskey: (name: string, passkey: unknown) =>
    callProved<Added>('POST', '/account/passkeys', { body: { name, passkey } }),
  removePasskey: (id: string) => callProved<null>('DELETE', `/account/passkeys/${id}`),
  endSession: (id: string) => callProved<null>('DELETE', `/account/sessions/${id}`),
  endOtherSessions: () => callProved<null>('DELETE', '/account/sessions'),
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/** A browser as its owner would call it; the header that it goes by is a history of the Web. */
export function browserOf(user_agent: string | null): string {
  const among = (names: readonly (readonly [string, string])[]) =>
    names.find(([mark]) => user_agent?.includes(mark))?.[1] ?? null
  const [browser, system] = [among(browsers), among(systems)]
  if (browser === null) return user_agent === null ? 'Unknown' : 'Another program'
  return system === null ? browser : `${browser} on ${system}`
}
