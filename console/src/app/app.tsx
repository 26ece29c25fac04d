import { useEffect, useMemo, useState } from 'react'
import { FailedPage } from '../components/failed-page.tsx'
import { Loading } from '../components/loading.tsx'
import { Page } from '../components/page.tsx'
import { SignedInAs } from '../components/signed-in-as.tsx'
import { Pages } from '../lib/router.tsx'
import { connect } from '../lib/service.ts'
import { loadSession, type Membership, type Session, signInPath } from '../lib/session.ts'
import { useLoaded } from '../lib/use-loaded.ts'
import { Me, meOf } from './me.tsx'
import { chosenOrganization } from './organization-switcher.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { router } from './router.tsx'
import { useProof } from './use-proof.ts'

/** The pages behind the sign-in; whoever is not signed in is asked to, and comes back to the same address. */
export function App() {
  const loaded = useLoaded(loadSession)
  const isSignedOut = loaded.state === 'ready' && loaded.value.session === null
  useEffect(() => {
    if (isSignedOut) location.replace(signInPath(location.pathname + location.search))
  }, [isSignedOut])
  if (loaded.state === 'failed') return <FailedPage error={loaded.error} reload={loaded.reload} />
  if (loaded.state === 'loading' || !loaded.value.session) return <Loading />
  const { session, base_url = '' } = loaded.value
  return session.memberships.length > 0 ? (
    <Member session={session} base_url={base_url} />
  ) : (
    <NoMember session={session} />
  )
}

function Member({ session: loaded, base_url }: { session: Session; base_url: string }) {
  const { wish, prove } = useProof()
  const [session, setSession] = useState(loaded)
  const membership = chosenOrganization(session.memberships)
  // Before any page below asks for something.
  const me = useMemo(() => {
    const refused = () =>
      void loadSession().then(
        ({ session: now }) => takeOver(now, membership, setSession),
        () => undefined,
      )
    connect({ organization_id: membership.organization_id, prove, refused })
    return meOf(session, membership, base_url)
  }, [session, membership, base_url, prove])
  return (
    <Me value={me}>
      <Pages router={router} />
      {wish ? <ProofDialog email={session.email} {...wish} /> : null}
    </Me>
  )
}

/** Another role shows other pages, with what was typed still there; whoever is no member any more begins anew. */
function takeOver(now: Session | null, { organization_id, role }: Membership, set: (session: Session) => void): void {
  const found = now?.memberships.find((one) => one.organization_id === organization_id)
  if (!now || !found) location.reload()
  else if (found.role !== role) set(now)
}

/** A worker, whose pages are others, or somebody whose last membership has ended. */
function NoMember({ session: { name, email, workers } }: { session: Session }) {
  const isWorker = workers.length > 0
  useEffect(() => {
    if (isWorker) location.replace('/console/worker')
  }, [isWorker])
  if (isWorker) return <Loading />
  return (
    <Page title={`Hello, ${name}`} aside={<SignedInAs email={email} />}>
      <p>You belong to no organization at the moment. Ask an owner of yours.</p>
    </Page>
  )
}
