import { createContext, useContext } from 'react'
import type { Membership, Session } from '../lib/session.ts'

export interface MeValue {
  session: Session
  membership: Membership
  /** The address at which programs call the API. */
  base_url: string
  /** The pages hide what the service would refuse. Writing includes reading. */
  can(scope: string): boolean
  /** True where the own role sees this category of sensitive data; else its fields are null. */
  sees(category: string): boolean
}

const Context = createContext<MeValue | null>(null)
export const Me = Context.Provider

/** The person who is signed in, and for which organization this window acts. */
export function useMe(): MeValue {
  const me = useContext(Context)
  if (!me) throw new Error('nobody is signed in here')
  return me
}

export function meOf(session: Session, membership: Membership, base_url: string): MeValue {
  const scopes = new Set(membership.scopes.map(({ name }) => name))
  const seen = new Set(membership.sensitive_data.map(({ name }) => name))
  return {
    ...{ session, membership, base_url },
    can: (scope) => scopes.has(scope),
    sees: (category) => seen.has(category),
  }
}
