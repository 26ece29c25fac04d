import { useEffect } from 'react'
import { Badge } from '../components/badge.tsx'
import { FailedPage } from '../components/failed-page.tsx'
import { Loading } from '../components/loading.tsx'
import { Page } from '../components/page.tsx'
import { loadSession, type Session, signInPath } from '../lib/session.ts'
import { useLoaded } from '../lib/use-loaded.ts'
import { SignedInAs } from './signed-in-as.tsx'

/** The page a person lands on after signing in, as long as the pages of the developer console are not there. */
export function HomePage() {
  const loaded = useLoaded(loadSession)
  const isSignedOut = loaded.state === 'ready' && loaded.value.session === null
  useEffect(() => {
    if (isSignedOut) location.replace(signInPath('/console'))
  }, [isSignedOut])
  if (loaded.state === 'failed') return <FailedPage error={loaded.error} reload={loaded.reload} />
  if (loaded.state === 'loading' || !loaded.value.session) return <Loading />
  return <Home session={loaded.value.session} />
}

function Home({ session }: { session: Session }) {
  const { name, email, memberships, workers } = session
  return (
    <Page title={`Hello, ${name}`} aside={<SignedInAs email={email} />}>
      <h2>Your organizations</h2>
      {memberships.length + workers.length === 0 ? (
        <p>You belong to no organization at the moment. Ask an owner of yours.</p>
      ) : (
        <ul className="rows">
          {memberships.map(({ organization_id, organization_name, is_sandbox, role }) => (
            <li key={organization_id}>
              <bdi>{organization_name}</bdi>
              <span className="badges">
                {is_sandbox ? <Badge tone="sandbox">Sandbox</Badge> : null}
                <Badge>{role}</Badge>
              </span>
            </li>
          ))}
          {workers.map(({ organization_id, organization_name, is_sandbox }) => (
            <li key={`worker-${organization_id}`}>
              <bdi>{organization_name}</bdi>
              <span className="badges">
                {is_sandbox ? <Badge tone="sandbox">Sandbox</Badge> : null}
                <Badge>worker</Badge>
              </span>
            </li>
          ))}
        </ul>
      )}
      <h2>Next</h2>
      <p>
        Connect an application to the tool server at <code>{location.origin}/mcp</code>: it asks for your permission on
        a page of this console. The REST API is described in its <a href="/docs">reference</a>.
      </p>
    </Page>
  )
}
