import { useSyncExternalStore } from 'react'

function subscribe(tell: () => void): () => void {
  addEventListener('online', tell)
  addEventListener('offline', tell)
  return () => {
    removeEventListener('online', tell)
    removeEventListener('offline', tell)
  }
}

/** False while this computer has no connection. */
export const useOnline = () => useSyncExternalStore(subscribe, () => navigator.onLine)
