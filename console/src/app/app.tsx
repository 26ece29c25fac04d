import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { Loading } from '../components/loading.tsx'
import { Page } from '../components/page.tsx'
import { SignedInAs } from '../components/signed-in-as.tsx'
import { Pages } from '../lib/router.tsx'
import { connect } from '../lib/service.ts'
import { loadSession, type Membership, type Session } from '../lib/session.ts'
import { Me, meOf } from './me.tsx'
import { chosenOrganization } from './organization-switcher.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { router } from './router.tsx'
import { useProof } from './use-proof.ts'
import { WithSession } from './with-session.tsx'

/** Few ever see it. */
const FactorGate = lazy(async () => ({ default: (await import('./account/factor-gate.tsx')).FactorGate }))

/** The pages of members. */
export function App() {
  return (
    <WithSession>
      {(session, base_url) =>
        session.memberships.length > 0 ? (
          <Member session={session} base_url={base_url} />
        ) : (
          <NoMember session={session} />
        )
      }
    </WithSession>
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
      {membership.lacks_second_factor ? (
        <Suspense fallback={<Loading />}>
          <FactorGate />
        </Suspense>
      ) : (
        <Pages router={router} />
      )}
      {wish ? <ProofDialog email={session.email} {...wish} /> : null}
    </Me>
  )
}

/** Another role shows other pages, with what was typed still there; whoever is no member any more begins anew. */
function takeOver(
  now: Session | null,
  { organization_id, role, lacks_second_factor }: Membership,
  set: (session: Session) => void,
): void {
  const found = now?.memberships.find((one) => one.organization_id === organization_id)
  if (!now || !found) location.reload()
  else if (found.role !== role || found.lacks_second_factor !== lacks_second_factor) set(now)
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
