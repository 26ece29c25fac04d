import { useState } from 'react'
import { keyOf, type Place } from './consent.ts'

export interface Choice {
  scopes: ReadonlySet<string>
  sensitive_data: ReadonlySet<string>
  toggleScope(name: string): void
  toggleSensitive(name: string): void
  /** The choice that goes along with a decision, in the order it was shown. */
  chosen(decision: 'approve' | 'deny'): { scopes: string[]; sensitive_data: string[] }
}

interface Ticked {
  place: string
  scopes: ReadonlySet<string>
  sensitive_data: ReadonlySet<string>
}

/** The ticked boxes. Another place begins anew: its offer differs, and so may its meaning. */
export function useChoice(place: Place): Choice {
  const [kept, setTicked] = useState(() => beginningOf(place))
  const ticked = kept.place === keyOf(place) ? kept : beginningOf(place)
  return {
    scopes: ticked.scopes,
    sensitive_data: ticked.sensitive_data,
    toggleScope: (name) => setTicked({ ...ticked, scopes: withReading(toggled(ticked.scopes, name), name) }),
    toggleSensitive: (name) => setTicked({ ...ticked, sensitive_data: toggled(ticked.sensitive_data, name) }),
    chosen: (decision) => {
      if (decision === 'deny') return { scopes: [], sensitive_data: [] }
      const pick = (shown: readonly { name: string }[], names: ReadonlySet<string>) =>
        shown.map(({ name }) => name).filter((name) => names.has(name))
      return {
        scopes: pick(place.scopes, ticked.scopes),
        sensitive_data: pick(place.sensitive_data, ticked.sensitive_data),
      }
    },
  }
}

function beginningOf(place: Place): Ticked {
  const offered = place.scopes.filter(({ state }) => state === 'offered').map(({ name }) => name)
  return { place: keyOf(place), scopes: new Set(offered), sensitive_data: new Set() }
}

/** Writing includes reading: it brings reading along, and goes with it. */
function withReading(names: ReadonlySet<string>, changed: string): ReadonlySet<string> {
  const [area, right] = changed.split(':')
  if (right === 'write') return names.has(changed) ? names.union(new Set([`${area}:read`])) : names
  return names.has(changed) ? names : names.difference(new Set([`${area}:write`]))
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return names.has(name) ? names.difference(new Set([name])) : new Set([...names, name])
}
