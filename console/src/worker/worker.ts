import { createContext, useContext } from 'react'
import type { Session } from '../lib/session.ts'

type Place = Session['workers'][number]

export interface WorkerValue {
  session: Session
  /** The organization that one works for, and who one is there. */
  place: Place
}

const Context = createContext<WorkerValue | null>(null)
export const Worker = Context.Provider

/** The worker who is signed in, and for which organization this window is. */
export function useWorker(): WorkerValue {
  const worker = useContext(Context)
  if (!worker) throw new Error('no worker is signed in here')
  return worker
}

const key = 'stint-works-for'

/** The one that this window was told, else the first. */
export function chosenPlace(places: readonly Place[]): Place | undefined {
  const wished = sessionStorage.getItem(key)
  const chosen = places.find(({ organization_id }) => organization_id === wished) ?? places[0]
  if (chosen) sessionStorage.setItem(key, chosen.organization_id)
  return chosen
}

export function choosePlace(organization_id: string): void {
  sessionStorage.setItem(key, organization_id)
  // From the first page on, with nothing left of the other organization.
  location.assign('/console/worker')
}
