import type { Scope } from '#core/caller.ts'
import { scopes } from '#identity/scopes.ts'

/** Scopes of OpenID Connect, which clients ask for by habit; there is no such provider here, and they are ignored. */
const ignored = new Set(['openid', 'profile', 'email', 'offline_access'])

/** The scopes of a space-separated text (RFC 6749 §3.3), each once; null when one of them is not known here. */
export function scopesIn(text: string): Scope[] | null {
  const names = namesIn(text)
  const found = knownScopesIn(text)
  return found.length === names.length ? found : null
}

/** Those of the scopes that are known here. */
export function knownScopesIn(text: string): Scope[] {
  return namesIn(text).flatMap((name) => scopes.find((known) => known === name) ?? [])
}

function namesIn(text: string): string[] {
  return [...new Set(text.split(' '))].filter((name) => name !== '' && !ignored.has(name))
}
