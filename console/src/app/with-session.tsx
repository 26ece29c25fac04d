import { type ReactNode, useEffect } from 'react'
import { FailedPage } from '../components/failed-page.tsx'
import { Loading } from '../components/loading.tsx'
import { loadSession, type Session, signInPath } from '../lib/session.ts'
import { useLoaded } from '../lib/use-loaded.ts'

interface WithSessionProps {
  children(session: Session, base_url: string): ReactNode
}

/** Pages behind the sign-in; whoever is not signed in is asked to, and comes back to the same address. */
export function WithSession({ children }: WithSessionProps) {
  const loaded = useLoaded(loadSession)
  const isSignedOut = loaded.state === 'ready' && loaded.value.session === null
  useEffect(() => {
    if (isSignedOut) location.replace(signInPath(location.pathname + location.search))
  }, [isSignedOut])
  if (loaded.state === 'failed') return <FailedPage error={loaded.error} reload={loaded.reload} />
  if (loaded.state === 'loading' || !loaded.value.session) return <Loading />
  const { session, base_url = '' } = loaded.value
  return children(session, base_url)
}
