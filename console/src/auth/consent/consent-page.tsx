import { useCallback, useEffect } from 'react'
import { FailedPage } from '../../components/failed-page.tsx'
import { Loading } from '../../components/loading.tsx'
import { SignedInAs } from '../../components/signed-in-as.tsx'
import { signInPath } from '../../lib/session.ts'
import { useLoaded } from '../../lib/use-loaded.ts'
import { loadConsent } from './consent.ts'
import { ConsentForm } from './consent-form.tsx'
import { NoPlacePage, RequestOverPage } from './dead-ends.tsx'

export function ConsentPage({ request_id }: { request_id: string }) {
  const loaded = useLoaded(useCallback(() => loadConsent(request_id), [request_id]))
  const isSignedOut = loaded.state === 'failed' && loaded.error.status === 401
  useEffect(() => {
    if (isSignedOut) location.replace(signInPath(location.pathname))
  }, [isSignedOut])
  if (loaded.state === 'loading' || isSignedOut) return <Loading />
  if (loaded.state === 'failed') {
    const { error, reload } = loaded
    if (error.status === 404) return <RequestOverPage why="unknown" />
    if (error.status === 409) return <RequestOverPage why="decided" />
    return <FailedPage error={error} reload={reload} />
  }
  const { consent, email } = loaded.value
  const [first] = consent.organizations
  const signedInAs = <SignedInAs email={email} returnTo={location.pathname} />
  return first ? (
    <ConsentForm consent={consent} first={first} email={email} signedInAs={signedInAs} />
  ) : (
    <NoPlacePage consent={consent} signedInAs={signedInAs} />
  )
}
