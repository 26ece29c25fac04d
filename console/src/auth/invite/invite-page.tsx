import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { Loading } from '../../components/loading.tsx'
import { Page } from '../../components/page.tsx'
import type { ApiError } from '../../lib/api.ts'
import { signOut } from '../../lib/session.ts'
import { useLoaded } from '../../lib/use-loaded.ts'
import { AcceptForm, LoginForm } from './accept-forms.tsx'
import { type Invitation, type Loaded, loadInvitation, signInFirst } from './invitation.ts'
import { LinkOverPage } from './link-over-page.tsx'

/** The page behind the link of an invitation: what it is for, and the login that it leads to. */
export function InvitePage() {
  const loaded = useLoaded(loadInvitation)
  if (loaded.state === 'loading') return <Loading />
  if (loaded.state === 'failed') {
    const { error, reload } = loaded
    return error.status === 404 ? <LinkOverPage error={error} /> : <FailedPage error={error} reload={reload} />
  }
  const { invitation } = loaded.value
  return (
    <Page title={titleOf(invitation)}>
      <Words invitation={invitation} />
      <Way {...loaded.value} reload={loaded.reload} />
    </Page>
  )
}

const titleOf = ({ kind, organization_name }: Invitation) =>
  kind === 'worker' ? `${organization_name} sends you a contract` : `Join ${organization_name}`

/** The purpose of the invitation, before the question of passwords. */
function Words({ invitation }: { invitation: Invitation }) {
  const sandbox = invitation.is_sandbox ? <Badge tone="sandbox">Sandbox</Badge> : null
  if (invitation.kind === 'member') {
    return (
      <p>
        You are invited as <strong>{invitation.role}</strong>. {sandbox}
      </p>
    )
  }
  return (
    <>
      <p>
        <strong>
          <bdi>{invitation.contract_title}</bdi>
        </strong>{' '}
        {sandbox}
      </p>
      {invitation.message ? (
        <blockquote className="as-written">
          <bdi>{invitation.message}</bdi>
        </blockquote>
      ) : null}
      <p>
        {invitation.has_login
          ? 'Sign in, read the terms, and sign only if you agree.'
          : 'Make a login of your own, read the terms, and sign only if you agree. Nothing is signed on this page.'}
      </p>
    </>
  )
}

/** By the login that the invitation is for, whoever is signed in to this browser at the moment. */
function Way({ invitation, session, reload }: Loaded & { reload(): void }) {
  const { email, name, has_login } = invitation
  const isOwn = session?.email.toLowerCase() === email.toLowerCase()
  if (session && has_login && isOwn) return <AcceptForm email={email} />
  if (session) return <SomebodyElse own={session.email} email={email} reload={reload} />
  if (!has_login) return <LoginForm email={email} name={name} />
  return (
    <>
      <p>
        You have a login here already: <bdi>{email}</bdi>.
      </p>
      <p className="hint">
        If you never made one, do not go on: somebody else used your address. Whoever runs this service gives you the
        login.
      </p>
      <div className="actions">
        <Button onClick={signInFirst}>Sign in and go on</Button>
      </div>
    </>
  )
}

function SomebodyElse({ own, email, reload }: { own: string; email: string; reload(): void }) {
  const [state, setState] = useState<{ isBusy: boolean; error: ApiError | null }>({ isBusy: false, error: null })
  const leave = async () => {
    setState({ isBusy: true, error: null })
    try {
      await signOut()
      reload()
    } catch (error) {
      setState({ isBusy: false, error: error as ApiError })
    }
  }
  return (
    <>
      <Banner tone="warning" title="Somebody else is signed in to this browser.">
        <p>
          It is <bdi>{own}</bdi>, and the invitation is for <bdi>{email}</bdi>.
        </p>
      </Banner>
      {state.error ? <ErrorBanner error={state.error} /> : null}
      <div className="actions">
        <Button isBusy={state.isBusy} onClick={leave}>
          Sign out and go on
        </Button>
      </div>
    </>
  )
}
