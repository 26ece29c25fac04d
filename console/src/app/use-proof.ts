import { useCallback, useState } from 'react'
import type { ProofWish } from './proof-dialog.tsx'

type Prove = (why: ProofWish['why']) => Promise<boolean>

/** Has a person prove once more who it is, over the page; `wish` is what the dialog is to ask, while there is something. */
export function useProof(): { wish: ProofWish | null; prove: Prove } {
  const [wish, setWish] = useState<ProofWish | null>(null)
  const prove = useCallback<Prove>(
    (why) =>
      new Promise((resolve) => {
        const answer = (isProved: boolean) => {
          setWish(null)
          resolve(isProved)
        }
        // Several calls may find the session over at once: the first one asks, all go on.
        setWish((open) => ({
          why,
          answer: (isProved) => {
            open?.answer(isProved)
            answer(isProved)
          },
        }))
      }),
    [],
  )
  return { wish, prove }
}
