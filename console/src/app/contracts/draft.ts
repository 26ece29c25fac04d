import { useEffect, useState } from 'react'
import { draft_prefix } from '../../lib/session.ts'
import { useMe } from '../me.tsx'
import type { Values } from './values.ts'

interface Draft {
  /** The Idempotency-Key of the contract that it becomes: sent twice, it is made once. */
  key: string
  values: Values
}

/** A new contract as far as it was typed. It lives in this tab until it is sent, a reload included, and ends with the sign-out. */
export function useDraft(given: Values) {
  const { session, membership } = useMe()
  const place = `${draft_prefix}contract:${session.user_id}:${membership.organization_id}`
  const [draft, setDraft] = useState<Draft>(() => {
    const kept = sessionStorage.getItem(place)
    // The cast holds because nothing else writes there.
    const { key, values } = kept ? (JSON.parse(kept) as Draft) : { key: crypto.randomUUID(), values: {} }
    return { key, values: { ...values, ...given } }
  })
  useEffect(() => {
    if (Object.keys(draft.values).length > 0) sessionStorage.setItem(place, JSON.stringify(draft))
  }, [place, draft])
  return {
    ...draft,
    change: (values: Values) => setDraft((before) => ({ ...before, values: { ...before.values, ...values } })),
    end: () => sessionStorage.removeItem(place),
    anew: () => {
      sessionStorage.removeItem(place)
      setDraft({ key: crypto.randomUUID(), values: {} })
    },
  }
}
