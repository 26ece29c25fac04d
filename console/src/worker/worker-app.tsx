import { lazy, Suspense, useMemo } from 'react'
import { Me, type MeValue } from '../app/me.tsx'
import { useProof } from '../app/use-proof.ts'
import { WithSession } from '../app/with-session.tsx'
import { Page } from '../components/page.tsx'
import { SignedInAs } from '../components/signed-in-as.tsx'
import { Pages } from '../lib/router.tsx'
import { connect } from '../lib/service.ts'
import type { Membership, Session } from '../lib/session.ts'
import { router } from './router.tsx'
import { chosenPlace, Worker, type WorkerValue } from './worker.ts'

/** Loaded when somebody has to prove once more who it is. */
const ProofDialog = lazy(async () => ({ default: (await import('../app/proof-dialog.tsx')).ProofDialog }))

/** The pages of somebody who works here: its own contracts, hours and money, and nothing of the employer. */
export function WorkerApp() {
  return (
    <WithSession>
      {(session, base_url) => {
        const place = chosenPlace(session.workers)
        return place ? <Signed session={session} place={place} base_url={base_url} /> : <Nowhere session={session} />
      }}
    </WithSession>
  )
}

function Signed({ session, place, base_url }: WorkerValue & { base_url: string }) {
  const { wish, prove } = useProof()
  const [worker, me] = useMemo(() => {
    // Before any page below asks for something.
    connect({ organization_id: place.organization_id, person_id: place.person_id, prove })
    // Pages that are shared with members ask what may be seen: a worker sees all that is its own, and has no right of theirs.
    const membership: Membership = {
      ...place,
      role: 'viewer',
      scopes: [],
      sensitive_data: [],
      lacks_second_factor: false,
    }
    const me: MeValue = { session, membership, base_url, can: () => false, sees: () => true }
    return [{ session, place }, me]
  }, [session, place, base_url, prove])
  return (
    <Worker value={worker}>
      <Me value={me}>
        <Pages router={router} />
        <Suspense>{wish ? <ProofDialog email={session.email} {...wish} /> : null}</Suspense>
      </Me>
    </Worker>
  )
}

function Nowhere({ session: { name, email, memberships } }: { session: Session }) {
  return (
    <Page title={`Hello, ${name}`} aside={<SignedInAs email={email} returnTo="/console/worker" />}>
      <p>Nobody has a contract with you here, or your access has ended. Ask whoever you work for.</p>
      {memberships.length > 0 ? (
        <p>
          <a href="/console">Go to the console</a>
        </p>
      ) : null}
    </Page>
  )
}
